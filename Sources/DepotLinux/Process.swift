internal import CDepotLinux
internal import Glibc

/// Processes and their environment.
package enum Process {
  /// The number of this process.
  package static var identifier: Int32 { getpid() }

  /// The user that this process acts as.
  package static var user: UInt32 { geteuid() }

  /// Returns an environment variable that isn't empty, or `nil`.
  package static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// The folder of the running program, or `nil`.
  package static var programFolder: String? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0 else { return nil }
    let path = String(decoding: buffer.prefix(count), as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) }
  }

  /// Whether `path` is a file that this process may run.
  ///
  /// The corresponding C function is `access`.
  package static func isExecutable(_ path: String) -> Bool { access(path, X_OK) == 0 }

  /// Starts a program in a session of its own, with nothing on its standard input and output.
  ///
  /// The corresponding C function is `posix_spawn`.
  ///
  /// - Parameters:
  ///   - arguments: The path of the program and its arguments.
  ///   - log: The file that gets what the program writes to its standard error, at its end.
  /// - Returns: The number of the new process.
  /// - Throws: ``SystemError`` if it can't be started.
  package static func spawnDetached(
    _ arguments: [String],
    log: String
  ) throws(SystemError) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    // Whoever waits for this process to end must not have to wait for the new one.
    depot_spawn_close_from(&actions, 3)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(depot_spawn_setsid()))
    var vector = arguments.map { strdup($0) } + [nil]
    defer { for pointer in vector { free(pointer) } }
    var process: pid_t = 0
    let code = posix_spawn(&process, arguments[0], &actions, &attributes, &vector, environ)
    guard code == 0 else { throw SystemError(call: "posix_spawn", code: code) }
    return process
  }

  /// Opens /dev/null where the standard input, output, or error is closed, so that no file that
  /// matters gets their numbers.
  package static func openStandardDescriptors() {
    var number: Int32 = 0
    while 0...2 ~= number { number = depot_open_inherited("/dev/null", O_RDWR) }
    if number > 2 { close(number) }
  }

  /// How many descriptors this process may have open.
  package static let descriptorLimit: Int = {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1024 }
    return Int(min(limit.rlim_cur, 1 << 20))
  }()

  /// How much memory this process has in RAM, in bytes.
  package static var residentBytes: Int {
    guard let statm = FileSystem.contents(of: "/proc/self/statm", limit: 4096) else { return 0 }
    let pages = String(decoding: statm, as: UTF8.self).split(separator: " ").dropFirst().first
    return pages.flatMap { Int($0) }.map { $0 * 4096 } ?? 0
  }

  /// Lets this thread rest.
  ///
  /// The corresponding C function is `usleep`.
  package static func sleep(milliseconds: UInt32) { usleep(milliseconds * 1000) }
}
