internal import CDepotSQLite

/// The place in a write-ahead log up to which a transaction sees.
struct SnapshotMark: Equatable {
  /// The random number (salt) of the log; another one was begun anew.
  var log: UInt64
  /// How many frames are committed.
  var frameCount: Int
}

extension Connection {
  /// How often a snapshot is begun anew because of commits between its beginning and its first read.
  private static let attempts = 10_000

  /// Begins a read transaction that ``SnapshotPages`` can be made from.
  ///
  /// - Throws: ``SQLiteError``; its kind is `busy` if commits come so fast that none fits between two.
  package func beginReading() throws(SQLiteError) {
    guard let database = DamagedPage.files(of: handle).first?.1.database else {
      throw SQLiteError(code: SQLITE_MISUSE, message: "The connection has no file.")
    }
    for _ in 0..<Self.attempts {
      let before = database.index.mark
      try execute("BEGIN")
      do {
        // Only a read begins the transaction.
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
