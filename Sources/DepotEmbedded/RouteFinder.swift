internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// The search for the service of a file, which ends with this process becoming it if there is none.
struct RouteFinder: Sendable {
  /// Why this process can't become the service.
  struct Obstacle: Error {
    var error: DepotError
    /// How long the obstacle may take to go away, in nanoseconds.
    var patience: UInt64
  }

  let file: StoreFile
  let isReadOnly: Bool

  /// Returns the route to the service of the file.
  ///
  /// If several processes look at the same time, the lock of the socket lets one become the
  /// service, and the others wait until it answers.
  ///
  /// - Throws: ``DepotError`` `notfound.file` if there is no file and none may be made,
  ///   `unavailable.busy` if a process has the file but doesn't answer, and others of class
  ///   `storage`, `permission`, and `unavailable`.
  func find() throws(DepotError) -> Route {
    if file.isDatabase { return try findForDatabase() }
    let begun = Monotonic.now()
    var start = StartPolicy.ifMissing
    var missing: DepotError?
    while true {
      if let service = EmbeddedService.existing(file: file.path) {
        return .embedded(service, file.socket)
      }
      if isReadOnly, !file.exists {
        throw DepotError(.fileNotFound, "There is no store at \(file.path).")
          .hint("A store that is opened for reading only isn't made.")
      }
      if !Process.isSet("DEPOT_EMBEDDED"), let route = try routeThroughService(start, &missing) {
        return route
      }
      start = .never
      let guest = Route.guest(file.socket)
      if try guest.connect() != nil { return guest }
      do throws(Obstacle) {
        return try becomeOwner()
      } catch {
        guard Monotonic.now() - begun < error.patience else {
          let isAlone = error.error.code == .noService
          throw error.error.hint(isAlone ? missing.map { "\($0.message) \($0.hint ?? "")" } : nil)
        }
      }
      Process.sleep(milliseconds: .random(in: 2...12))
    }
  }

  // MARK: - The service on the default socket

  /// Returns the service on the default socket, which alone can have a database.
  private func findForDatabase() throws(DepotError) -> Route {
    let isEmbedded = Process.isSet("DEPOT_EMBEDDED")
    var missing: DepotError?
    if !isEmbedded, let route = try routeThroughService(.ifMissing, &missing) { return route }
    let reason = isEmbedded ? "DEPOT_EMBEDDED is set" : missing?.message ?? "it doesn't open it"
    throw DepotError(.noService, "A store in a database needs a service: \(reason).")
      .hint(missing?.hint ?? "Start one: depotd --store ADDRESS, or depot service start.")
  }

  /// Opens the file in the service on the default socket.
  ///
  /// - Parameters:
  ///   - start: The action to take if there is none.
  ///   - missing: Gets the first reason why there is none.
  /// - Returns: `nil` if there is none, or it can't have the file.
  /// - Throws: ``DepotError`` of class `storage` or `request` if no other service could open it
  ///   either.
  private func routeThroughService(
    _ start: StartPolicy,
    _ missing: inout DepotError?
  ) throws(DepotError) -> Route? {
    let socket = SocketPath.default
    let connection: BlockingConnection
    do throws(DepotError) {
      connection = try BlockingConnection(socket: socket, start: start, container: file.container)
    } catch {
      // A service that can't have its own store says nothing about the file.
      guard error.code.class == "request" else {
        missing = missing ?? error
        return nil
      }
      throw error
    }
    do {
      let route = Route.service(socket, container: file.container)
      if connection.foundContainer {
        if file.exists { return route }
        // The file was removed, so nobody else needs the service's container.
        try connection.closeContainer(file.container)
      }
      do {
        try connection.openContainer(file.request)
        return route
      } catch let error as DepotError where error.code == .busy {
        return try containerWithFile(connection).map { .service(socket, container: $0) }
      }
    } catch let error as DepotError {
      guard file.isDatabase || ["storage", "request"].contains(error.code.class) else { return nil }
      throw error
    } catch {
      throw DepotError(.bug, "\(error)")
    }
  }

  /// Returns the container that has nothing but the file.
  private func containerWithFile(_ connection: BlockingConnection) throws -> String? {
    try connection.containers().first { container in
      guard container.stores.count == 1, let store = container.stores.first else { return false }
      return store.path == file.path && (isReadOnly || !store.isReadOnly)
    }?.name
  }
}
