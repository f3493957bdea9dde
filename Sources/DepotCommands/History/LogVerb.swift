internal import DepotClientCore
internal import DepotProtocol

/// `depot log`: the last transactions.
enum LogVerb {
  private static let follow: OptionSpec =
    "-f, --follow: the newest last, and then new transactions, until Ctrl-C"
  private static let retry: OptionSpec =
    "--retry SECONDS: with --follow: how long to try to connect again (default: 60)"

  private static let each: OptionSpec =
    "--each: each transaction by itself, also those that one command made together"

  static let verb = Verb(
    name: "log",
    operands: .history,
    summary: "show the last transactions, the newest first",
    details: """
      Without --limit there are 20, unless --since says where to end. What one command did in many
      transactions, as an import, is one entry with the numbers of rows, unless --each, --properties, or
      a row is given; depot undo takes it back with the token of any of them. With --follow those come first, and
      the newest last, each by itself; Ctrl-C ends it with status 0. With -o ndjson, as in a pipe, there is an object for
      each transaction, several if it is large and was there before; -o json is an array of them, and
      can't be followed.
      """,
    examples: [
      "depot log", "depot log Package/42", "depot log --author ann --limit 3", "depot log -f",
      "depot log -f Package --since 3f2b8c01-9d20c4e7a1b2-1042 | jq -c '.changes[]'",
    ],
    options: [
      HistoryVerb.since, HistoryVerb.until, HistoryVerb.author, HistoryVerb.properties, .limit,
      HistoryVerb.noValues, each, follow, retry,
    ]
  ) { session in
    var request = try HistoryVerb.request(session.invocation)
    if session.invocation.has(follow) {
      try session.require([.table, .ndjson], with: follow)
      return try HistoryFollowing(session).run(request, retry)
    }
    session.beginPaging()
    if session.invocation.value(retry) != nil {
      throw DepotError(.usage, "--retry goes with --follow.")
    }
    try session.require(.documents)
    request.isDescending = true
    if request.limit == nil, request.since == nil { request.limit = 20 }
    let connection = try session.connect()
    guard session.format.isTable else {
      try HistoryVerb.writeJSON(request, connection, session)
      return
    }
    request.joinsGroups = !session.invocation.has(each)
    let printer = LogPrinter(session)
    try WrittenTransactions.reporting(
      isDescending: request.isDescending,
      in: session.output
    ) { written in
      _ = try connection.history(request) { transaction in
        try printer.print(transaction)
        written.note(transaction.token)
      }
    }
  }
}

/// A printer of transactions: a heading with the changes below, or an object on a line.
@Memberwise("session")
final class LogPrinter {
  private let session: CommandSession
  private var last: HistoryToken?

  /// Prints a transaction, or the next piece of one.
  func print(_ transaction: HistoryTransaction) throws {
    let output = session.output
    guard session.format.isTable else {
      output.append(JSONValue(transaction).text + "\n")
      return try output.flush()
    }
    if transaction.token != last {
      if last != nil { output.append("\n") }
      output.append(wrapped(HistoryText.heading(transaction), 2) + "\n")
      last = transaction.token
    }
    if let joined = transaction.joined {
      output.append("    \(HistoryText.sentence(joined))\n")
    }
    for change in transaction.changes {
      output.append("    " + wrapped(HistoryText.sentence(change), 8) + "\n")
    }
    try output.flush()
  }

  /// Returns a line wrapped for the terminal.
  private func wrapped(_ text: String, _ indentation: Int) -> String {
    TextFlow.wrapped(
      TextWidth.printable(text),
      width: session.outputWidth,
      indentation: indentation
    )
  }
}
