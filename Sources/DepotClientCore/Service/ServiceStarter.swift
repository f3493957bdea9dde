internal import DepotLinux
package import DepotProtocol

/// The starting of a service by a client.
struct ServiceStarter {
  let socket: SocketPath

  /// How long a service may take until it answers, in milliseconds.
  static let patience = 30_000

  /// Starts `depotd` with the last service's store, unless that service was stopped on purpose.
  ///
  /// - Parameter missing: The error that no service answers, for when none may be started.
  /// - Returns: A connection.
  /// - Throws: `missing`, or another ``DepotError`` `unavailable.service`, or the reason why
  ///   `depotd` can't serve.
  func startAgain(_ missing: DepotError) throws(DepotError) -> Descriptor {
    guard socket.isUnnamed, !Process.isSet("DEPOT_NO_START") else { throw missing }
    let record = ServiceRecord(besideSocket: socket.path)
    if let record, record.isStopped {
      throw DepotError(.noService, "The service at \(socket.path) was stopped.")
        .hint("Start it again with: \(socket.startCommand)")
    }
    return try start(arguments: storeArguments(record))
  }

  /// The arguments for the store that is served here unless another one is named.
  ///
  /// - Throws: ``DepotError`` `notfound.file` if it isn't the default store and its file doesn't
  ///   exist.
  func storeArguments(_ record: ServiceRecord?) throws(DepotError) -> [String] {
    guard let record else { return [] }
    let isDefault = ServicePaths.store.flatMap(FileSystem.resolved) == record.store
    let isDatabase = ContainerStore.isDatabase(record.store)
    guard isDefault || isDatabase || FileSystem.size(of: record.store) != nil else {
      throw DepotError(
        .fileNotFound,
        "The last service at \(socket.path) had the store \(record.store), which isn't there."
      ).hint("Name the store to serve: \(socket.startCommand) --data DIR")
    }
    return ["--store", record.store]
  }

  /// Starts `depotd` with more arguments and waits until it answers.
  ///
  /// Two clients may do this at once: the second daemon finds the socket taken and ends.
  ///
  /// - Throws: ``DepotError`` why `depotd` can't serve, or `unavailable.service` if there is none or it
  ///   doesn't say.
  func start(arguments: [String]) throws(DepotError) -> Descriptor {
    guard let program = Self.findDaemon() else {
      throw DepotError(.noService, "No service answers, and there is no depotd to start.")
        .hint("Put depotd beside this program or into PATH, or name it in DEPOT_DAEMON.")
    }
    let folder = socket.path.lastIndex(of: "/").map { String(socket.path[..<$0]) } ?? "."
    do throws(SystemError) {
      try FileSystem.createPrivateFolder(folder)
    } catch {
      let code = error.isPermission ? DepotError.Code.filePermission : .noService
      throw DepotError(code, "The socket's folder \(folder) can't be made (\(error)).")
        .hint("Make it, or choose another place with --socket or XDG_RUNTIME_DIR.")
    }
    try DepotError.refuseDistrust(folderOf: socket.path)
    let log = folder + "/depotd.log"
    // The service keeps the file short itself; its output before that goes there too.
    let command =
      [program, "--report-start", "--log-file", log, "--socket", socket.path] + arguments
    let begin = Monotonic.now()
    let end = begin + UInt64(Self.patience) * 1_000_000
    while true {
      do throws(DepotError) {
        try Self.start(command, log, until: end)
        return try socket.connect()
      } catch {
        // Another service has the socket: it doesn't answer yet, or not any more.
        guard error.details?["socket"] != nil, Monotonic.now() < end else { throw error }
      }
      if let descriptor = try waitForOther(since: begin) { return descriptor }
    }
  }

  /// Waits a while for the service that has the socket to answer or to end.
  ///
  /// - Parameter begin: When the wait for it began, in nanoseconds of the monotonic clock.
  /// - Returns: A connection; `nil` if a service may be started.
  /// - Throws: ``DepotError`` `unavailable.busy` if it holds the socket but doesn't accept
  ///   connections.
  private func waitForOther(since begin: UInt64) throws(DepotError) -> Descriptor? {
    let start = Monotonic.now()
    while true {
      let failure: DepotError
      do throws(DepotError) {
        return try socket.connect()
      } catch {
        failure = error
      }
      let holder = ListeningSocket.Holder(besideSocket: socket.path)
      let now = Monotonic.now()
      guard holder?.isRunning ?? (now - start < 200_000_000) else { return nil }
      if let holder, holder.isListening, now - begin > Self.silence {
        throw DepotError(
          .busy,
          "Process \(holder.process) has the socket \(socket.path), but can't be reached there. "
            + failure.message
        )
        .hint("End it with \"kill \(holder.process)\", and start the service again.")
      }
      if now - start > Self.retryPause { return nil }
      Process.sleep(milliseconds: 5)
    }
  }

  /// How long a service that listens may be out of reach, in nanoseconds.
  private static let silence: UInt64 = 1_500_000_000
  /// How long to wait for another service before one is started again, in nanoseconds.
  private static let retryPause: UInt64 = 2_000_000_000

  /// Starts a service and waits until it says that it answers.
  private static func start(
    _ command: [String],
    _ log: String,
    until end: UInt64
  ) throws(DepotError) {
    let (process, report) = try spawn(command, log)
    guard let line = line(from: report, until: end) else {
      throw DepotError(.noService, "\(command[0]) was started but doesn't answer yet.")
        .hint("See \(log).")
    }
    if let error = failure(in: line) {
      _ = Process.wait(for: process)
      throw error
    }
    guard line.isEmpty else { return }
    let status = Process.wait(for: process).map { " with status \($0)" } ?? ""
    throw DepotError(.noService, "\(command[0]) ended\(status) before it answered.")
      .hint("See \(log).")
  }

  private static func spawn(
    _ command: [String],
    _ log: String
  ) throws(DepotError) -> (process: Int32, report: Descriptor) {
    do throws(SystemError) {
      let ends = try Descriptor.pipe()
      return (try Process.spawnDetached(command, output: ends.writing, log: log), ends.reading)
    } catch {
      throw DepotError(.noService, "\(command[0]) can't be started (\(error)).")
        .hint("Its log would be \(log).")
    }
  }

  /// Reads the line that reports that a service answers, or why it can't.
  ///
  /// - Returns: Nothing if it ended without a line, `nil` if the time is over.
  private static func line(from report: Descriptor, until end: UInt64) -> [UInt8]? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 1)
    defer { buffer.deallocate() }
    var line: [UInt8] = []
    while true {
      let now = Monotonic.now()
      guard now < end else { return nil }
      let left = Int((end - now) / 1_000_000) + 1
      guard Poll.wait(for: [report], milliseconds: left) == [true] else { continue }
      guard let count = try? report.read(into: buffer), count > 0 else { return line }
      line.append(contentsOf: buffer[..<count])
      if line.last == UInt8(ascii: "\n") { return line }
    }
  }

  static func failure(in line: [UInt8]) -> DepotError? {
    guard let document = try? JSONDocument(line),
      var report = try? JSONObjectReader(document.root), let error = report.optional("err")
    else { return nil }
    return try? DepotError(error)
  }

  static func findDaemon() -> String? {
    if let path = Process.environment("DEPOT_DAEMON") { return path }
    let folders =
      [Process.programFolder].compactMap { $0 }
      + (Process.environment("PATH") ?? "").split(separator: ":").map(String.init)
    return folders.map { $0 + "/depotd" }.first(where: Process.isExecutable)
  }
}

extension SocketPath {
  /// Connects to the service here, or to one that is started if the policy says so.
  func connect(_ policy: StartPolicy) throws(DepotError) -> Descriptor {
    do throws(DepotError) {
      return try connect()
    } catch {
      guard error.code == .noService, policy == .ifMissing else { throw error }
      return try ServiceStarter(socket: self).startAgain(error)
    }
  }

  /// Starts a service here and waits until it answers.
  ///
  /// - Parameter data: The folder of its store; the store that the last service here had if `nil`, or the
  ///   default store if there was none.
  /// - Throws: ``DepotError`` why `depotd` can't serve, `notfound.file` if the last store doesn't
  ///   exist, `unavailable.service` if there is no `depotd` or it doesn't answer.
  package func startService(data: String? = nil) throws(DepotError) {
    let starter = ServiceStarter(socket: self)
    try DepotError.refuseDistrust(folderOf: path)
    let record = ServiceRecord(besideSocket: path)
    let arguments = if let data { ["--data", data] } else { try starter.storeArguments(record) }
    _ = try starter.start(arguments: arguments)
  }

  /// Records that no service is to be started here automatically, until one is started on purpose.
  package func noteStopped() {
    guard let store = ServiceRecord(besideSocket: path)?.store ?? ServicePaths.store else {
      return
    }
    try? ServiceRecord(store: store, isStopped: true).write(besideSocket: path)
  }

  /// Whether the service here was stopped on purpose, and the store of the last one, if any.
  package var lastService: (store: String, isStopped: Bool)? {
    ServiceRecord(besideSocket: path).map { ($0.store, $0.isStopped) }
  }
}
