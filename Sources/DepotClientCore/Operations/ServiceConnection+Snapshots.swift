internal import DepotProtocol

extension Client {
  /// Makes many requests of one snapshot of the store.
  ///
  /// ```swift
  /// let (count, names) = try await depot.withSnapshot { snapshot in
  ///   (try await snapshot.count(Package.self), try await snapshot.fetch(Package.self).map(\.name))
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - maxAge: How long the snapshot is kept while nothing reads it; at most, and if `nil`, as
  ///     long as the service allows, which is a minute unless it was started otherwise.
  ///   - body: Takes a client that reads the snapshot and can't write.
  /// - Returns: The result of `body`.
  /// - Throws: Errors of `body`; its reads throw ``DepotError`` `stream.expired` when the time is
  ///   over, so much was written that the store's log can't keep the snapshot, or the connection
  ///   was lost, `limit.pins` if too many snapshots are kept.
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

extension BlockingConnection {
  /// Reads a snapshot like ``Client/withSnapshot(maxAge:_:)``, over a connection.
  public func withSnapshot<Result>(
    maxAge: Duration? = nil,
    _ body: (BlockingConnection) throws -> Result
  ) throws -> Result {
    let operation = Operation.pin(maxAgeMilliseconds: maxAge.map { max(1, $0.milliseconds) })
    let snapshot = try Snapshot(send(operation))
    defer { _ = try? send(.unpin(snapshot.pin)) }
    return try body(BlockingConnection(over: self, reading: snapshot))
  }
}
