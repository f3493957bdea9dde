internal import DepotClient
internal import DepotLinux
internal import DepotProtocol

/// `depot service start`: a service in the background.
enum ServiceStartVerb {
  private static let data = OptionSpec(
    name: "data",
    value: "DIR",
    help: "the folder of the store (default: $XDG_DATA_HOME/depot)",
    candidates: .files
  )

  static let verb = Verb(
    words: ["service", "start"],
    summary: "start a service and wait until it answers",
    examples: ["depot service start", "depot service start --data /srv/depot"],
    options: [data],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    do throws(DepotError) {
      let status = try ServiceStatus(session.connect(mayStart: false))
      session.write(status.json, orText: "A service runs already (process \(status.process)).")
      return 0
    } catch {
      guard error.code == .noService else { throw error }
    }
    let arguments = session.invocation.value(data).map { ["--data", $0] } ?? []
    try session.socket.startService(arguments: arguments)
    let status = try ServiceStatus(session.connect(mayStart: false))
    session.write(status.json, orText: "Started (process \(status.process)).")
    return 0
  }
}

/// `depot service stop`: no more service.
enum ServiceStopVerb {
  static let verb = Verb(
    words: ["service", "stop"],
    summary: "stop the service and wait until it has ended",
    examples: ["depot service stop"],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let connection = try session.connect(mayStart: false)
    let process = try ServiceStatus(connection).process
    try connection.shutdown()
    // A service that drains finishes what it does, which may take its time but not for ever.
    for _ in 0..<6000 where Process.exists(Int32(process)) { Process.sleep(milliseconds: 5) }
    guard !Process.exists(Int32(process)) else {
      throw DepotError(.busy, "The service (process \(process)) still runs after 30 seconds.")
        .hint("It ends when what it does is done; see its log.")
    }
    session.write(
      .object(["stopped": .int64(Int64(process))]),
      orText: "Stopped (process \(process))."
    )
    return 0
  }
}

/// `depot service status`: whether a service runs.
enum ServiceStatusVerb {
  static let verb = Verb(
    words: ["service", "status"],
    summary: "show whether a service runs",
    details: "The exit status is 0 if one runs, else 69.",
    examples: ["depot service status", "depot service status -o json"],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    do throws(DepotError) {
      let status = try ServiceStatus(session.connect(mayStart: false))
      session.write(status.json, orText: status.text)
      return 0
    } catch {
      guard error.code == .noService else { throw error }
      session.write(
        .object(["running": .bool(false), "socket": .string(session.socket.path)]),
        orText: "No service runs at \(session.socket.path)."
      )
      return error.code.exitStatus
    }
  }
}

/// What a running service says about itself.
struct ServiceStatus {
  private let stats: JSONValue

  init(_ connection: BlockingConnection) throws(DepotError) {
    do {
      stats = try connection.stats()
    } catch {
      throw error as? DepotError ?? DepotError(.bug, "\(error)")
    }
  }

  /// The number of the process.
  var process: Int64 { stats["server"]?["pid"]?.int64 ?? 0 }

  /// The facts for programs.
  var json: JSONValue {
    var members = stats["server"]?.object ?? [:]
    members["running"] = .bool(true)
    members["connections"] = stats["connections"]
    members["store"] = stats["store"]
    return .object(members)
  }

  /// The facts for people.
  var text: String {
    let server = stats["server"]
    var lines = ["running      process \(process), depotd \(server?["version"]?.string ?? "?")"]
    if let seconds = server?["uptimeSeconds"]?.double {
      lines.append("uptime       \(Numbers.span(seconds: seconds))")
    }
    if let current = stats["connections"]?["current"]?.int64 {
      lines.append("connections  \(Numbers.grouped(Int(current)))")
    }
    if let bytes = stats["memory"]?["residentBytes"]?.int64 {
      lines.append("memory       \(Numbers.size(bytes: Int(bytes)))")
    }
    for (name, value) in (stats["store"]?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
      if let text = value.string { lines.append("store        \(name) \(text)") }
    }
    return lines.joined(separator: "\n")
  }
}
