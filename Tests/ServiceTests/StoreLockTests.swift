import DepotClient
import DepotLinux
import DepotProtocol
import Synchronization
import TestSupport
import Testing

extension ServiceTests {
  @Suite struct StoreLockTests {
    @Test func `no other process can have the store while a migration exchanges its file`() throws {
      let daemon = try TestDaemon()
      let connection = try BlockingConnection(socket: SocketPath(daemon.socket))
      let intruder = Intruder(daemon.store + ".lock")
      try intruder.begin()
      for number in 1...5 {
        let old = try connection.schema()
        var new = old
        new.version = SchemaVersion(number, 0, 0)
        try connection.migrate(to: new, from: old.version) { _, _ in }
      }
      #expect(intruder.end() == 0)
    }

    @Test func `a store that was migrated is free again when its container is closed`() throws {
      let daemon = try TestDaemon()
      let socket = SocketPath(daemon.socket)
      let main = try BlockingConnection(socket: socket)
      let path = daemon.folder.path + "/other.store"
      try main.openContainer(ContainerRequest("other", stores: [ContainerStore(.path(path))]))
      let connection = try BlockingConnection(socket: socket, container: "other")
      var schema = try main.schema()
      schema.version = SchemaVersion(1, 0, 0)
      try connection.define(schema)
      var next = schema
      next.version = SchemaVersion(2, 0, 0)
      try connection.migrate(to: next, from: schema.version) { _, _ in }
      #expect(throws: FileLock.Failure.self) { try FileLock(path: path + ".lock") }
      try main.closeContainer("other")
      let lock = poll { try? FileLock(path: path + ".lock") }
      #expect(lock != nil)
    }
  }
}

/// Somebody who tries to lock a file all the time.
private final class Intruder: Sendable {
  private let path: String
  private let state = Mutex((isOver: false, hasEnded: false, count: 0))

  init(_ path: String) { self.path = path }

  func begin() throws {
    try Thread.start(name: "intruder") { [self] in
      while !state.withLock({ $0.isOver }) {
        guard (try? FileLock(path: path)) != nil else { continue }
        state.withLock { $0.count += 1 }
      }
      state.withLock { $0.hasEnded = true }
    }
  }

  /// Stops trying; returns how often that was successful.
  func end() -> Int {
    state.withLock { $0.isOver = true }
    while !state.withLock({ $0.hasEnded }) { Process.sleep(milliseconds: 1) }
    return state.withLock { $0.count }
  }
}
