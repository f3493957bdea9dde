internal import DepotProtocol

extension Client {
  /// Reads one moment with many requests.
  ///
  /// ```swift
  /// let (count, names) = try await depot.withSnapshot { snapshot in
  ///   (try await snapshot.count(Package.self), try await snapshot.fetch(Package.self).map(\.name))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - maxAge: How long the moment is kept; at most, and if `nil`, as long as the service allows,
  ///     which is a minute unless it was started otherwise.
  ///   - body: What to do with a client that reads the moment, in which nothing can be written.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; its reads throw ``DepotError`` `stream.expired` when the time is
  ///   over or the connection was lost, `limit.pins` if too many moments are kept.
  public func withSnapshot<Result>(
    maxAge: Duration? = nil,
    _ body: (Client) async throws -> Result
  ) async throws -> Result {
    let operation = Operation.pin(maxAgeMilliseconds: maxAge.map { max(1, $0.milliseconds) })
    let snapshot = try Snapshot(await send(operation))
    // Also when the task was cancelled, which would cancel a call of its own.
    defer { core.post(.unpin(snapshot.pin)) }
    return try await body(Client(of: self, reading: snapshot))
  }
}
