internal import DepotProtocol
internal import DepotSQLite

/// The index of insertions in the history.
///
/// Most transactions insert a few rows at the end of a table. If each of them added an entry, every
/// commit would write a page of the log for that. So entries are added for many transactions at
/// once, and transactions without entries are searched without the index.
struct InsertionIndex {
  /// The SQL that creates the table.
  static let definition = """
    CREATE TABLE depot_history_insert (entity TEXT NOT NULL, first INTEGER NOT NULL, id INTEGER NOT NULL,
      last INTEGER NOT NULL, PRIMARY KEY (entity, first, id)) STRICT, WITHOUT ROWID;
    """

  let connection: Connection

  /// Adds the entries of history rows after one and through another one.
  func add(after position: Int64, through last: Int64) throws {
    try connection.statement(
      """
      INSERT INTO depot_history_insert (entity, first, id, last) \
      SELECT entity, first, id, last FROM depot_history WHERE id > ?1 AND id <= ?2 AND kind = 0
      """
    ).run([.integer(position), .integer(last)])
  }

  /// Deletes the entries of rows that are about to be deleted.
  func remove(through last: Int64) throws {
    try connection.statement(
      """
      DELETE FROM depot_history_insert WHERE (entity, first, id) IN \
      (SELECT entity, first, id FROM depot_history WHERE id <= ?1 AND kind = 0)
      """
    ).run([.integer(last)])
  }

  /// Calls `body` with history rows that may have inserted a row, until it returns `false`.
  ///
  /// Rows whose range begins nearest to the identifier come first.
  func candidates(
    for identifier: Int64,
    of entity: String,
    after floor: Int64,
    indexed position: Int64,
    _ body: (Int64) throws -> Bool
  ) throws {
    let condition = "entity = ?1 AND first <= ?2 AND last >= ?2 AND id > ?3 ORDER BY first DESC"
    let recent = try connection.statement(
      "SELECT id FROM depot_history WHERE kind = 0 AND \(condition)"
    )
    let from = max(position, floor)
    guard try run(recent, [.text(entity), .integer(identifier), .integer(from)], body) else {
      return
    }
    let indexed = try connection.statement(
      "SELECT id FROM depot_history_insert WHERE \(condition)"
    )
    _ = try run(indexed, [.text(entity), .integer(identifier), .integer(floor)], body)
  }

  private func run(
    _ statement: Statement,
    _ values: [SQLiteValue],
    _ body: (Int64) throws -> Bool
  ) throws -> Bool {
    try statement.bind(values)
    defer { statement.reset() }
    while try statement.step() {
      guard try body(statement.row.integer(0)) else { return false }
    }
    return true
  }
}
