internal import CDepotSQLite

/// The result codes for file errors (sqlite.org/rescode.html#extrc).
///
/// SQLite's header defines them as expressions, which Swift can't import.
enum IOFailure {
  static let read = SQLITE_IOERR | 1 << 8
  static let shortRead = SQLITE_IOERR | 2 << 8
  static let write = SQLITE_IOERR | 3 << 8
  static let flush = SQLITE_IOERR | 4 << 8
  static let flushOfFolder = SQLITE_IOERR | 5 << 8
  static let truncate = SQLITE_IOERR | 6 << 8
  static let size = SQLITE_IOERR | 7 << 8
  static let unlock = SQLITE_IOERR | 8 << 8
  static let lock = SQLITE_IOERR | 15 << 8
  static let lockOfIndex = SQLITE_IOERR | 20 << 8
  /// A page doesn't match its checksum.
  static let data = SQLITE_IOERR | 32 << 8
  /// There is no room for a database or log, in contrast to a temporary file; a code of ours.
  static let noRoom = SQLITE_FULL | 65 << 8
  /// The primary copy of the database refuses a commit; a code of ours.
  static let refusal = SQLITE_FULL | 64 << 8
}
