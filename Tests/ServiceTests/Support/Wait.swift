import DepotLinux
import Testing

/// Waits until something holds, looking every few milliseconds.
///
/// - Returns: What `body` returned in the end; `nil` if the time passed.
func poll<Result>(
  within limit: Duration = .seconds(10),
  _ body: () throws -> Result?
) rethrows -> Result? {
  let clock = ContinuousClock()
  let end = clock.now + limit
  while true {
    if let result = try body() { return result }
    guard clock.now < end else { return nil }
    Process.sleep(milliseconds: 2)
  }
}

/// Waits as ``poll(within:_:)`` does, and leaves the thread to other tasks in the meantime.
nonisolated(nonsending) func poll<Result>(
  within limit: Duration = .seconds(10),
  _ body: () throws -> Result?
) async throws -> Result? {
  let end = ContinuousClock.now + limit
  while true {
    if let result = try body() { return result }
    guard ContinuousClock.now < end else { return nil }
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// Records an issue unless `condition` holds within the time, which it leaves to other tasks.
nonisolated(nonsending) func expectSoon(
  within limit: Duration = .seconds(10),
  _ comment: Comment,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () throws -> Bool
) async throws {
  let isMet: Bool? = try await poll(within: limit) { try condition() ? true : nil }
  #expect(isMet == true, comment, sourceLocation: sourceLocation)
}

/// Records an issue unless `condition` holds within the time.
func expectSoon(
  within limit: Duration = .seconds(10),
  _ comment: Comment,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () throws -> Bool
) throws {
  let isMet: Bool? = try poll(within: limit) { try condition() ? true : nil }
  #expect(isMet == true, comment, sourceLocation: sourceLocation)
}
