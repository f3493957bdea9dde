internal import DepotLinux
internal import Synchronization

/// The program that shows long output on a terminal, such as less.
///
/// It starts with the first output after ``begin()``, so that earlier errors don't start it. While
/// it runs, it handles Ctrl-C itself. When the user leaves it before the end of the output, this
/// program ends as if a pipe was closed, even if it waits for the service.
final class Pager: Sendable {
  private enum State: Sendable {
    case idle
    case wanted
    case running(Descriptor)
    case over

    var isRunning: Bool { if case .running = self { true } else { false } }
  }

  private let state = Mutex(State.idle)
  private let command: String
  /// Raised when the program has ended.
  private let ended: WakeSignal

  /// Chooses a program; `nil` if the output isn't to be paged.
  init?(_ output: Descriptor) {
    guard Terminal.isTerminal(output.number),
      let command = Self.command(Process.variable, hasProgram: Process.isInPath),
      let ended = try? WakeSignal(isBlocking: true)
    else { return nil }
    self.command = command
    self.ended = ended
  }

  /// Returns the command of the pager in an environment, for `sh`, or `nil`.
  static func command(_ variable: (String) -> String?, hasProgram: (String) -> Bool) -> String? {
    guard let terminal = variable("TERM"), !["", "dumb"].contains(terminal) else { return nil }
    let command = variable("DEPOT_PAGER") ?? variable("PAGER") ?? "less"
    let program = command.prefix { $0 != " " }
    // A name that only the shell understands is left to the shell.
    let isPlain = program.allSatisfy { $0.isLetter || $0.isNumber || "/._-+".contains($0) }
    guard !program.isEmpty, program != "cat", !isPlain || hasProgram(String(program)) else {
      return nil
    }
    return command
  }

  /// Pages all later output; this can't be undone.
  func begin() {
    state.withLock { state in
      if case .idle = state { state = .wanted }
    }
  }

  /// The descriptor for the output; `nil` if that is the terminal itself.
  var input: Descriptor? {
    state.withLock { state in
      if case .wanted = state { state = start().map(State.running) ?? .over }
      if case .running(let input) = state { return input }
      return nil
    }
  }

  private func start() -> Descriptor? {
    guard let (reading, writing) = try? Descriptor.pipe() else { return nil }
    // Short output stays on the screen, colors work, and the screen isn't wiped at the end.
    let environment = Process.variable("LESS") == nil ? ["LESS": "FRX"] : [:]
    let child = try? ChildProcess(["sh", "-c", command], environment: environment, input: reading)
    guard let child else { return nil }
    Terminal.ignoreInterrupt()
    let isWatched: Void? = try? Thread.start(name: "pager") { [self] in
      _ = child.wait()
      if state.withLock({ $0.isRunning }) { Process.exit(Process.closedPipeStatus) }
      ended.signal()
    }
    return isWatched == nil ? nil : writing
  }

  /// Closes the program's input, and waits until the user has left it.
  func end() {
    let wasRunning = state.withLock { state in
      defer { if case .idle = state {} else { state = .over } }
      return state.isRunning
    }
    guard wasRunning else { return }
    ended.consume()
    Terminal.exitOnInterrupt()
  }
}
