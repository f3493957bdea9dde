import Testing

/// Waits until something is true, looking again and again.
func until(
  _ limit: Duration = .seconds(60),
  isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () async throws -> Bool
) async throws {
  let end = ContinuousClock.now + limit
  while try await !condition() {
    guard ContinuousClock.now < end else {
      Issue.record("It didn't become true within \(limit).", sourceLocation: sourceLocation)
      return
    }
    try await Task.sleep(for: .milliseconds(1))
  }
}
