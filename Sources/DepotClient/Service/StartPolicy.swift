internal import DepotLinux
package import DepotProtocol

/// What a client does when no service answers.
public enum StartPolicy: Hashable, Sendable {
  /// Fail with `unavailable.service`.
  case never
  /// Start `depotd` and wait until it answers.
  case ifMissing
}

/// The starting of a service by a client.
enum ServiceStarter {
  /// Starts `depotd` for `socket`, with more arguments, and waits up to five seconds until it answers.
  ///
  /// Two clients may do this at once: the second daemon finds the lock taken and ends.
  ///
  /// - Throws: ``DepotError`` `unavailable.service` if there is no `depotd` or it doesn't answer.
  static func start(
    _ socket: SocketPath,
    arguments: [String] = []
  ) throws(DepotError) -> Descriptor {
    guard let program = findDaemon() else {
      throw DepotError(.noService, "No service answers, and there is no depotd to start.")
        .hint("Put depotd beside this program or into PATH, or name it in DEPOT_DAEMON.")
    }
    let folder = socket.path.lastIndex(of: "/").map { String(socket.path[..<$0]) } ?? "."
    FileSystem.createPrivateFolder(folder)
    let log = folder + "/depotd.log"
    do throws(SystemError) {
      _ = try Process.spawnDetached([program, "--socket", socket.path] + arguments, log: log)
    } catch {
      throw DepotError(.noService, "\(program) can't be started (\(error)).")
    }
    for _ in 0..<1000 {
      if let descriptor = try? socket.connect() { return descriptor }
      Process.sleep(milliseconds: 5)
    }
    throw DepotError(.noService, "\(program) was started but doesn't answer.")
      .hint("See \(log).")
  }

  private static func findDaemon() -> String? {
    if let path = Process.environment("DEPOT_DAEMON") { return path }
    let folders =
      [Process.programFolder].compactMap { $0 }
      + (Process.environment("PATH") ?? "").split(separator: ":").map(String.init)
    return folders.map { $0 + "/depotd" }.first(where: Process.isExecutable)
  }
}

extension SocketPath {
  /// Starts a service here and waits until it answers.
  ///
  /// - Parameter arguments: What `depotd` gets to know besides the socket.
  /// - Throws: ``DepotError`` `unavailable.service` if there is no `depotd` or it doesn't answer.
  package func startService(arguments: [String] = []) throws(DepotError) {
    _ = try ServiceStarter.start(self, arguments: arguments)
  }
}
