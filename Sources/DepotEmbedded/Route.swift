package import DepotClientCore
internal import DepotProtocol

/// How a store is reached.
package enum Route: Sendable {
  /// In a container of the service on the default socket.
  case service(SocketPath, container: String)
  /// In the service of another program.
  case guest(SocketPath)
  /// In the service inside this process, which others reach at the socket, if there is one.
  case embedded(EmbeddedService, SocketPath?)

  /// Whether it leads to the very same service.
  package func isSame(as other: Route) -> Bool {
    switch (self, other) {
    case (.service(let socket, _), .service(let another, _)): socket == another
    case (.guest(let socket), .guest(let another)): socket == another
    case (.embedded(let service, _), .embedded(let another, _)): service === another
    default: false
    }
  }

  /// Connects.
  ///
  /// - Returns: `nil` if the service has ended or doesn't have the store any more.
  /// - Throws: ``DepotError`` if it refuses.
  func connect() throws(DepotError) -> BlockingConnection? {
    do throws(DepotError) {
      switch self {
      case .service(let socket, let container):
        let connection = try BlockingConnection(socket: socket, container: container)
        return connection.foundContainer ? connection : nil
      case .guest(let socket): return try BlockingConnection(socket: socket)
      case .embedded(let service, _): return try BlockingConnection(service.makeConnection())
      }
    } catch {
      if [.noService, .disconnected, .draining].contains(error.code) { return nil }
      throw error
    }
  }
}
