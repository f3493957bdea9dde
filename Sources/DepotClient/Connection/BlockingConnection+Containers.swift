public import DepotProtocol

extension BlockingConnection {
  /// Opens a container, or joins those who use it.
  ///
  /// The calls of this connection are about it only if it was named when the connection was made,
  /// which may come before this. A service that was started anew has no containers open; open them
  /// again then.
  ///
  /// - Returns: What is open now.
  /// - Throws: ``DepotError`` `conflict.container` if it is open with other stores, `schema.invalid`
  ///   if the entities can't be divided like that, `unavailable.readonly` if a file can't be written,
  ///   `unavailable.busy` if one is open elsewhere, `notfound.file`, and what ``define(_:isDryRun:)``
  ///   throws.
  @discardableResult
  public func openContainer(_ request: ContainerRequest) throws -> OpenedContainer {
    try OpenedContainer(call(.openContainer(request)))
  }

  /// Closes a container for all who use it; what its stores in memory hold is gone.
  ///
  /// - Throws: ``DepotError`` `notfound.container` if it isn't open.
  public func closeContainer(_ name: String) throws {
    _ = try call(.closeContainer(name))
  }

  /// Returns the containers that are open, the service's own first.
  public func containers() throws -> [OpenContainer] {
    try OpenContainer.list(call(.listContainers))
  }
}
