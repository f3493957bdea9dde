internal import CDepotSQLite
internal import Glibc

extension Connection {
  /// The extent of a checkpoint.
  package enum CheckpointMode: Sendable {
    /// Copy as many frames as possible without waiting for readers or writers.
    case passive
    /// Copy everything, wait for readers, and empty the log's file.
    case truncate
  }

  /// Copies pages from the write-ahead log into the database.
  ///
  /// The corresponding C function is `sqlite3_wal_checkpoint_v2`.
  ///
  /// - Returns: Whether all of the log was copied.
  /// - Throws: ``SQLiteError`` if it fails, or with SQLITE_BUSY if readers prevent emptying the
  ///   log.
  package func checkpoint(_ mode: CheckpointMode) throws(SQLiteError) -> Bool {
    var logged: Int32 = 0
    var copied: Int32 = 0
    let mode = mode == .passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_TRUNCATE
    let code = sqlite3_wal_checkpoint_v2(handle, nil, mode, &logged, &copied)
    guard code == SQLITE_OK else { throw SQLiteError(database: handle) }
    return logged == copied
  }

  /// Marks the file's header as complete without a log; the log must be empty.
  ///
  /// - Throws: ``SQLiteError`` if the header can't be written.
  package func finish() throws(SQLiteError) {
    let main = DamagedPage.files(of: handle).first { $0.0 == .main }?.1 as? MainFile
    let code = main?.finish() ?? SQLITE_OK
    let cause = errno
    guard code != SQLITE_OK else { return }
    var error = SQLiteError(code: code, message: "The file can't be closed in good order.")
    error.systemErrno = cause
    throw error
  }

  /// Returns the integer in the first column of the first row; `nil` if there is no row, or it is null.
  package func integer(
    _ sql: String,
    _ values: [SQLiteValue] = []
  ) throws(SQLiteError) -> Int64? {
    let statement = try statement(sql)
    defer { statement.reset() }
    try statement.bind(values)
    guard try statement.step(), !statement.row.isNull(0) else { return nil }
    return statement.row.integer(0)
  }

  /// Returns the texts in the first column of all rows.
  package func texts(_ sql: String) throws(SQLiteError) -> [String] {
    let statement = try Statement(preparing: sql, on: handle)
    var result: [String] = []
    while try statement.step() { result.append(statement.row.text(0)) }
    return result
  }
}
