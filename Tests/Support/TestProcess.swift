import DepotLinux
import Foundation
import Glibc
import Synchronization

/// A process that a test started: it ends with the last reference to it, and with this process.
package final class TestProcess: Sendable {
  package let identifier: Int32
  /// Its standard input and output, if it was started with such.
  let connection: Descriptor?
  /// What was read from it and isn't a line yet.
  let received = Mutex<[UInt8]>([])
  private let ending = Mutex<Int32?>(nil)

  /// Starts a program.
  ///
  /// No other descriptors are passed on, no blocked signals and no ignored ones.
  ///
  /// - Parameters:
  ///   - arguments: The program, which is looked for in `$PATH`, and its arguments.
  ///   - environment: What differs from this process's environment; `nil` takes a variable away.
  ///   - input: Its standard input.
  ///   - output: Its standard output.
  ///   - errors: Its standard error.
  ///   - limit: After how many seconds it is killed.
  /// - Throws: ``TestFailure`` if it can't be started.
  package init(
    _ arguments: [String],
    environment: [String: String?] = [:],
    input: Stream = .nothing,
    output: Stream = .inherited,
    errors: Stream = .inherited,
    limit: Int? = nil
  ) throws {
    // setpriv becomes the program, so that the number stays.
    let command = ["setpriv", "--pdeathsig", "KILL"] + arguments
    var variables = ProcessInfo.processInfo.environment
    for (name, value) in environment { variables[name] = value }
    let spawn = Spawn(
      arguments: command,
      environment: variables.map { "\($0)=\($1)" },
      streams: [input, output, errors]
    )
    (identifier, connection) = try SpawnThread.shared.get().start(spawn)
    guard let limit else { return }
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(limit)) { [weak self] in
      self?.signal(SIGKILL)
    }
  }

  deinit { kill() }

  /// Sends a signal unless the process was waited for.
  package func signal(_ number: Int32) {
    ending.withLock { if $0 == nil { Glibc.kill(identifier, number) } }
  }

  /// Kills it without warning, and waits until it is gone.
  package func kill() {
    signal(SIGKILL)
    wait()
  }

  /// Whether the process still runs.
  package var isRunning: Bool { status == nil }

  /// Its exit status, or 128 and the number of the signal that ended it; `nil` while it runs.
  package var status: Int32? {
    ending.withLock { ending in
      if let ending { return ending }
      var status: Int32 = 0
      guard waitpid(identifier, &status, WNOHANG) == identifier else { return nil }
      ending = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
      return ending
    }
  }

  /// Waits until the process has ended.
  ///
  /// - Returns: ``status``.
  @discardableResult
  package func wait() -> Int32 {
    while true {
      if let status { return status }
      // The end is left for ``status``, whichever thread asks for it.
      var information = siginfo_t()
      _ = waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT)
    }
  }

  /// Waits a while for the end.
  ///
  /// - Returns: ``status``, which is `nil` if the process still runs.
  package func wait(within limit: Duration) -> Int32? {
    let end = ContinuousClock.now + limit
    while ContinuousClock.now < end {
      if let status { return status }
      usleep(1000)
    }
    return status
  }
}
