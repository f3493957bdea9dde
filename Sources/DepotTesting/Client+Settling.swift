public import DepotClient

extension Client {
  /// Waits until every loop over a watch of this client has taken in what is committed by now, and waits for
  /// more.
  ///
  /// Live results count as such loops. A watch begins when its first event is asked for, and results with
  /// `ready()`: before that there is nothing to wait for.
  ///
  /// ```swift
  /// let books = depot.live(Book.self)
  /// try await books.ready()
  /// try await other.insert([Book(title: "Dune")])
  /// try await depot.settle()
  /// #expect(books.rows.count == 1)
  /// ```
  ///
  /// - Parameter limit: How long to wait; it is reached only if a loop hangs or isn't asked for its next event.
  /// - Throws: ``SettleTimeout`` if it was reached, `DepotError` if the service doesn't answer.
  public func settle(within limit: Duration = .seconds(30)) async throws {
    try await barrier()
    try await poll(within: limit, "a loop over a watch") { hasDrainedWatches }
  }
}

/// The error that somebody didn't take in what was committed.
public struct SettleTimeout: Error, Hashable, CustomStringConvertible {
  /// Whoever didn't.
  let culprit: String
  let limit: Duration

  public var description: String {
    "For \(limit), \(culprit) hasn't taken in what is committed: it hangs, or isn't asked for its next event."
  }
}

/// Waits until a condition holds.
///
/// - Throws: ``SettleTimeout`` if it doesn't come to hold, `CancellationError` if the task was cancelled.
nonisolated(nonsending) func poll(
  within limit: Duration,
  _ culprit: String,
  until condition: () -> Bool
) async throws {
  let end = ContinuousClock.now + limit
  while !condition() {
    guard ContinuousClock.now < end else { throw SettleTimeout(culprit: culprit, limit: limit) }
    try await Task.sleep(for: .milliseconds(1))
  }
}
