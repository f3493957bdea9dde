internal import DepotProtocol

extension BlockingConnection {
  /// Does what ``Client/withSnapshot(maxAge:_:)`` does, with a connection instead of a client.
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
