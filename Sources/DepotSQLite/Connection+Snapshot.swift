internal import CDepotSQLite

extension Connection {
  /// The most attempts to begin a snapshot that no commit interrupts before its first read.
  private static let attempts = 10_000

  /// Begins a read transaction that ``SnapshotPages`` can be made from.
  ///
  /// - Throws: ``SQLiteError``; its kind is `busy` if every attempt was interrupted by a commit.
  package func beginReading() throws(SQLiteError) {
    guard let database else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "The connection has no file.")
    }
    for _ in 0..<Self.attempts {
      let before = database.index.mark
      try execute("BEGIN")
      do {
        // SQLite starts the transaction only with its first read.
        _ = try integer("SELECT count(*) FROM sqlite_schema")
      } catch {
        sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
        throw error
      }
      guard database.index.mark != before else {
        mark = before
        return
      }
      try execute("ROLLBACK")
    }
    throw SQLiteError(code: SQLITE_BUSY, message: "Commits come too fast to take a snapshot.")
  }
}
