internal import DepotProtocol
internal import DepotSQLite

/// The values outside of rows that only the history refers to.
///
/// A trigger adds a value when its row gets another one or is deleted, and an undo gives it back. A
/// value goes with its transaction, or earlier if all of them are too large.
struct KeptValues {
  let connection: Connection

  /// The table of the values; `at` is a row of the history that needs the value.
  static let table = SpecialTable(
    name: "depot_history_value",
    definition: [
      """
      CREATE TABLE depot_history_value (blobs TEXT NOT NULL, blob INTEGER NOT NULL, \
      reference TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (blobs, blob)) STRICT
      """,
      "CREATE INDEX depot_history_value_at ON depot_history_value (at)",
    ]
  )

  /// The most values that are deleted at once.
  private static let valuesTogether = 256

  /// Returns the statement of a trigger that keeps the old value of a column.
  ///
  /// The transaction isn't in the history yet, or not all of it, so that its next row needs the value.
  static func keeping(_ number: String, _ column: StoredColumn, of table: BlobTable) -> String {
    """
    INSERT OR REPLACE INTO depot_history_value (blobs, blob, reference, at) \
    SELECT '\(table.name)', \(number), CAST(old.\(column.quoted) AS TEXT), \
    max(coalesce((SELECT max(id) FROM depot_history), 0), coalesce((SELECT value FROM depot_meta \
    WHERE key = 'history_floor'), 0)) + 1 WHERE \(number) IS NOT NULL;
    """
  }

  /// Whether the store keeps values; one in a cluster that an earlier build has made keeps none.
  var areKept: Bool {
    get throws(SQLiteError) {
      try connection.integer("SELECT 1 FROM sqlite_schema WHERE name = 'depot_history_value'")
        != nil
    }
  }

  /// Returns the condition that a value of a table is kept.
  func condition(_ table: BlobTable) throws(SQLiteError) -> String {
    try areKept
      ? "blob IN (SELECT blob FROM depot_history_value WHERE blobs = '\(table.name)')" : "0"
  }

  /// Returns the values of a table.
  func all(of table: BlobTable) throws -> [BlobReference?] {
    guard try areKept else { return [] }
    return try connection.statement("SELECT reference FROM depot_history_value WHERE blobs = ?1")
      .rows([.text(table.name)]) { BlobReference($0.bytes(0)) }
  }

  /// Whether a value is kept as it was.
  func contains(_ reference: BlobReference, of table: BlobTable) throws -> Bool {
    guard try areKept else { return false }
    return try connection.integer(
      "SELECT 1 FROM depot_history_value WHERE blobs = ?1 AND blob = ?2 AND reference = ?3",
      [.text(table.name), .integer(reference.number), .text(reference.text)]
    ) != nil
  }

  /// Gives up a value, which a row refers to again.
  func forget(_ number: Int64, of table: String) throws {
    try connection.statement("DELETE FROM depot_history_value WHERE blobs = ?1 AND blob = ?2")
      .run([.text(table), .integer(number)])
  }

  /// Deletes some values of deleted rows of the history, or the oldest if all have over `limit` bytes.
  ///
  /// It returns whether there were any.
  func deleteSome(through floor: Int64, limit: Int64) throws -> Bool {
    guard try areKept else { return false }
    let length = BlobTable.length(of: Fragment(sql: "reference")).sql
    var size = try connection.integer("SELECT sum(\(length)) FROM depot_history_value") ?? 0
    let oldest = try connection.statement(
      """
      SELECT blobs, blob, at, \(length) FROM depot_history_value ORDER BY at \
      LIMIT \(Self.valuesTogether)
      """
    ).rows([]) { ($0.text(0), $0.integer(1), $0.integer(2), $0.integer(3)) }
    var isFirst = true
    for (table, number, at, length) in oldest {
      guard at <= floor || size > limit else { break }
      let writer = BlobWriter(connection: connection, table: BlobTable(quoted: table))
      if try writer.deleteSome(of: number) {
        // The rest of it is no value any more.
        try connection.statement(
          "UPDATE depot_history_value SET reference = '', at = 0 WHERE blobs = ?1 AND blob = ?2"
        ).run([.text(table), .integer(number)])
        return true
      }
      try forget(number, of: table)
      size -= length
      isFirst = false
    }
    return !isFirst
  }
}
