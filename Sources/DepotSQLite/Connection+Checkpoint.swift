internal import CDepotSQLite

extension Connection {
  /// How far a checkpoint goes.
  package enum CheckpointMode: Sendable {
    /// Copy what can be copied without waiting for anybody.
    case passive
    /// Copy everything, wait for readers, and empty the log's file.
    case truncate
  }

  /// Copies pages from the write-ahead log into the database.
  ///
  /// The corresponding C function is `sqlite3_wal_checkpoint_v2`.
  ///
  /// - Returns: Whether all of the log was copied.
  /// - Throws: ``SQLiteError`` if it fails, or with SQLITE_BUSY if readers are in the way of
  ///   emptying the log.
  package func checkpoint(_ mode: CheckpointMode) throws(SQLiteError) -> Bool {
    var logged: Int32 = 0
    var copied: Int32 = 0
    let mode = mode == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
    let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &logged, &copied)
    guard code == SQLITE_OK else { throw SQLiteError(database: handle) }
    return logged == copied
  }

  /// Returns the integer in the first column of the first row, as of a pragma or a count.
  package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
    let statement = try Statement(preparing: sql, on: handle)
    return try statement.step() ? statement.row.integer(0) : nil
  }

  /// Returns the texts in the first column of all rows.
  package func texts(_ sql: String) throws(SQLiteError) -> [String] {
    let statement = try Statement(preparing: sql, on: handle)
    var result: [String] = []
    while try statement.step() { result.append(statement.row.text(0)) }
    return result
  }
}
