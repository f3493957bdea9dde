import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import Synchronization

/// The folder, the service, and the running program of the demo, which are cleaned up at its end.
final class Workspace: Sendable {
  private struct State {
    var service: ChildProcess?
    var program: ChildProcess?
    var isOver = false
  }

  /// The error that the workspace has ended, so that nothing can run in it.
  struct Over: Error {}

  let folder: String
  let socket: String
  private let environment: [String: String]
  private let state = Mutex(State())

  /// Makes a folder with a service in it, and sees to it that signals leave neither behind.
  ///
  /// - Parameter programs: The folder of `depotd`.
  /// - Throws: ``DepotError`` `unavailable.service` if the service doesn't answer.
  init(programs: String) throws {
    folder = NSTemporaryDirectory() + "depot-demo-\(UUID().uuidString.prefix(8))"
    socket = folder + "/depot.sock"
    // The output is one text, through no pager; tables of it are as wide as the terminal.
    environment = ["DEPOT_SOCKET": socket, "XDG_DATA_HOME": folder, "DEPOT_PAGER": ""]
      .merging(Terminal.isTerminal(1) ? [:] : ["COLUMNS": "100"]) { $1 }
    try EndSignals.handle { [self] number in
      putAway { Process.exit(128 + number) }
    }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    do {
      try start([programs + "/depotd", "--socket", socket])
    } catch {
      putAway()
      throw error
    }
  }

  private func start(_ command: [String]) throws {
    try state.withLock { state in
      if state.isOver { throw Over() }
      state.service = try ChildProcess(command, environment: environment, output: .discarded)
    }
    for _ in 0..<1000 {
      if (try? BlockingConnection(socket: SocketPath(socket))) != nil { return }
      Process.sleep(milliseconds: 5)
    }
    throw DepotError(.noService, "\(command[0]) doesn't answer.")
  }

  /// Runs a program that writes where this one does, to its end.
  func run(_ arguments: [String]) throws {
    let child = try state.withLock { state in
      if state.isOver { throw Over() }
      let child = try ChildProcess(arguments, environment: environment)
      state.program = child
      return child
    }
    let status = child.wait()
    state.withLock { $0.program = nil }
    try Program.check(status, arguments)
  }

  /// Ends the running programs, and removes the folder.
  ///
  /// - Parameter next: A function to call then, before anyone else finds that the workspace has
  ///   ended.
  func putAway(then next: () -> Void = {}) {
    state.withLock { state in
      defer { next() }
      guard !state.isOver else { return }
      state.isOver = true
      // `run` waits for this one.
      state.program?.terminate()
      state.service?.terminate()
      _ = state.service?.wait()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }
}
