internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// `depot clients`: the connections to the service.
enum ClientsVerb {
  static let verb = Verb(
    name: "clients",
    operands: .init("", 0...0, .words(["end"])),
    summary: "list the clients of the service, and their running calls",
    details: """
      Of each connection but this one: its number, since when it is open, the user, the program and its \
      process, and the calls that have no answer yet, each with its entity and how long it takes already.
      """,
    examples: ["depot clients", "depot clients -o json"]
  ) { session in
    try session.require(.documents)
    let connection = try session.connect(mayStart: false)
    let list = try connection.stats()["connections"]?["list"]?.array ?? []
    let clients = list.map(ConnectedClient.init).filter { $0.number != connection.identifier }
    try session.write(
      .array(clients.map(\.json)),
      orTable: ["connection", "since", "user", "program", "runs"],
      clients.map(\.cells)
    )
    if clients.isEmpty, session.format.isTable { session.say("No other client is connected.") }
  }
}

/// `depot clients end`: the closing of a connection.
enum ClientsEndVerb {
  static let verb = Verb(
    name: "clients end",
    operands: .init("N", 1...1),
    summary: "close a connection to the service",
    details: """
      N is its number in depot clients. Its calls are cancelled, and its program is told that the owner of \
      the service has ended it; a change that it was about to make is stored or not, as after a lost \
      connection. A program may connect again; --allow-user and --allow-group of depotd say who may. \
      Only the owner of the service and root may do it.
      """,
    examples: ["depot clients end 7"]
  ) { session in
    let text = session.invocation.operands[0]
    guard let number = Int64(text), number > 0 else {
      throw DepotError(.usage, "\"\(text)\" isn't the number of a connection.")
        .hint("They are listed by: depot clients")
    }
    try session.connect(mayStart: false).close(connection: number)
    session.write(.object(["ended": .int64(number)]), orText: "Ended connection \(number).")
  }
}

/// A connection as reported by `stats`.
private struct ConnectedClient {
  private let facts: JSONValue

  init(_ facts: JSONValue) { self.facts = facts }

  var number: Int64 { facts["connection"]?.int64 ?? 0 }

  private var process: Int64 { facts["pid"]?.int64 ?? 0 }

  /// The name of the user, or the number if the user is unknown here.
  private var user: String {
    guard let number = facts["uid"]?.int64.flatMap(UInt32.init(exactly:)) else { return "?" }
    return UserDatabase.name(ofUser: number) ?? "\(number)"
  }

  /// The name of the process; the client's own name for itself if the system has none.
  private var program: String {
    let file = FileSystem.contents(of: "/proc/\(process)/comm", limit: 4096)
    let name = file.map { String(decoding: $0.prefix { $0 != 10 }, as: UTF8.self) }
    return name ?? facts["client"]?["name"]?.string ?? "?"
  }

  private var since: String { HistoryText.time(secondsAgo: facts["seconds"]?.double ?? 0) }

  /// The unanswered calls, as text.
  private var running: String {
    (facts["calls"]?.array ?? []).map { call in
      let words = [call["op"]?.string, call["entity"]?.string].compactMap(\.self)
      return
        "\(words.joined(separator: " ")) (\(Numbers.span(seconds: call["seconds"]?.double ?? 0)))"
    }.joined(separator: ", ")
  }

  /// The facts for programs.
  var json: JSONValue {
    var members = facts.object ?? [:]
    members["user"] = .string(user)
    members["program"] = .string(program)
    members["since"] = .string(since)
    return .object(members)
  }

  /// The facts for people.
  var cells: [TableCell] {
    [
      .number("\(number)"), TableCell(text: since), TableCell(text: TextWidth.printable(user)),
      TableCell(text: TextWidth.printable("\(program) (\(process))")), TableCell(text: running),
    ]
  }
}
