import DepotLinux
import Foundation
import SwiftData
import Synchronization
import TestSupport

/// A `depotd` that serves one store file to the programs that open it, and can go away and come back.
///
/// Programs reach it through a link where the socket of the file's owner is looked for, which keeps them
/// from becoming the owner while it is away.
final class LosableService {
  let folder: TemporaryFolder
  let store: URL
  private let road: LosableRoad
  let socket: String
  private var process: TestProcess

  /// Starts the service, and waits until it answers.
  init() throws {
    folder = try TemporaryFolder()
    store = folder.path()
    socket = folder.url.path + "/service"
    road = try LosableRoad(socket: folder.url.path + "/road", service: socket)
    try FileManager.default.createSymbolicLink(
      atPath: store.path + ".socket",
      withDestinationPath: folder.url.path + "/road"
    )
    process = try TestProcess.service(of: store, at: socket)
  }

  deinit {
    road.end()
    process.kill()
  }

  var identifier: Int32 { process.identifier }

  /// Opens the store for havens, ships, and what they lead to.
  func fleetContainer() throws -> ModelContainer {
    try ModelContainer(
      for: Haven.self,
      Ship.self,
      configurations: ModelConfiguration(url: store)
    )
  }

  /// Ends it at once (SIGKILL).
  func kill() { process.kill() }

  /// Starts it on the same store, and waits until it answers.
  func start() throws {
    process = try TestProcess.service(of: store, at: socket)
    road.isLosing = false
  }

  /// Lets it do what it is asked for, and nobody learn of it, until it is started again.
  func loseAnswers() { road.isLosing = true }
}

/// What stands between programs and a service, and can lose its answers.
private final class LosableRoad: Sendable {
  private let service: String
  private let state = Mutex((isLosing: false, isOver: false))

  init(socket: String, service: String) throws {
    self.service = service
    let listener = try UnixSocket.listen(path: socket)
    try DepotLinux.Thread.start(name: "road") { [self] in
      while !isOver {
        guard Self.canRead([listener.number])[0],
          let client = try? UnixSocket.accept(from: listener), !isLosing,
          let server = try? UnixSocket.connect(path: service)
        else { continue }
        try? DepotLinux.Thread.start(name: "road-user") { self.carry(client, server) }
      }
    }
  }

  /// Whether the next answer on each connection is lost, and the connection with it.
  var isLosing: Bool {
    get { state.withLock(\.isLosing) }
    set { state.withLock { $0.isLosing = newValue } }
  }

  func end() { state.withLock { $0.isOver = true } }

  private var isOver: Bool { state.withLock(\.isOver) }

  private func carry(_ client: Descriptor, _ server: Descriptor) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    while !isOver {
      let ready = Self.canRead([client.number, server.number])
      if ready[0], !carry(from: client, to: server, buffer) { return }
      if ready[1], isLosing || !carry(from: server, to: client, buffer) { return }
    }
  }

  /// Hands on what there is; returns whether there may be more.
  private func carry(
    from source: Descriptor,
    to target: Descriptor,
    _ buffer: UnsafeMutableRawBufferPointer
  ) -> Bool {
    guard let count = try? source.read(into: buffer), count > 0 else { return false }
    var sent = 0
    while sent < count, !isOver {
      do throws(SystemError) {
        sent += try target.send(UnsafeRawBufferPointer(rebasing: buffer[sent..<count]))
      } catch {
        guard error.code == EAGAIN else { return false }
        usleep(200)
      }
    }
    return true
  }

  /// Waits a while until one of the descriptors can be read.
  private static func canRead(_ numbers: [Int32]) -> [Bool] {
    var polled = numbers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = Glibc.poll(&polled, nfds_t(polled.count), 50)
    return polled.map { $0.revents != 0 }
  }
}
