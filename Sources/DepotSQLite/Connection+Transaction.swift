internal import CDepotSQLite
internal import Glibc

extension Connection {
  /// Begins a transaction that writes.
  ///
  /// - Throws: ``SQLiteError`` if another connection writes, or if a page of the log is damaged:
  ///   the next start would not find anything written after that page.
  package func begin() throws(SQLiteError) {
    if let page = database?.damageOfLog {
      var error = SQLiteError(code: DamagedPage.result, message: "The log is damaged.")
      error.damage = DamagedPage(number: page, isInLog: true)
      throw error
    }
    try kept(&beginning, "BEGIN IMMEDIATE").runBound()
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
  /// Returns a statement of every transaction, which is compiled at its first use.
  private func kept(
    _ statement: inout Statement?,
    _ sql: String
  ) throws(SQLiteError) -> Statement {
    if let statement { return statement }
    let new = try Statement(preparing: sql, on: handle)
    statement = new
    return new
  }

  /// Commits the open transaction.
  ///
  /// If a commit fails, SQLite reports the errno of an earlier failure, so the errno is kept here.
  package func commit() throws(SQLiteError) {
    errno = 0
    do {
      try kept(&committing, "COMMIT").runBound()
    } catch {
      let code = errno
      var failure = error
      failure.systemErrno = code
      throw failure
    }
  }
}
