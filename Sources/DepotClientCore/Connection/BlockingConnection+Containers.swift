public import DepotProtocol

extension BlockingConnection {
  /// Does what ``Client/openContainer(_:)`` does.
  ///
  /// After the connection was lost, open the container again.
  @discardableResult
  public func openContainer(_ request: ContainerRequest) throws -> OpenedContainer {
    try OpenedContainer(send(.openContainer(request)))
  }

  /// Does what ``Client/closeContainer(_:)`` does.
  public func closeContainer(_ name: String) throws {
    _ = try send(.closeContainer(name))
  }
}
