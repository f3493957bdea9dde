public import DepotClient

extension Client {
  /// Waits until each loop over a watch of this client has processed all commits so far.
  ///
  /// A loop has processed them when it waits for its next event. Live results count as such loops.
  /// A watch begins when its first event is requested, and results with `ready()`: before that
  /// there is nothing to wait for.
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

/// The error that a watch didn't process the committed changes in time.
public struct SettleTimeout: Error, Hashable, CustomStringConvertible {
  /// The loop or watcher that didn't.
  let waiter: String
  let limit: Duration

  public var description: String {
    "For \(limit), \(waiter) hasn't received the commits: it hangs, or isn't asked for its next event."
  }
}

/// Waits until a condition holds.
///
/// - Throws: ``SettleTimeout`` if it doesn't hold in time, `CancellationError` if the task was
///   cancelled.
nonisolated(nonsending) func poll(
  within limit: Duration,
  _ waiter: String,
  until condition: () -> Bool
) async throws {
  let end = ContinuousClock.now + limit
  while !condition() {
    guard ContinuousClock.now < end else { throw SettleTimeout(waiter: waiter, limit: limit) }
    try await Task.sleep(for: .milliseconds(1))
  }
}
