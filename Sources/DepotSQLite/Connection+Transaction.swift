internal import CDepotSQLite
internal import Glibc

extension Connection {
  /// Begins a transaction that writes.
  ///
  /// - Throws: ``SQLiteError`` if another connection writes, or if a page of the log is damaged:
  ///   the next start would not find anything written after that page.
  package func begin() throws(SQLiteError) {
    if let page = DamagedPage.files(of: handle).first?.1.database.damageOfLog {
      var error = SQLiteError(code: DamagedPage.result, message: "The log is damaged.")
      error.damage = DamagedPage(number: page, isInLog: true)
      throw error
    }
    try statement("BEGIN IMMEDIATE").runBound()
  }

  /// Runs `body` in a transaction that is committed when it returns and rolled back when it throws.
  package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try begin()
    do {
      let result = try body()
      try statement("COMMIT").runBound()
      return result
    } catch {
      if isInTransaction { try statement("ROLLBACK").runBound() }
      throw error
    }
  }
}

extension Connection {
  /// Commits the open transaction.
  ///
  /// If a commit fails, SQLite reports the errno of an earlier failure, so the errno is kept here.
  package func commit() throws(SQLiteError) {
    errno = 0
    do {
      try statement("COMMIT").runBound()
    } catch {
      let code = errno
      var failure = error
      failure.systemErrno = code
      throw failure
    }
  }
}
