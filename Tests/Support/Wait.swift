import DepotLinux
package import Testing

/// How long tests wait for what must come; only a test that fails waits as long, or `$DEPOT_PATIENCE` seconds.
package let patience: Duration = .seconds(
  Process.environment("DEPOT_PATIENCE").flatMap { Int($0) } ?? 120
)

/// How often something is looked for at least: where tests hold all threads, the time may pass between two looks.
private let fewestLooks = 20

/// Waits until there is a result, looking every few milliseconds.
///
/// - Returns: What `body` returned in the end; `nil` if the time passed.
package func poll<Result>(
  within limit: Duration = patience,
  _ body: () throws -> Result?
) rethrows -> Result? {
  let end = ContinuousClock.now + limit
  var rest = fewestLooks
  while true {
    rest -= 1
    if let result = try body() { return result }
    guard ContinuousClock.now < end || rest > 0 else { return nil }
    Process.sleep(milliseconds: 2)
  }
}

/// Waits as the blocking function does, and leaves the thread to other tasks in the meantime.
package nonisolated(nonsending) func poll<Result>(
  within limit: Duration = patience,
  _ body: () throws -> Result?
) async throws -> Result? {
  let end = ContinuousClock.now + limit
  var rest = fewestLooks
  while true {
    rest -= 1
    if let result = try body() { return result }
    guard ContinuousClock.now < end || rest > 0 else { return nil }
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// Waits for a result that others are asked for.
package nonisolated(nonsending) func poll<Result>(
  within limit: Duration = patience,
  _ body: nonisolated(nonsending) () async throws -> Result?
) async throws -> Result? {
  let end = ContinuousClock.now + limit
  var rest = fewestLooks
  while true {
    rest -= 1
    if let result = try await body() { return result }
    guard ContinuousClock.now < end || rest > 0 else { return nil }
    try await Task.sleep(for: .milliseconds(2))
  }
}

/// Records an issue unless `condition` comes to hold.
package func expectSoon(
  _ comment: Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () throws -> Bool
) throws {
  let isMet: Bool? = try poll { try condition() ? true : nil }
  #expect(isMet == true, comment, sourceLocation: sourceLocation)
}

/// Records an issue unless `condition` comes to hold; leaves the thread to other tasks.
package nonisolated(nonsending) func expectSoon(
  _ comment: Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () throws -> Bool
) async throws {
  let isMet: Bool? = try await poll { try condition() ? true : nil }
  #expect(isMet == true, comment, sourceLocation: sourceLocation)
}

/// Records an issue unless `condition`, which others are asked for, comes to hold.
package nonisolated(nonsending) func expectSoon(
  _ comment: Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: nonisolated(nonsending) () async throws -> Bool
) async throws {
  let isMet: Bool? = try await poll { try await condition() ? true : nil }
  #expect(isMet == true, comment, sourceLocation: sourceLocation)
}
