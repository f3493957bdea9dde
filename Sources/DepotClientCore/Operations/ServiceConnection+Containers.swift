public import DepotProtocol

extension Client {
  /// Opens a container, or joins its users.
  ///
  /// The calls of this connection are about it only if it was named when the connection was made,
  /// which may come before this. A service that was started anew has no containers open; when the
  /// connection was lost, the client opens again the containers whose stores are all in files. A
  /// container with a store in memory would be empty, so its calls fail with `notfound.container`.
  ///
  /// - Returns: The container as it is now.
  /// - Throws: ``DepotError`` `conflict.container` if it is open with other stores,
  ///   `schema.invalid` if the entities can't be divided like that, `unavailable.readonly` if a
  ///   file can't be written, `unavailable.busy` if a file is open elsewhere, `notfound.file`, and
  ///   errors of `define(_:isDryRun:)`.
  @discardableResult
  public func openContainer(_ request: ContainerRequest) async throws -> OpenedContainer {
    let node = try await send(.openContainer(request))
    if !request.stores.contains(where: { $0.location == .memory }) {
      core.update { state in
        state.containers[request.name] = request
        // Others may have added to the schema by then.
        state.containers[request.name]?.schema = nil
      }
    }
    return try OpenedContainer(node)
  }

  /// Closes a container for all its users; the contents of its stores in memory are lost.
  ///
  /// - Throws: ``DepotError`` `notfound.container` if it isn't open.
  public func closeContainer(_ name: String) async throws {
    do {
      _ = try await send(.closeContainer(name))
    } catch {
      // Otherwise it may be open still, and is opened again when the connection is lost.
      if (error as? DepotError)?.code == .containerNotFound { forget(name) }
      throw error
    }
    forget(name)
  }

  private func forget(_ container: String) {
    core.update { state in state.containers[container] = nil }
  }
}

extension BlockingConnection {
  /// Opens a container like ``Client/openContainer(_:)``.
  ///
  /// After the connection was lost, open the container again.
  @discardableResult
  public func openContainer(_ request: ContainerRequest) throws -> OpenedContainer {
    try OpenedContainer(send(.openContainer(request)))
  }

  /// Closes a container like ``Client/closeContainer(_:)``.
  public func closeContainer(_ name: String) throws {
    _ = try send(.closeContainer(name))
  }
}
