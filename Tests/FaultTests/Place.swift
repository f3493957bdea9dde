import DepotClient
import DepotSQLite
import Foundation
import Glibc
import TestSupport

/// A folder with a store and a socket, removed in the end.
final class Place: Sendable {
  let folder: String
  /// Where the store is, and nothing else.
  var data: String { folder + "/data" }
  var store: String { data + "/store.sqlite" }
  var socket: String { folder + "/s" }
  var log: String { folder + "/log" }
  /// What strace wrote about the daemon's life so far.
  var trace: String { folder + "/trace" }

  /// The size in bytes of a page of a store, and of one with its header in the log.
  static let pageSize = DatabaseHeader.newPageSize
  static let frameSize = pageSize + 24

  init() throws {
    folder = "/tmp/depot-fault-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  /// The log is copied after 4 MiB rather than 16, so that writes needn't be large to make that due.
  private var arguments: [String] {
    [Programs.daemon, "--socket", socket, "--store", store, "--log-mib", "8"]
  }

  /// Starts the daemon, without waiting for it.
  func start(_ options: [String] = []) throws -> TestProcess {
    try TestProcess(arguments + options, log: log)
  }

  /// Starts the daemon with strace's expressions, as in `inject=fdatasync:error=EIO:when=2`, and its options.
  ///
  /// strace's own process is the grandchild, so that the status is the daemon's.
  func start(
    tracing expressions: [String],
    paths: [String] = [],
    options: [String] = [],
    _ more: [String] = []
  ) throws -> TestProcess {
    let options = options + expressions.flatMap { ["-e", $0] } + paths.flatMap { ["-P", $0] }
    return try TestProcess(
      ["strace", "-D", "-f", "-o", trace] + options + arguments + more,
      log: log
    )
  }

  /// Connects as soon as the daemon answers; `nil` if it ended before.
  func connect(_ daemon: TestProcess) -> BlockingConnection? {
    while daemon.isRunning {
      if let connection = try? BlockingConnection(socket: SocketPath(socket)) { return connection }
      usleep(1000)
    }
    return nil
  }

  /// Starts the daemon and connects.
  func serve(_ options: [String] = []) throws -> (TestProcess, BlockingConnection) {
    let daemon = try start(options)
    guard let connection = connect(daemon) else {
      throw TestFailure("depotd ended with status \(daemon.wait()): \(text(of: log))")
    }
    return (daemon, connection)
  }

  /// Runs `depotd --check`.
  func check(_ path: String? = nil) throws -> (status: Int32, output: String) {
    let output = folder + "/check"
    try? FileManager.default.removeItem(atPath: output)
    let child = try TestProcess(
      [Programs.daemon, "--check", "--store", path ?? store],
      log: output
    )
    let status = child.wait()
    return (status, text(of: output))
  }

  func text(of path: String) -> String {
    String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
  }
}

/// A fault in the system calls of a process that runs, which ends with the reference.
final class Fault: Sendable {
  private let strace: TestProcess

  /// Adds a fault to a running daemon.
  ///
  /// - Parameters:
  ///   - call: The system call.
  ///   - fault: What happens instead, as in `error=EIO:when=1`; the count begins now.
  ///   - daemon: The process, all of whose threads are concerned.
  ///   - path: The file that is concerned; `nil` for all.
  ///   - place: Where strace's own output goes.
  /// - Throws: ``TestFailure`` if strace can't attach.
  init(
    _ call: String,
    _ fault: String,
    in daemon: TestProcess,
    path: String? = nil,
    _ place: Place
  ) throws {
    let log = place.folder + "/strace-\(UUID().uuidString)"
    strace = try TestProcess(
      [
        "strace", "-f", "-p", "\(daemon.identifier)", "-o", place.trace, "-e", "trace=\(call)",
        "-e", "inject=\(call):\(fault)",
      ] + (path.map { ["-P", $0] } ?? []),
      log: log
    )
    while !place.text(of: log).contains("attached") {
      guard strace.isRunning else { throw TestFailure(place.text(of: log)) }
      usleep(1000)
    }
    // Threads are attached one after the other before the message that names their number.
  }

  /// Takes the fault away.
  func end() {
    strace.signal(SIGTERM)
    strace.wait()
  }
}

extension TestProcess {
  /// Starts a program that never outlives a test for long; what it prints goes to the file `log`.
  convenience init(_ arguments: [String], log: String) throws {
    try self.init(arguments, output: .file(log), errors: .file(log), limit: 60)
  }
}
