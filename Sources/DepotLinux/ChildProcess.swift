internal import CDepotLinux
internal import Glibc

/// A process that this program started and waits for (posix_spawnp(3), waitpid(2)).
package final class ChildProcess: Sendable {
  /// The destination of a child's standard output.
  package enum Output: Sendable {
    case inherited
    case discarded
    /// To ``capturedOutput()``.
    case captured
  }

  package let identifier: Int32
  /// The end of the pipe from which the child's output is read.
  private let pipe: Descriptor?

  /// Starts a program, which is searched for in `$PATH`.
  ///
  /// Its standard error is this process's unless the output is captured. It inherits no other
  /// descriptor.
  ///
  /// - Parameters:
  ///   - arguments: The name of the program and its arguments.
  ///   - environment: Variables that the program gets besides this process's; this process gets them too.
  ///   - output: Where its standard output goes.
  ///   - input: Its standard input; this process's if `nil`.
  ///   - inOwnSession: Whether it is out of reach of the terminal's signals.
  /// - Throws: ``SystemError`` if it can't be started.
  package init(
    _ arguments: [String],
    environment: [String: String] = [:],
    output: Output = .inherited,
    input: Descriptor? = nil,
    inOwnSession: Bool = false
  ) throws(SystemError) {
    let ends = try output == .captured ? Descriptor.pipe() : nil
    pipe = ends?.reading
    // The child's end of the pipe must stay open until the child has inherited it.
    defer { withExtendedLifetime(ends) {} }
    for (name, value) in environment { setenv(name, value, 1) }
    identifier = try Process.spawn(arguments, inOwnSession: inOwnSession) { actions in
      if let input { posix_spawn_file_actions_adddup2(&actions, input.number, 0) }
      if let ends { posix_spawn_file_actions_adddup2(&actions, ends.writing.number, 1) }
      if output == .discarded {
        posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
      }
      if output != .inherited {
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
      }
    }
  }

  /// Reads the child's output until the child closes it.
  package func capturedOutput() throws(SystemError) -> [UInt8] {
    try pipe?.readAll() ?? []
  }

  /// Waits until the process ends.
  ///
  /// - Returns: The exit status, or 128 plus the number of the signal that ended the process.
  package func wait() -> Int32 { Process.wait(for: identifier) ?? 0 }

  /// Asks the process to end (SIGTERM).
  package func terminate() { kill(identifier, SIGTERM) }
}
