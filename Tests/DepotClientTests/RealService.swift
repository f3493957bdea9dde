import DepotClient
import DepotLinux
import FoundationEssentials
import Glibc
import Synchronization
import Testing

/// A `depotd` on a socket and a store in a temporary folder, which goes away with this.
final class RealService: Sendable {
  let socket: SocketPath
  private let folder: URL
  private let program: String
  private let process = Mutex<Int32?>(nil)

  /// Starts the service.
  init() throws {
    let programs = try #require(Process.environment("DEPOT_PROGRAMS"), "Run make test.")
    program = programs + "/depotd"
    folder = URL(filePath: "/tmp/depot-client-\(UUID().uuidString.prefix(8))")
    FileSystem.createPrivateFolder(folder.path)
    socket = SocketPath(folder.path + "/s")
    try start()
  }

  /// Starts the service again after it was killed.
  func start() throws {
    let arguments = [program, "--socket", socket.path, "--data", folder.path]
    let started = try Process.spawnDetached(arguments, log: folder.path + "/log")
    process.withLock { $0 = started }
  }

  /// Ends the service without giving it a chance to finish anything.
  func kill() {
    process.withLock { process in
      guard let running = process else { return }
      Glibc.kill(running, SIGKILL)
      waitpid(running, nil, 0)
      process = nil
    }
  }

  /// Connects as soon as the service answers.
  func client() async throws -> Client {
    for _ in 0..<1000 {
      if let client = try? await Client(socket: socket) { return client }
      Process.sleep(milliseconds: 5)
    }
    return try await Client(socket: socket)
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: folder)
  }
}
