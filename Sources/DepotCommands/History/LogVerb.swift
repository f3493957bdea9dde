internal import DepotClient
internal import DepotProtocol

/// `depot log`: what happened last.
enum LogVerb {
  private static let follow = OptionSpec(
    name: "follow",
    short: "f",
    help: "the newest last, and then what is committed from now on, until Ctrl-C"
  )
  private static let retry = OptionSpec(
    name: "retry",
    value: "SECONDS",
    help: "with --follow: how long to try to connect again (default: 60)"
  )

  static let verb = Verb(
    words: ["log"],
    operands: "[ENTITY | ENTITY/ID …]",
    operandCount: 0...Int.max,
    operand: .entity,
    summary: "show the last transactions, the newest first",
    details: """
      Without --limit there are 20, unless --since says where to end. With --follow those come first, and
      the newest last; Ctrl-C ends it with status 0. With -o ndjson, as in a pipe, there is an object for
      each transaction, several if it is large and was there before.
      """,
    examples: [
      "depot log", "depot log Package/42", "depot log --author ann --limit 3", "depot log -f",
      "depot log -f Package --since 3f2b8c01-1042 | jq -c '.changes[]'",
    ],
    options: [
      HistoryVerb.since, HistoryVerb.until, HistoryVerb.author, HistoryVerb.properties, .limit,
      HistoryVerb.noValues, follow, retry,
    ],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    var request = try HistoryVerb.request(session.invocation)
    if session.invocation.has(follow) { return try HistoryFollowing(session).run(request, retry) }
    if session.invocation.value(retry) != nil {
      throw DepotError(.usage, "--retry goes with --follow.")
    }
    request.isDescending = true
    if request.limit == nil, request.since == nil { request.limit = 20 }
    let connection = try session.connect()
    guard session.format == .table else {
      _ = try connection.perform(.history(request)) { frame in
        for node in try frame.member("next")?.elements() ?? [] {
          session.output.append(try JSONValue(node).text + "\n")
        }
        try session.output.flush()
      }
      return 0
    }
    let printer = LogPrinter(session)
    try connection.history(request) { try printer.print($0) }
    return 0
  }
}

/// Transactions one after the other: a heading with the changes below, or an object in a line.
final class LogPrinter {
  private let session: Session
  private var last: HistoryToken?

  init(_ session: Session) {
    self.session = session
  }

  /// Shows a transaction, or the next piece of one.
  func print(_ transaction: HistoryTransaction) throws {
    let output = session.output
    guard session.format == .table else {
      output.append(JSONValue(transaction).text + "\n")
      return try output.flush()
    }
    if transaction.token != last {
      if last != nil { output.append("\n") }
      output.append(HistoryText.heading(transaction))
      last = transaction.token
    }
    for change in transaction.changes {
      output.append("    \(TextWidth.printable(HistoryText.sentence(change)))\n")
    }
    try output.flush()
  }
}
