#if Embedded
internal import DepotLinux
internal import DepotProtocol
internal import DepotServer
internal import Synchronization

/// A service inside this process for one store, which ends with the last reference to it.
package final class EmbeddedService: Sendable {
  private let key: EmbeddedServices.Key
  private let life: ServiceLife

  /// Returns the service that this process has for a file, or `nil`.
  static func existing(file path: String) -> EmbeddedService? {
    EmbeddedServices.shared.existing(.file(path: path))
  }

  /// Returns the service of a store in memory, which is made if there is none.
  ///
  /// - Throws: ``DepotError`` `unavailable.busy` if there are no more threads.
  static func inMemory(named name: String) throws(DepotError) -> EmbeddedService {
    let key = EmbeddedServices.Key.memory(name: name)
    return try EmbeddedServices.shared.service(key) { () throws(DepotError) in
      try EmbeddedService(key, .memory)
    }
  }

  /// Opens the store, and begins to serve it on a thread of its own.
  ///
  /// - Throws: ``DepotError`` `unavailable.busy` if another process has the store or there are no more
  ///   threads, and others of class `storage` and `unavailable`.
  init(
    _ key: EmbeddedServices.Key,
    _ store: Server.ProgramStore,
    socket: String = ""
  ) throws(DepotError) {
    self.key = key
    let isSilent = !Process.isSet("DEPOT_LOG")
    life = ServiceLife(try Server(inProgram: store, socket: socket, isSilent: isSilent))
    try life.begin()
  }

  deinit {
    life.end()
    EmbeddedServices.shared.forget(key)
  }

  /// Whether it serves no more, because the disk failed.
  var hasEnded: Bool { life.hasEnded }

  /// Returns a connection to it, which is closed at once if the service has ended.
  func makeConnection() throws(DepotError) -> Descriptor { try life.server.makeConnection() }
}

/// The part of a service that lives as long as its thread.
@Memberwise("server")
final class ServiceLife: Sendable {
  let server: Server
  private let isOver = Atomic(false)

  var hasEnded: Bool { isOver.load(ordering: .acquiring) }

  /// Starts the thread.
  ///
  /// - Throws: ``DepotError`` `unavailable.busy` if there are no more threads; the store is closed then.
  func begin() throws(DepotError) {
    EmbeddedServices.shared.didBegin(self)
    do throws(SystemError) {
      try Thread.start(name: "depot-service") { [self] in run() }
    } catch {
      end()
      run()
      throw DepotError(.busy, "There are no more threads: \(error).")
    }
  }

  /// Has the service finish its calls and close its store; this doesn't wait.
  func end() { server.end() }

  private func run() {
    _ = server.run()
    isOver.store(true, ordering: .releasing)
    EmbeddedServices.shared.didEnd(self)
  }
}
#endif
