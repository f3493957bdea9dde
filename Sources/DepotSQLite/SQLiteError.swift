internal import CDepotSQLite

/// A call of SQLite that failed.
///
/// It names the statement, never the bound values.
package struct SQLiteError: Error {
  /// The extended result code.
  package var code: Int32
  package var message: String
  package var sql: String?
  /// The value of errno behind an I/O error, or 0.
  package var systemErrno: Int32 = 0
  /// The page that was found damaged, if that is why.
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

  /// The home of a database doesn't take a commit, and nothing is changed.
  package static func refused(_ message: String) -> SQLiteError {
    SQLiteError(code: IOFailure.refusal, message: message)
  }

  /// The database can't be relied on any more.
  package static func broken(_ message: String) -> SQLiteError {
    SQLiteError(code: SQLITE_PROTOCOL, message: message)
  }

  /// The primary result code.
  package var primaryCode: Int32 { code & 0xFF }
}

extension SQLiteError: CustomStringConvertible {
  package var description: String {
    let errno = systemErrno == 0 ? "" : ", errno \(systemErrno)"
    return "SQLite error \(code)\(errno): \(message)\(sql.map { " in \($0)" } ?? "")"
  }
}
