internal import Glibc

extension Connection {
  /// Runs `body` in a transaction that is committed when it returns and undone when it throws.
  package func transaction<Result>(_ body: () throws -> Result) throws -> Result {
    try statement("BEGIN IMMEDIATE").runBound()
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
  /// SQLite doesn't note the errno of a commit, and gives that of an earlier failure instead.
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
