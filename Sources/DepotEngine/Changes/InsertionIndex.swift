internal import DepotProtocol
internal import DepotSQLite

/// The index of insertions in the history.
///
/// Most transactions insert a few rows at the end of a table. If each of them added an entry, every
/// commit would write a page of the log for that. So entries are added for many transactions at
/// once, and transactions without entries are searched without the index.
///
/// Consecutive rows of the history that insert consecutive rows, one each, have a single entry, a
/// run. Its `id` is the negative identifier of the first of them.
struct InsertionIndex {
  /// The SQL that creates the table.
  static let definition = """
    CREATE TABLE depot_history_insert (entity TEXT NOT NULL, first INTEGER NOT NULL, id INTEGER NOT NULL,
      last INTEGER NOT NULL, PRIMARY KEY (entity, first, id)) STRICT, WITHOUT ROWID;
    """

  let connection: Connection

  /// The rows that one row of the history inserts, or a run of them.
  private struct Entry {
    let entity: String
    let first: Int64
    let identifier: Int64
    var last: Int64
    var isRun = false

    /// Adds the next row of the history if it continues a run; returns whether it does.
    mutating func extend(by next: Entry) -> Bool {
      let isLone = next.first == next.last && (isRun || first == last)
      guard isLone, next.first == last + 1, next.identifier == identifier + last - first + 1,
        next.entity == entity
      else { return false }
      (last, isRun) = (next.last, true)
      return true
    }
  }

  /// Adds the entries of history rows after one and through another one.
  func add(after position: Int64, through last: Int64) throws {
    let format = try connection.integer("PRAGMA user_version") ?? 0
    let mayHaveRuns = format >= CatalogTables.formatWithRuns
    var entry: Entry?
    try connection.statement(
      """
      SELECT entity, first, id, last FROM depot_history \
      WHERE id > ?1 AND id <= ?2 AND kind = 0 ORDER BY id
      """
    ).run([.integer(position), .integer(last)]) { row in
      let next = Entry(
        entity: row.text(0),
        first: row.integer(1),
        identifier: row.integer(2),
        last: row.integer(3)
      )
      if mayHaveRuns, entry?.extend(by: next) == true { return }
      if let entry { try add(entry) }
      entry = next
    }
    if let entry { try add(entry) }
  }

  private func add(_ entry: Entry) throws {
    try connection.statement(
      "INSERT INTO depot_history_insert (entity, first, id, last) VALUES (?1, ?2, ?3, ?4)"
    ).run([
      .text(entry.entity), .integer(entry.first),
      .integer(entry.isRun ? -entry.identifier : entry.identifier), .integer(entry.last),
    ])
  }

  /// Deletes the entries of rows that are about to be deleted.
  func remove(through last: Int64) throws {
    // A run continues with the first row that stays.
    try connection.statement(
      """
      INSERT INTO depot_history_insert (entity, first, id, last) \
      SELECT h.entity, h.first, -h.id, i.last FROM depot_history AS h \
      CROSS JOIN depot_history_insert AS i WHERE h.id = ?1 + 1 AND h.kind = 0 \
      AND i.entity = h.entity AND i.first < h.first AND i.last >= h.first \
      AND i.id < 0 AND h.first - i.first - i.id = h.id
      """
    ).run([.integer(last)])
    try connection.statement(
      """
      DELETE FROM depot_history_insert WHERE (entity, first, abs(id)) IN \
      (SELECT entity, first, id FROM depot_history WHERE id <= ?1 AND kind = 0)
      """
    ).run([.integer(last)])
  }

  /// Returns messages about wrong entries, and about insertions that aren't found.
  ///
  /// Rows of the history after `position` need no entries.
  func problems(through position: Int64) throws -> [String] {
    let astray = try connection.texts(
      """
      SELECT entity || '/' || first FROM depot_history_insert AS i WHERE iif(i.id < 0, \
      (SELECT count(*) FROM depot_history AS h WHERE h.id >= -i.id AND h.id <= i.last - i.first - i.id \
      AND h.kind = 0 AND h.entity = i.entity AND h.first = h.last \
      AND h.first - i.first - i.id = h.id) <> i.last - i.first + 1, NOT EXISTS \
      (SELECT 1 FROM depot_history AS h WHERE h.id = i.id AND h.kind = 0 AND h.entity = i.entity \
      AND h.first = i.first AND h.last = i.last)) LIMIT 100
      """
    )
    let unknown = try connection.texts(
      """
      SELECT id FROM depot_history WHERE kind = 0 AND id <= \(position) \
      EXCEPT SELECT id FROM depot_history_insert \
      EXCEPT SELECT h.id FROM depot_history_insert AS i CROSS JOIN depot_history AS h \
      WHERE i.id < 0 AND h.id >= -i.id AND h.id <= i.last - i.first - i.id LIMIT 100
      """
    )
    return astray.map { "The insertion of \($0) leads to a row that isn't about it." }
      + unknown.map { "The insertions of the row \($0) aren't found." }
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
    let condition = "entity = ?1 AND first <= ?2 AND last >= ?2 AND page > ?3 ORDER BY first DESC"
    let recent = try connection.statement(
      "SELECT id AS page FROM depot_history WHERE kind = 0 AND \(condition)"
    )
    let from = max(position, floor)
    guard try run(recent, [.text(entity), .integer(identifier), .integer(from)], body) else {
      return
    }
    let indexed = try connection.statement(
      """
      SELECT iif(id < 0, ?2 - first - id, id) AS page FROM depot_history_insert WHERE \(condition)
      """
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
