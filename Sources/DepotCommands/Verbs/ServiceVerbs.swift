internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// `depot service start`: the start of a service in the background.
enum ServiceStartVerb {
  private static let data = OptionSpec(
    "--data DIR: the folder of the store (default: the store that the last service at this socket "
      + "had, else $XDG_DATA_HOME/depot)"
  )

  static let verb = Verb(
    name: "service start",
    summary: "start a service and wait until it answers",
    details: """
      The other verbs start one by themselves if none answers, with the same store as the last one; but \
      only at the user's own socket, not at one that --socket or $DEPOT_SOCKET names, and not after depot \
      service stop. With --no-start, or DEPOT_NO_START=1 in the environment, they never do, and neither do \
      watch and log --follow.
      """,
    examples: ["depot service start", "depot service start --data /srv/depot"],
    options: [data]
  ) { session in
    let folder = session.invocation.value(data)
    if let connection = try session.connectIfRunning() {
      let status = try ServiceStatus(connection)
      try check(status, folder)
      return session.write(
        status.json,
        orText: "A service runs already (process \(status.process)), "
          + "with the store \(status.store)."
      )
    }
    try session.socket.startService(data: folder)
    let status = try ServiceStatus(session.connect(mayStart: false))
    // Another program may have started a service meanwhile.
    try check(status, folder)
    session.write(
      status.json,
      orText: "Started (process \(status.process)), with the store \(status.store)."
    )
  }

  /// - Throws: ``DepotError`` `unavailable.busy` unless a service has the wanted store.
  private static func check(_ status: ServiceStatus, _ folder: String?) throws(DepotError) {
    guard let folder, !status.hasStore(at: folder + "/depot.sqlite") else { return }
    throw DepotError(.busy, "The service that runs there has the store \(status.store).")
      .hint("Stop it first, or choose another socket with --socket.")
  }
}

/// `depot service stop`: the end of the service.
enum ServiceStopVerb {
  static let verb = Verb(
    name: "service stop",
    summary: "stop the service and wait until it has ended",
    details: """
      No program starts another one by itself until depot service start. Also when none runs, which is \
      an error.
      """,
    examples: ["depot service stop"]
  ) { session in
    guard let connection = try session.connectIfRunning() else {
      session.socket.noteStopped()
      throw DepotError(.noService, "No service runs at \(session.socket.path).")
        .hint("No command starts one by itself until: \(session.socket.startCommand)")
    }
    let process = try ServiceStatus(connection).process
    try connection.shutdown()
    // A service that drains finishes its calls, which takes time, but not forever.
    for _ in 0..<6000 where Process.exists(Int32(clamping: process)) {
      Process.sleep(milliseconds: 5)
    }
    guard !Process.exists(Int32(clamping: process)) else {
      throw DepotError(.busy, "The service (process \(process)) still runs after 30 seconds.")
        .hint("It ends after its current work; see its log.")
    }
    session.write(
      .object(["stopped": .int64(Int64(process))]),
      orText: "Stopped (process \(process))."
    )
  }
}

/// `depot service status`: the state of the service.
enum ServiceStatusVerb {
  static let verb = Verb(
    name: "service status",
    summary: "show whether a service runs, and which",
    details: "The exit status is 0 if one runs, else 69.",
    examples: ["depot service status", "depot service status -o json"]
  ) { session in
    if let connection = try session.connectIfRunning() {
      let status = try ServiceStatus(connection)
      return session.write(status.json, orText: status.text)
    }
    let path = session.socket.path
    var members: [String: JSONValue] = ["running": .bool(false), "socket": .string(path)]
    var lines = ["No service runs at \(path)."]
    if let last = session.socket.lastService {
      members["stopped"] = .bool(last.isStopped)
      members["storePath"] = .string(last.store)
      lines.append("The last one had the store \(last.store).")
      if last.isStopped { lines.append("It was stopped, so that none is started by itself.") }
    }
    session.write(.object(members), orText: lines.joined(separator: "\n"))
    throw ExitStatus(status: DepotError.Code.noService.exitStatus)
  }
}

extension CommandSession {
  /// Connects to the running service; `nil` if there is none.
  func connectIfRunning() throws(DepotError) -> BlockingConnection? {
    do throws(DepotError) {
      return try connect(mayStart: false)
    } catch {
      guard error.code == .noService else { throw error }
      return nil
    }
  }
}

/// The facts reported by a running service.
struct ServiceStatus {
  private let stats: JSONValue
  /// The time when it began, in whole seconds.
  private let since: String?

  init(_ connection: BlockingConnection) throws {
    stats = try connection.stats()
    since = (stats["server"]?["uptimeSeconds"]?.double).map(HistoryText.time(secondsAgo:))
  }

  /// The number of the process.
  var process: Int64 { stats["server"]?["pid"]?.int64 ?? 0 }

  /// The path of the store.
  var store: String { stats["server"]?["storePath"]?.string ?? "?" }

  func hasStore(at path: String) -> Bool {
    path == store || FileSystem.resolved(path) == FileSystem.resolved(store)
      || FileSystem.isSameFile(path, store)
  }

  /// The facts for programs.
  var json: JSONValue {
    var members = stats["server"]?.object ?? [:]
    members["running"] = .bool(true)
    members["since"] = since.map(JSONValue.string)
    members["connections"] = stats["connections"]
    members["store"] = stats["store"]
    return .object(members)
  }

  /// The facts for people.
  var text: String {
    let server = stats["server"]
    var lines = [
      "process      \(process)", "version      depotd \(server?["version"]?.string ?? "?")",
      "socket       \(server?["socket"]?.string ?? "?")", "store        \(store)",
    ]
    if let safety = stats["store"]?["cluster"]?["safety"]?.string {
      lines.append("safety       \(safety)")
    }
    if let since, let seconds = server?["uptimeSeconds"]?.double {
      lines.append("since        \(since) (\(Numbers.span(seconds: seconds)) ago)")
    }
    if let current = stats["connections"]?["current"]?.int64 {
      lines.append("connections  \(Numbers.grouped(Int(current)))")
    }
    if let bytes = stats["memory"]?["residentBytes"]?.int64 {
      lines.append("memory       \(Numbers.size(bytes: Int(bytes)))")
    }
    return lines.joined(separator: "\n")
  }
}

/// `depot ping`: a check that the service answers.
enum PingVerb {
  static let verb = Verb(
    name: "ping",
    summary: "see whether the service answers",
    details: "It never starts a service. The exit status is 0 if one answers, else 69.",
    examples: ["depot ping", "depot ping && echo there"]
  ) { session in
    let connection = try session.connect(mayStart: false)
    let start = Monotonic.now()
    try connection.ping()
    let microseconds = (Monotonic.now() - start) / 1000
    session.write(
      .object(["microseconds": .int64(Int64(microseconds))]),
      orText: "The service at \(session.socket.path) answered in \(microseconds) µs."
    )
  }
}
