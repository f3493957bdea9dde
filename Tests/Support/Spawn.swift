import CDepotLinux
import DepotLinux
import Dispatch
import Glibc
import Synchronization

extension TestProcess {
  /// What the standard input, output, or error of a process is.
  package enum Stream: Sendable {
    case inherited
    /// /dev/null.
    case nothing
    /// A file that is read, or that is made if need be and written to at its end.
    case file(String)
    /// ``TestProcess/connection``.
    case connection
  }
}

/// What it takes to start a process (posix_spawnp(3)).
struct Spawn: Sendable {
  var arguments: [String]
  var environment: [String]
  var streams: [TestProcess.Stream]

  func start() throws -> (identifier: Int32, connection: Descriptor?) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var ends: (theirs: Descriptor, ours: Descriptor)?
    for (number, stream) in zip(Int32(0)..., streams) {
      switch stream {
      case .inherited: break
      case .nothing: posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      case .file(let path):
        let flags = number == 0 ? O_RDONLY : O_WRONLY | O_CREAT | O_APPEND
        posix_spawn_file_actions_addopen(&actions, number, path, flags, 0o600)
      case .connection:
        let pair = try ends ?? UnixSocket.pair()
        posix_spawn_file_actions_adddup2(&actions, pair.0.number, number)
        ends = pair
      }
    }
    depot_spawn_close_from(&actions, 3)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGHUP, SIGINT, SIGTERM, SIGPIPE] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var argumentVector = arguments.map { strdup($0) } + [nil]
    var variableVector = environment.map { strdup($0) } + [nil]
    defer { for pointer in argumentVector + variableVector { free(pointer) } }
    var process: pid_t = 0
    let code = posix_spawnp(
      &process,
      arguments[0],
      &actions,
      &attributes,
      &argumentVector,
      &variableVector
    )
    guard code == 0 else {
      throw TestFailure("\(arguments) can't be started: \(String(cString: strerror(code)))")
    }
    return (process, ends?.ours)
  }
}

/// The thread that starts all processes.
///
/// A process is killed when the thread ends that started it (PR_SET_PDEATHSIG of prctl(2)), and
/// those on which tests run come and go.
final class SpawnThread: Sendable {
  static let shared = Result { try SpawnThread() }

  private let waiting = Mutex<[@Sendable () -> Void]>([])
  private let wake = DispatchSemaphore(value: 0)

  private init() throws {
    try DepotLinux.Thread.start(name: "spawn") { [self] in
      while true {
        wake.wait()
        let next = waiting.withLock { $0.removeFirst() }
        next()
      }
    }
  }

  /// Starts a process on the thread.
  func start(_ spawn: Spawn) throws -> (identifier: Int32, connection: Descriptor?) {
    let result = Mutex<Result<(identifier: Int32, connection: Descriptor?), any Error>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    waiting.withLock { waiting in
      waiting.append {
        result.withLock { result in result = Result { try spawn.start() } }
        isDone.signal()
      }
    }
    wake.signal()
    isDone.wait()
    guard let result = result.withLock({ $0 }) else { throw TestFailure("no process") }
    return try result.get()
  }
}

/// What went wrong with the means of a test rather than with what it tests.
package struct TestFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
