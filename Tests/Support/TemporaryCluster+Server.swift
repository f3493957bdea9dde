import DepotLinux
import Foundation
import Glibc
import Synchronization

/// Starting and ending.
extension TemporaryCluster {
  package var isRunning: Bool { server.withLock { $0?.isRunning ?? false } }

  /// Starts the server, and waits until it takes connections.
  ///
  /// - Throws: ``TestFailure`` if it doesn't start.
  package func start() throws {
    let log = path + "/log"
    let process = try TestProcess(
      // Whoever changes the user loses the signal that ends the process with its parent.
      Self.asUser + ["setpriv", "--pdeathsig", "KILL", Self.tool("postgres"), "-D", data],
      output: .file(log),
      errors: .file(log)
    )
    server.withLock { $0 = process }
    let isReady: Bool? = poll {
      // The fields of the file are told by miscadmin.h.
      let lines = lockFile
      if !process.isRunning { return false }
      let isOurs = lines.first == String(process.identifier)
      return isOurs && lines.count > 7 && lines[7].hasPrefix("ready") ? true : nil
    }
    guard isReady == true else {
      let text = FileManager.default.contents(atPath: log).map {
        String(decoding: $0, as: UTF8.self)
      }
      throw TestFailure("\(name) doesn't start: \((text ?? "").suffix(1000))")
    }
  }

  /// The ways to end a server.
  package enum Ending: Sendable {
    /// Sessions are ended, and everything is written.
    case fast
    /// As if it had crashed: it recovers at the next start.
    case immediate
  }

  /// Ends the server, and waits until it is gone.
  package func stop(_ ending: Ending = .fast) throws {
    guard let process = server.withLock({ $0 }), process.isRunning else { return }
    thaw()
    process.signal(ending == .fast ? SIGINT : SIGQUIT)
    if process.wait(within: patience) == nil {
      kill()
      throw TestFailure("\(name) doesn't end")
    }
  }

  package func restart() throws {
    try stop()
    try start()
  }

  /// Kills the server's processes without warning, and waits until they are gone.
  package func kill() {
    guard let process = server.withLock({ $0 }), process.isRunning else { return }
    // No more of them come while their parent stands still.
    process.signal(SIGSTOP)
    let children = Self.children(of: process.identifier)
    for child in children { Glibc.kill(child, SIGKILL) }
    process.kill()
    let areGone: Bool? = poll { children.allSatisfy(Self.isGone) ? true : nil }
    precondition(areGone == true, "A process that was killed is gone soon.")
    // Only a server that ends, or one that starts in its place, takes its bit of shared memory back.
    let identifier = lockFile.dropFirst(6).first?.split(separator: " ").last.flatMap { Int32($0) }
    if let identifier { shmctl(identifier, IPC_RMID, nil) }
    // The number of the process may be somebody else's soon.
    try? FileManager.default.removeItem(atPath: data + "/postmaster.pid")
  }

  /// Has the server's processes stand still, as those of a machine that hangs.
  package func freeze() { signalAll(SIGSTOP) }

  /// Has them go on.
  package func thaw() { signalAll(SIGCONT) }

  private func signalAll(_ number: Int32) {
    guard let process = server.withLock({ $0 }), process.isRunning else { return }
    process.signal(number)
    for child in Self.children(of: process.identifier) { Glibc.kill(child, number) }
  }

  /// The lines of the file that says which process serves the cluster.
  private var lockFile: [String] {
    let bytes = FileManager.default.contents(atPath: data + "/postmaster.pid") ?? Data()
    return String(decoding: bytes, as: UTF8.self).components(separatedBy: "\n")
  }

  private static func children(of parent: Int32) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { Int32($0) }.filter { status(of: $0)?.parent == parent }
  }

  private static func isGone(_ process: Int32) -> Bool {
    status(of: process).map { $0.state == "Z" || $0.state == "X" } ?? true
  }

  /// Returns the state and the parent of a process (proc_pid_stat(5)).
  private static func status(of process: Int32) -> (state: Substring, parent: Int32)? {
    guard let bytes = FileSystem.contents(of: "/proc/\(process)/stat", limit: 4096) else {
      return nil
    }
    let text = String(decoding: bytes, as: UTF8.self)
    // The name in parentheses, which comes before, may have spaces.
    let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
    return fields.count > 1 ? Int32(fields[1]).map { (fields[0], $0) } : nil
  }
}
