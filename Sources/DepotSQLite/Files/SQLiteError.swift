internal import CDepotSQLite

/// A failed call of SQLite.
///
/// It names the statement, never the bound values.
public struct SQLiteError: Error {
  /// The extended result code.
  package var code: Int32
  package var message: String
  package var sql: String?
  /// The value of errno that caused an I/O error, or 0.
  package var systemErrno: Int32 = 0
  /// The damaged page, if that is the cause.
  package var damage: DamagedPage?

  /// Reads the last error of `database`.
  package init(database: OpaquePointer?, sql: String? = nil) {
    code = sqlite3_extended_errcode(database)
    message = String(cString: sqlite3_errmsg(database))
    systemErrno = sqlite3_system_errno(database)
    self.sql = sql
    if code == DamagedPage.result { damage = .found(by: database) }
  }

  package init(code: Int32, message: String, sql: String? = nil) {
    self.code = code
    self.message = message
    self.sql = sql
  }

  /// Makes the error of a commit that the primary copy refuses, with nothing changed.
  package static func refused(_ message: String) -> SQLiteError {
    SQLiteError(code: IOFailure.refusal, message: message)
  }

  /// Makes the error of a database whose files can't be trusted any more.
  package static func broken(_ message: String) -> SQLiteError {
    SQLiteError(code: SQLITE_PROTOCOL, message: message)
  }

  /// The primary result code.
  package var primaryCode: Int32 { code & 0xFF }
}

extension SQLiteError: CustomStringConvertible {
  public var description: String {
    let errno = systemErrno == 0 ? "" : ", errno \(systemErrno)"
    return "SQLite error \(code)\(errno): \(message)\(sql.map { " in \($0)" } ?? "")"
  }
}
