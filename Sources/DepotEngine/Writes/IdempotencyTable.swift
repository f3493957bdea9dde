internal import DepotProtocol
internal import DepotSQLite

/// The outcomes of writes with idempotency keys, kept in the transactions of their effects.
///
/// They are ordered by period and then by key. Keys that begin with the time are therefore
/// adjacent, on few pages, and a whole period can be deleted at once.
struct IdempotencyTable {
  /// The length of a period in seconds; an outcome is kept for one period at least and two at most.
  static let lifetime: Int64 = 600

  /// The SQL that creates the table.
  static let definition = """
    CREATE TABLE depot_outcome (period INTEGER NOT NULL, key TEXT NOT NULL, request_hash INTEGER NOT NULL,
      reply BLOB NOT NULL, PRIMARY KEY (period, key)) STRICT, WITHOUT ROWID;
    """

  let connection: Connection

  /// Returns the last period with outcomes; 0 if there are none or the table is damaged.
  ///
  /// Damage is reported by writes with keys.
  func lastPeriod() throws(SQLiteError) -> Int64 {
    do {
      return try connection.integer("SELECT max(period) FROM depot_outcome") ?? 0
    } catch {
      guard error.kind == .damaged else { throw error }
      return 0
    }
  }

  /// Returns the result of the write with `key`, or `nil` if there was none.
  ///
  /// The key must not belong to a different request.
  func result(of key: String, hash: Int64, in period: Int64) throws -> [UInt8]? {
    var found: (hash: Int64, reply: [UInt8])?
    try connection.statement(
      """
      SELECT request_hash, reply FROM depot_outcome WHERE period = ?1 AND key = ?2 UNION ALL \
      SELECT request_hash, reply FROM depot_outcome WHERE period = ?1 - 1 AND key = ?2
      """
    ).run([.integer(period), .text(key)]) { found = ($0.integer(0), $0.blob(1)) }
    guard let found else { return nil }
    guard found.hash == hash else {
      throw DepotError(.keyReused, "Another request had the same idempotency key.")
        .hint("Make a new key for each request; repeat one only with the same request.").at("/key")
    }
    return found.reply
  }

  func store(_ result: [UInt8], key: String, hash: Int64, in period: Int64) throws {
    try connection.statement(
      "INSERT INTO depot_outcome (period, key, request_hash, reply) VALUES (?1, ?2, ?3, ?4)"
    ).run([.integer(period), .text(key), .integer(hash), .blob(result)])
  }

  /// Deletes some expired outcomes, and returns whether there may be more.
  func prune(in period: Int64) throws -> Bool {
    let limit = 256
    try connection.statement(
      """
      DELETE FROM depot_outcome WHERE (period, key) IN \
      (SELECT period, key FROM depot_outcome WHERE period < ?1 - 1 ORDER BY period, key LIMIT ?2)
      """
    ).run([.integer(period), .integer(Int64(limit))])
    return connection.changeCount == limit
  }
}
