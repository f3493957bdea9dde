internal import CDepotLinux
internal import Glibc

/// A process that this one started and waits for (posix_spawnp(3), waitpid(2)).
package final class ChildProcess: Sendable {
  /// Where a child's standard output goes.
  package enum Output: Sendable {
    case inherited
    case discarded
    /// To ``output``.
    case captured
  }

  package let identifier: Int32
  /// The end of the pipe from which the child's output is read.
  private let pipe: Descriptor?

  /// Starts a program, which is looked for in `$PATH`.
  ///
  /// Its standard error is this process's unless the output is captured. No other descriptor is
  /// passed on.
  ///
  /// - Throws: ``SystemError`` if it can't be started.
  package init(
    _ arguments: [String],
    environment: [String: String] = [:],
    output: Output = .inherited
  ) throws(SystemError) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var ends: [Int32] = [-1, -1]
    switch output {
    case .inherited: pipe = nil
    case .discarded:
      pipe = nil
      posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    case .captured:
      try systemCall("pipe") { Glibc.pipe(&ends) }
      pipe = Descriptor(ends[0])
      depot_set_close_on_exec(ends[0])
      posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    }
    defer { if ends[1] >= 0 { close(ends[1]) } }
    depot_spawn_close_from(&actions, 3)
    for (name, value) in environment { setenv(name, value, 1) }
    var vector = arguments.map { strdup($0) } + [nil]
    defer { for pointer in vector { free(pointer) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, arguments[0], &actions, nil, &vector, environ)
    guard code == 0 else { throw SystemError(call: "posix_spawnp", code: code) }
    identifier = process
  }

  /// Reads what the child writes until it closes its output.
  package func capturedOutput() throws(SystemError) -> [UInt8] {
    guard let pipe else { return [] }
    var result: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
    defer { buffer.deallocate() }
    while true {
      let count = try pipe.read(into: buffer)
      if count == 0 { return result }
      result.append(contentsOf: buffer[..<count])
    }
  }

  /// Waits for the end.
  ///
  /// - Returns: The exit status, or 128 and the number of the signal that ended the process.
  package func wait() -> Int32 {
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }

  /// Asks the process to end (SIGTERM).
  package func terminate() { kill(identifier, SIGTERM) }
}
