internal import DepotEngine
package import DepotLinux
package import DepotProtocol

/// A service that is part of a program, for one store.
///
/// The program keeps control of its signals, standard descriptors, umask, working directory, and
/// the service manager's descriptors and variables. The service ends when the program says so.
extension Server {
  /// The store of a service that is part of a program.
  package enum ProgramStore: Sendable {
    /// A file, which others reach through the claimed socket.
    case file(path: String, ListeningSocket.Claim)
    /// A read-only file, for this program only.
    case frozen(path: String)
    /// Memory, for this program only.
    case memory
  }

  /// Opens a store inside this program; ``run()`` then serves it.
  ///
  /// - Parameters:
  ///   - store: Where it is.
  ///   - socket: The path of the socket; empty if there is none.
  ///   - isSilent: Whether nothing is logged on the standard error.
  /// - Throws: ``DepotError`` `unavailable.busy` if another process has the store, `storage.corrupt`
  ///   if it is damaged, and others of class `storage` and `unavailable`.
  package init(
    inProgram store: ProgramStore,
    socket: String = "",
    isSilent: Bool = true
  ) throws(DepotError) {
    var configuration = ServerConfiguration()
    configuration.socketPath = socket
    configuration.isSilent = isSilent
    let instance = Self.makeInstance()
    var memory: MemoryFolder?
    var own: StoreConfiguration
    var claim: ListeningSocket.Claim?
    switch store {
    case .file(let path, let right):
      try DepotError.refuseDistrust(folderOf: path)
      own = StoreConfiguration(path: path)
      claim = right
    case .frozen(let path):
      own = StoreConfiguration(path: path, isReadOnly: true)
    case .memory:
      MemoryFolder.removeLeftoversOnce
      let folder = try MemoryFolder(instance: instance)
      own = StoreConfiguration(path: folder.path + "/0.store", isInMemory: true)
      memory = folder
    }
    own.history = configuration.history
    configuration.storePath = own.path
    do throws(DepotError) {
      try self.init(configuration, own, signals: nil, instance: instance, memory: memory) {
        () throws(DepotError) in
        (
          try claim.flatMap { claim throws(DepotError) in try Self.listen(configuration, claim) },
          []
        )
      }
    } catch {
      memory?.remove()
      throw error
    }
  }

  /// Whether the service is part of a program.
  var isInProgram: Bool { signals == nil }

  /// Returns a connection to the service, which is closed already if the service has ended.
  ///
  /// - Throws: ``DepotError`` `unavailable.busy` if there are no more descriptors.
  package nonisolated func makeConnection() throws(DepotError) -> Descriptor {
    do throws(SystemError) {
      let (near, far) = try UnixSocket.pair()
      inbox.post(.client(far))
      return near
    } catch {
      throw DepotError(.busy, "There are no more descriptors: \(error).")
    }
  }

  /// Makes the service finish its calls, close its store, and return from ``run()``.
  package nonisolated func end() { inbox.post(.end) }

  /// Ends without further answers, because the disk is unreliable.
  func giveUp() {
    phase = .closing(.end(status: 70))
    pauseListener()
    acceptor.listener?.unlinkIfOwn()
    for session in Array(sessions.values) { end(session) }
  }
}
