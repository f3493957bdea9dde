internal import DepotClient
internal import DepotLinux
internal import DepotProtocol
internal import DepotServer

/// The search for the service of a file, which ends with this process becoming it if there is none.
struct RouteFinder: Sendable {
  /// Why this process can't become the service.
  private struct Obstacle: Error {
    var error: DepotError
    /// How long the obstacle may take to go away, in nanoseconds.
    var patience: UInt64
  }

  let file: StoreFile
  let isReadOnly: Bool

  /// Returns who serves the file.
  ///
  /// Of several processes that look at the same time, the lock of the socket lets one become the
  /// service, and the others wait until it answers.
  ///
  /// - Throws: ``DepotError`` `notfound.file` if there is no file and none may be made,
  ///   `unavailable.busy` if a process has it that answers nobody, and others of class `storage`,
  ///   `permission`, and `unavailable`.
  func find() throws(DepotError) -> Route {
    let begun = Monotonic.now()
    var start = StartPolicy.ifMissing
    while true {
      if let service = EmbeddedServices.shared.existing(.file(path: file.path)) {
        return .embedded(service, file.socket)
      }
      if isReadOnly, !file.exists {
        throw DepotError(.fileNotFound, "There is no store at \(file.path).")
          .hint("A store that is opened for reading only isn't made.")
      }
      if !Process.isSet("DEPOT_EMBEDDED"), let route = try routeThroughService(start) {
        return route
      }
      start = .never
      let guest = Route.guest(file.socket)
      if try guest.connect(ClientIdentity()) != nil { return guest }
      do throws(Obstacle) {
        return try becomeOwner()
      } catch {
        guard Monotonic.now() - begun < error.patience else { throw error.error }
      }
      Process.sleep(milliseconds: .random(in: 2...12))
    }
  }

  // MARK: - The service on the default socket

  /// Opens the file in the service on the default socket.
  ///
  /// - Returns: `nil` if there is none, or it can't have the file.
  /// - Throws: ``DepotError`` of class `storage` or `request` if nobody else could have it either.
  private func routeThroughService(_ start: StartPolicy) throws(DepotError) -> Route? {
    let socket = SocketPath.default
    do {
      let connection = try BlockingConnection(
        socket: socket,
        start: start,
        container: file.container
      )
      let route = Route.service(socket, container: file.container)
      if connection.foundContainer {
        if file.exists { return route }
        // Somebody removed the file, so what the service has is in nobody's way.
        try connection.closeContainer(file.container)
      }
      do {
        try connection.openContainer(file.request)
        return route
      } catch let error as DepotError where error.code == .busy {
        return try containerWithFile(connection).map { .service(socket, container: $0) }
      }
    } catch let error as DepotError {
      guard ["storage", "request"].contains(error.code.class) else { return nil }
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

  // MARK: - The service inside this process

  /// Makes this process the service of the file, unless it is already.
  private func becomeOwner() throws(Obstacle) -> Route {
    do throws(Obstacle) {
      let key = EmbeddedServices.Key.file(path: file.path)
      let service = try EmbeddedServices.shared.service(key) { () throws(Obstacle) in
        let claim = try claim()
        do throws(DepotError) {
          let store = Server.ProgramStore.file(path: file.path, claim)
          return try EmbeddedService(key, store, socket: file.socket.path)
        } catch {
          throw Obstacle(error: error, patience: error.code == .busy ? 3_000_000_000 : 0)
        }
      }
      return .embedded(service, file.socket)
    } catch {
      guard isReadOnly, error.error.code == .readOnly else { throw error }
      return try openFrozen()
    }
  }

  /// Takes the right to listen for the file.
  private func claim() throws(Obstacle) -> ListeningSocket.Claim {
    let path = file.socket.path
    do throws(DepotError) {
      try file.prepareSocketFolder()
    } catch {
      throw Obstacle(error: error, patience: 0)
    }
    do throws(ListeningSocket.Failure) {
      return try ListeningSocket.Claim(path: path)
    } catch {
      switch error {
      case .inUse(let process):
        let error = DepotError(.busy, "Process \(process) is about to serve \(file.path).")
          .hint("It should answer at \(path); end it if it hangs.")
        throw Obstacle(error: error, patience: 30_000_000_000)
      case .foreignFile, .pathTooLong:
        let error = DepotError(.usage, "There is a file at \(path) that isn't a socket of yours.")
          .hint("Move it away; the program that has the store listens there.")
        throw Obstacle(error: error, patience: 0)
      case .system(let error):
        let code = error.isReadOnly ? DepotError.Code.readOnly : .io
        throw Obstacle(error: DepotError(code, "\(path) can't be made (\(error))."), patience: 0)
      }
    }
  }

  /// Opens a file that can't be written to, for this process only.
  private func openFrozen() throws(Obstacle) -> Route {
    let key = EmbeddedServices.Key.frozen(path: file.path)
    do throws(DepotError) {
      let service = try EmbeddedServices.shared.service(key) { () throws(DepotError) in
        try EmbeddedService(key, .frozen(path: file.path))
      }
      return .embedded(service, nil)
    } catch {
      throw Obstacle(error: error, patience: 0)
    }
  }
}
