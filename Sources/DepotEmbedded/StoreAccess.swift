package import DepotClientCore
internal import DepotLinux
package import DepotProtocol
internal import Synchronization

/// How a program reaches one store, wherever it is served.
///
/// A file is served by the first of these that can: the service inside this process if it has the
/// file already; the service on the default socket, which ``StartPolicy/ifMissing`` starts; the program
/// that owns the file, on a socket beside it; and otherwise this process, which becomes the owner for
/// as long as an access to it lives. With `DEPOT_EMBEDDED=1` in the environment, the service on the
/// default socket is left out. A store in memory is always inside this process. Without the package trait
/// `Embedded` no service is ever inside this process.
package final class StoreAccess: Sendable {
  /// Which store is reached.
  package enum Location: Hashable, Sendable {
    case file(path: String)
    /// A database, which only the service on the default socket reaches.
    case database(address: String)
    /// A store of this process that lives as long as an access to it.
    case memory(name: String)
  }

  /// Whether changes are refused.
  package let isReadOnly: Bool
  private let lastRoute: Mutex<Route>
  private let finder: RouteFinder?

  /// Finds or starts the service of a store, or becomes it.
  ///
  /// - Parameters:
  ///   - location: Which store; a file that is missing is made.
  ///   - isReadOnly: Whether changes are refused; a file that is missing isn't made then.
  /// - Throws: ``DepotError`` `notfound.file` if there is no file or no folder for it,
  ///   `unavailable.busy` if a process has the file but doesn't answer, and others of class
  ///   `storage`, `permission`, and `unavailable`.
  package init(_ location: Location, isReadOnly: Bool = false) throws(DepotError) {
    self.isReadOnly = isReadOnly
    switch location {
    case .file(let path):
      // A store that is only read is its owner's to trust, as for services.
      if !isReadOnly { try DepotError.refuseDistrust(folderOf: path) }
      let finder = RouteFinder(file: try StoreFile(path), isReadOnly: isReadOnly)
      self.finder = finder
      lastRoute = Mutex(try finder.find())
    case .database(let address):
      let finder = RouteFinder(file: try StoreFile(database: address), isReadOnly: isReadOnly)
      self.finder = finder
      lastRoute = Mutex(try finder.find())
    case .memory(let name):
      finder = nil
      lastRoute = Mutex(.embedded(try EmbeddedService.inMemory(named: name), nil))
    }
  }

  /// Becomes the service of a file, regardless of other services.
  ///
  /// - Parameter path: The file, which is made if it is missing.
  /// - Throws: ``DepotError`` `unavailable.busy` if another process has the file, `unavailable.service` if
  ///   this program was built without the engine, and others of class `storage` and `permission`.
  package init(owning path: String) throws(DepotError) {
    try DepotError.refuseDistrust(folderOf: path)
    let finder = RouteFinder(file: try StoreFile(path), isReadOnly: false)
    do throws(RouteFinder.Obstacle) {
      lastRoute = Mutex(try finder.becomeOwner())
    } catch {
      throw error.error
    }
    self.finder = finder
    isReadOnly = false
  }

  /// Where other programs reach the store; `nil` if it is in memory.
  package var socket: SocketPath? { finder?.file.socket }

  /// How the store is reached, as of the last connection.
  package var route: Route { lastRoute.withLock { $0 } }

  /// Connects to the service of the store; blocks.
  ///
  /// After a service was lost this finds the next one, or becomes it. A connection doesn't keep a
  /// service inside this process alive: keep the access as well.
  ///
  /// - Throws: ``DepotError`` like ``init(_:isReadOnly:)``.
  package func connect() throws(DepotError) -> BlockingConnection {
    for attempt in 0..<Self.attempts {
      // A service that is about to end needs some time for it.
      if attempt > 0 { Process.sleep(milliseconds: attempt) }
      let current = route
      if let connection = try current.connect() {
        connection.refusesChanges = isReadOnly
        return connection
      }
      try replace(current)
    }
    throw DepotError(.noService, "The service of the store goes away again and again.")
  }

  /// How often a service may be gone as soon as it was found.
  private static let attempts: UInt32 = 40

  /// Finds another route.
  private func replace(_ lost: Route) throws(DepotError) {
    try lastRoute.withLock { (route) throws(DepotError) in
      // Another thread may have found one meanwhile.
      guard route.isSame(as: lost) else { return }
      guard let finder else {
        throw DepotError(.io, "The store in memory failed, and its rows are gone.")
      }
      route = try finder.find()
    }
  }
}
