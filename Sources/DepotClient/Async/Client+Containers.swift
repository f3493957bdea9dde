public import DepotProtocol

extension Client {
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
  public func openContainer(_ request: ContainerRequest) async throws -> OpenedContainer {
    try OpenedContainer(await core.call(.openContainer(request), deadline: nil, key: nil))
  }

  /// Closes a container for all who use it; what its stores in memory hold is gone.
  ///
  /// - Throws: ``DepotError`` `notfound.container` if it isn't open.
  public func closeContainer(_ name: String) async throws {
    _ = try await core.call(.closeContainer(name), deadline: nil, key: nil)
  }

  /// Returns the containers that are open, the service's own first.
  public func containers() async throws -> [OpenContainer] {
    try OpenContainer.list(await core.call(.listContainers, deadline: nil, key: nil))
  }
}
