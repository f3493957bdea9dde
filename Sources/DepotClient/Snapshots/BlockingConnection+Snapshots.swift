internal import DepotProtocol

extension BlockingConnection {
  /// Reads one moment with many requests.
  ///
  /// - Parameters:
  ///   - maxAge: How long the moment is kept; at most, and if `nil`, as long as the service allows,
  ///     which is a minute unless it was started otherwise.
  ///   - body: What to do with a connection that reads the moment, in which nothing can be written.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; its reads throw ``DepotError`` `stream.expired` when the time is
  ///   over, `limit.pins` if too many moments are kept.
  public func withSnapshot<Result>(
    maxAge: Duration? = nil,
    _ body: (BlockingConnection) throws -> Result
  ) throws -> Result {
    let operation = Operation.pin(maxAgeMilliseconds: maxAge.map { max(1, $0.milliseconds) })
    let snapshot = try Snapshot(call(operation))
    defer { _ = try? call(.unpin(snapshot.pin)) }
    return try body(BlockingConnection(over: self, reading: snapshot))
  }
}
