internal import DepotProtocol
internal import DepotSQLite

/// The rows of a watched query as they were at one token.
struct LiveSnapshot: Sendable {
  let token: Int64
  private(set) var entries: [LiveEntry] = []
  /// The answer, if it is a count or groups.
  var answer: LiveValue.Answer?

  init(token: Int64) {
    self.token = token
  }

  /// - Throws: ``DepotError`` `limit.watch_rows` if there are too many.
  mutating func add(_ entry: LiveEntry) throws(ReadEnd) {
    guard entries.count < Limits.watchRows else {
      throw .failed(
        DepotError(
          .tooManyWatchedRows,
          "The query has more than \(Limits.watchRows) rows, too many to be watched."
        )
        .hint("Give it a limit or a narrower predicate, or watch a count.")
      )
    }
    entries.append(entry)
  }
}

extension Connection {
  /// Returns the number of the last transaction, or 0 if there is none.
  func historyHead() throws(ReadEnd) -> Int64 {
    do {
      let last = try statement("SELECT token FROM depot_history ORDER BY id DESC LIMIT 1")
      defer { last.reset() }
      if try last.step() { return last.row.integer(0) }
    } catch {
      throw ReadEnd(error)
    }
    return try historyPurged()
  }

  /// Returns the number of the last transaction that was deleted from the history, or 0.
  func historyPurged() throws(ReadEnd) -> Int64 {
    let sql = "SELECT value FROM depot_meta WHERE key = 'history_purged'"
    return try ReadStatement(Fragment(sql: sql)).integer(on: self)
  }
}
