internal import DepotProtocol
internal import DepotSQLite

/// Checks all rows of the history of a closed store.
struct HistoryCheck {
  let connection: Connection

  /// Returns messages about the problems.
  func run() throws -> [String] {
    try checkRows() + checkIndex() + checkInsertions()
  }

  private func checkRows() throws -> [String] {
    var problems: [String] = []
    var token: Int64?
    // Rows up to the floor aren't valid; an unfinished purge may have left a part of a transaction.
    let floor = try connection.number(.historyFloor)
    let statement = try connection.statement(
      "SELECT id, token FROM depot_history WHERE id > \(floor) ORDER BY id"
    )
    do {
      try statement.run { row in
        let identifier = row.integer(0)
        if identifier != row.integer(1), token != row.integer(1) {
          problems.append("The row \(identifier) of the history is of no transaction.")
        }
        token = row.integer(1)
      }
    } catch let error as SQLiteError {
      problems.append("The history can't all be read: \(error.message).")
    }
    return problems
  }

  /// Checks that the index of changes has correct entries, and finds all changes.
  private func checkIndex() throws -> [String] {
    do {
      return try ChangeIndex(connection: connection).problems()
    } catch {
      return ["What finds the history of rows can't be read: \(error)."]
    }
  }

  /// Checks that the index of insertions has correct entries, and finds all insertions.
  private func checkInsertions() throws -> [String] {
    do {
      let position = try connection.number(.historyIndexed)
      return try InsertionIndex(connection: connection).problems(through: position)
    } catch {
      return ["What finds insertions can't be read: \(error)."]
    }
  }
}
