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
