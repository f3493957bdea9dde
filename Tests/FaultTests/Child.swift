import Foundation
import Glibc
import Synchronization

/// A process that a test started, which never outlives the test for long.
final class Child: Sendable {
  let process: pid_t
  private let ending = Mutex<Int32?>(nil)

  /// Starts a program that is found in PATH; what it prints goes to the file `log`.
  init(_ arguments: [String], log: String) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    // A test's thread may have signals blocked or ignored, which a child would inherit.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGTERM, SIGPIPE] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var vector = arguments.map { strdup($0) } + [nil]
    defer { for pointer in vector { free(pointer) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, arguments[0], &actions, &attributes, &vector, environ)
    guard code == 0 else { throw TestFailure("\(arguments[0]) can't be started: errno \(code)") }
    self.process = process
    DispatchQueue.global().asyncAfter(deadline: .now() + 60) { [weak self] in
      self?.signal(SIGKILL)
    }
  }

  /// Sends a signal unless the process was waited for.
  func signal(_ number: Int32) {
    ending.withLock { if $0 == nil { kill(process, number) } }
  }

  /// Whether the process still runs.
  var isRunning: Bool { poll() == nil }

  private func poll() -> Int32? {
    ending.withLock { ending in
      if let ending { return ending }
      var status: Int32 = 0
      guard waitpid(process, &status, WNOHANG) == process else { return nil }
      ending = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
      return ending
    }
  }

  /// Waits until the process has ended.
  ///
  /// - Returns: Its status, or 128 and the number of the signal that killed it.
  @discardableResult
  func wait() -> Int32 {
    while true {
      if let status = poll() { return status }
      usleep(1000)
    }
  }

  deinit {
    signal(SIGKILL)
    wait()
  }
}

/// What went wrong with the means of a test rather than with what it tests.
struct TestFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// Runs `body` on a thread of its own, which it may block.
func onThread<Result: Sendable>(
  _ body: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}
