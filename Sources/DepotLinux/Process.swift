internal import CDepotLinux
internal import Glibc

/// Processes and their environment.
package enum Process {
  /// The number of this process.
  package static var identifier: Int32 { getpid() }

  /// The name of the machine, as `uname -n` prints it.
  package static var hostName: String {
    var name = [UInt8](repeating: 0, count: 256)
    let code = name.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { start in
        gethostname(start.assumingMemoryBound(to: CChar.self), bytes.count - 1)
      }
    }
    return code == 0 ? String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) : "localhost"
  }

  /// The exit status of a program that wrote to a closed pipe, as shells report SIGPIPE.
  package static let closedPipeStatus: Int32 = 141

  /// The effective user identifier of this process.
  package static var user: UInt32 { geteuid() }

  /// Returns an environment variable, or `nil` if it is empty or isn't set.
  package static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// Returns an environment variable, which may be empty, or `nil` if it isn't set.
  package static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  /// Whether an environment variable is set, and neither empty nor 0.
  package static func isSet(_ name: String) -> Bool { environment(name).map { $0 != "0" } ?? false }

  /// The folder of the running program, or `nil`.
  package static var programFolder: String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { return nil }
    let path = String(decoding: buffer.prefix(count), as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) }
  }

  /// Whether `path` is a file that this process may execute.
  ///
  /// The corresponding C function is `access`.
  package static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }

  /// Whether a program with this name is in `$PATH`, or executable at this path.
  package static func isInPath(_ name: String) -> Bool {
    if name.contains("/") { return isExecutable(name) }
    let folders = (environment("PATH") ?? "").split(separator: ":")
    return folders.contains { isExecutable("\($0)/\(name)") }
  }

  /// Releases the memory of program code that was needed only to start.
  ///
  /// Pages that are needed again are mapped from the system's cache without a disk read. The
  /// corresponding C function is `madvise`.
  package static func releaseCode() { depot_unmap_code() }

  /// Ends this process at once.
  ///
  /// The corresponding C function is `_exit`.
  package static func exit(_ status: Int32) -> Never { _exit(status) }

  /// Starts a program in its own session, with an empty standard input.
  ///
  /// The corresponding C function is `posix_spawn`.
  ///
  /// - Parameters:
  ///   - arguments: The path of the program and its arguments.
  ///   - output: Its standard output.
  ///   - log: The file that it appends its standard error to.
  /// - Returns: The number of the new process.
  /// - Throws: ``SystemError`` if it can't be started.
  package static func spawnDetached(
    _ arguments: [String],
    output: Descriptor,
    log: String
  ) throws(SystemError) -> Int32 {
    try spawn(arguments, inOwnSession: true) { actions in
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
      posix_spawn_file_actions_adddup2(&actions, output.number, 1)
      posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    }
  }

  /// Starts a program with only the standard descriptors, which `prepare` sets.
  static func spawn(
    _ arguments: [String],
    inOwnSession: Bool = false,
    _ prepare: (inout posix_spawn_file_actions_t) -> Void
  ) throws(SystemError) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    prepare(&actions)
    // If it inherited other descriptors, readers of this process's output would wait for it too.
    depot_spawn_close_from(&actions, 3)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    if inOwnSession { posix_spawnattr_setflags(&attributes, Int16(depot_spawn_setsid())) }
    var vector = arguments.map { strdup($0) } + [nil]
    defer { for pointer in vector { free(pointer) } }
    var process: pid_t = 0
    let code = posix_spawnp(&process, arguments[0], &actions, &attributes, &vector, environ)
    guard code == 0 else { throw SystemError(call: "posix_spawn", code: code) }
    return process
  }

  /// Waits until a started process ends.
  ///
  /// The corresponding C function is `waitpid`.
  ///
  /// - Returns: The exit status, or 128 plus the number of the signal that ended the process; `nil`
  ///   if another caller has already waited for it.
  package static func wait(for process: Int32) -> Int32? {
    var status: Int32 = 0
    guard (try? systemCall("waitpid") { waitpid(process, &status, 0) }) != nil else { return nil }
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }

  /// Writes a line to the standard output and closes it, so that the reader can stop reading.
  ///
  /// A failed write is ignored. The corresponding C function is `dup2`.
  package static func endStandardOutput(_ line: [UInt8]) {
    _ = Glibc.write(1, line, line.count)
    let nothing = depot_open("/dev/null", O_WRONLY, 0)
    guard nothing >= 0 else { return }
    dup2(nothing, 1)
    close(nothing)
  }

  /// Opens /dev/null for each standard descriptor that is closed.
  ///
  /// Otherwise the next opened file would become the standard input, output, or error.
  ///
  /// - Parameter isUsable: Whether such an input is empty, and such outputs take anything; otherwise
  ///   reading and writing fail, as they did before.
  package static func openStandardDescriptors(isUsable: Bool) {
    for number in 0...2 as ClosedRange<Int32> where fcntl(number, F_GETFD) < 0 {
      // It gets the lowest number that is free.
      let mode = isUsable ? O_RDWR : number == 0 ? O_WRONLY : O_RDONLY
      _ = depot_open_inherited("/dev/null", mode)
    }
  }

  /// The current limit of open descriptors; other processes may change it (prlimit(2)).
  package static var descriptorLimit: Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    return Int(min(limit.rlim_cur, 1 << 20))
  }

  /// The resident memory of this process in bytes.
  package static var residentBytes: Int {
    guard let statm = FileSystem.contents(of: "/proc/self/statm", limit: 4096) else { return 0 }
    let pages = String(decoding: statm, as: UTF8.self).split(separator: " ").dropFirst().first
    return pages.flatMap { Int($0) }.map { $0 * 4096 } ?? 0
  }

  /// Suspends the calling thread.
  ///
  /// The corresponding C function is `usleep`.
  package static func sleep(milliseconds: UInt32) { usleep(milliseconds * 1000) }
}
