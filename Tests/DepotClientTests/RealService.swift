import DepotClient
import DepotLinux
import Foundation
import Synchronization
import TestSupport
import Testing

/// A `depotd` on a socket and a store in a temporary folder, which goes away with this.
final class RealService: Sendable {
  let socket: SocketPath
  private let folder: TemporaryFolder
  private let process = Mutex<TestProcess?>(nil)

  private let arguments: [String]

  /// Starts the service.
  init(_ arguments: [String] = []) throws {
    self.arguments = arguments
    folder = try TemporaryFolder()
    socket = SocketPath(folder.path + "/s")
    try start()
  }

  /// Starts the service again after it was killed.
  func start() throws {
    let started = try TestProcess(
      [Programs.daemon, "--socket", socket.path, "--data", folder.path] + arguments,
      output: .nothing,
      errors: .file(folder.path + "/log")
    )
    process.withLock { $0 = started }
  }

  /// Ends the service without giving it a chance to finish anything.
  func kill() { process.withLock { $0 = nil } }

  /// Connects as soon as the service answers.
  func client() async throws -> Client {
    var failure: (any Error)?
    let client: Client? = try await poll {
      do {
        return try await Client(socket: socket)
      } catch {
        failure = error
        return nil
      }
    }
    let log = (try? String(contentsOfFile: folder.path + "/log", encoding: .utf8)) ?? "none"
    let state = process.withLock { $0?.isRunning == true ? "runs" : "has ended" }
    return try #require(
      client,
      "the service, which \(state), doesn't answer: \(String(describing: failure)); log: \(log)"
    )
  }

  deinit { kill() }
}
