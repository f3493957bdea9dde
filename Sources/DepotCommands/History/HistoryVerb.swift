internal import DepotClientCore
internal import DepotProtocol

/// `depot history`: the changes of transactions, and the history that is kept.
enum HistoryVerb {
  static let since: OptionSpec =
    "--since MOMENT: only transactions after this token or date, such as 2026-05-01T12:00:00Z"
  static let until: OptionSpec = "--until TOKEN: only transactions up to this one"
  static let author: OptionSpec = "--author NAME: only transactions of this author"
  static let properties: OptionSpec =
    "--properties NAMES: only changes of these properties, as in name,size"
  private static let reverse: OptionSpec = "--reverse: the last transaction first"
  static let noValues: OptionSpec = "--no-values: leave out old and new values"
  private static let consumer: OptionSpec =
    "--consumer NAME: begin where this consumer has read up to"
  private static let acknowledge: OptionSpec =
    "--acknowledge: with --consumer: note the shown transactions as read"
  private static let forget: OptionSpec = "--forget: with --consumer: forget it, and show nothing"
  private static let status: OptionSpec = "--status: show how much is kept, and who reads it"
  private static let deleteBefore: OptionSpec =
    "--delete-before MOMENT: delete the transactions before it, and show nothing"

  static let verb = Verb(
    name: "history",
    operands: .history,
    summary: "show what transactions changed, the oldest first",
    details: """
      A table has a line for each change; ndjson has an object for each transaction, several if it
      is large, and json an array of them. The last line on the standard error is the token from which to go on.
      """,
    examples: [
      "depot history --since 3f2b8c01-9d20c4e7a1b2-1042", "depot history Package --author ann",
      "depot history Package/42 --properties name,section", "depot history --status",
      "depot history --consumer mirror --acknowledge -o ndjson",
      "depot history --delete-before 2026-01-01T00:00:00Z",
    ],
    options: [
      since, until, author, properties, .limit, reverse, noValues, consumer, acknowledge, forget,
      status, deleteBefore,
    ]
  ) { session in
    let invocation = session.invocation
    try session.require(.documents)
    if invocation.has(status) { return try showStatus(session) }
    if let text = invocation.value(deleteBefore) {
      let count = try session.connect().deleteHistory(before: try moment(text))
      session.write(
        .object(["deleted": .int64(Int64(count))]),
        orText: "Deleted \(Numbers.counted(count, "transaction"))."
      )
      return
    }
    if invocation.has(forget) {
      guard let name = invocation.value(consumer) else {
        throw DepotError(.usage, "--forget needs --consumer.")
      }
      try session.connect().forgetHistoryConsumer(name)
      return
    }
    var request = try request(invocation)
    request.isDescending = invocation.has(reverse)
    request.consumer = invocation.value(consumer)
    if invocation.has(acknowledge), request.consumer == nil || request.isDescending {
      throw DepotError(.usage, "--acknowledge needs --consumer, and the oldest first.")
    }
    let connection = try session.connect()
    // A transaction that the pager never showed must not be acknowledged.
    if !invocation.has(acknowledge) { session.beginPaging() }
    let end = try show(request, connection, session)
    if invocation.has(acknowledge), let name = request.consumer {
      try connection.acknowledgeHistory(end.token, consumer: name)
    }
    session.say(end.token.description)
  }

  /// Returns the request that a command line describes.
  static func request(_ invocation: Invocation) throws(DepotError) -> HistoryRequest {
    var request = HistoryRequest()
    request.since = try invocation.value(since).map(moment)
    request.until = try invocation.value(until).map { text throws(DepotError) in
      try HistoryToken(text)
    }
    request.author = invocation.value(author)
    request.properties = invocation.value(properties).map(Selection.names)
    request.limit = try invocation.number(.limit)
    request.hasValues = !invocation.has(noValues)
    if let first = invocation.operands.first {
      if first.contains("/") {
        let (entity, identifiers) = try Selection.identifiers(invocation.operands)
        request.entity = entity
        request.identifiers = identifiers
      } else {
        guard invocation.operands.count == 1 else {
          throw DepotError(.usage, "Only one entity's history can be shown at a time.")
        }
        request.entity = first
      }
    }
    return request
  }

  /// Reads a token or a date.
  static func moment(_ text: String) throws(DepotError) -> HistoryMoment {
    if let token = try? HistoryToken(text) { return .token(token) }
    guard case .date(let date)? = Value.string(text).converted(to: .date) else {
      throw DepotError(.usage, "\(text.debugDescription) is neither a token nor a date.")
        .hint(
          "Tokens are like 3f2b8c01-9d20c4e7a1b2-1042, dates like 2026-05-01 or 2026-05-01T12:00:00Z."
        )
    }
    return .date(date)
  }

  /// Shows transactions as they arrive.
  private static func show(
    _ request: HistoryRequest,
    _ connection: BlockingConnection,
    _ session: CommandSession
  ) throws -> HistoryEnd {
    guard session.format.isTable else { return try writeJSON(request, connection, session) }
    let table = TablePrinter(session.style(""), session.output)
    table.begin(
      headings: ["token", "at", "author", "change", "row", "values"],
      whole: [0, 4],
      sentences: [5]
    )
    let end = try table.writing {
      try WrittenTransactions.reporting(
        isDescending: request.isDescending,
        in: session.output
      ) { written in
        try connection.history(request) { transaction in
          for line in HistoryText.lines(transaction) {
            try table.print(line.map { TableCell(text: TextWidth.printable($0)) })
          }
          written.note(transaction.token)
        }
      }
    }
    try session.output.flush()
    return end
  }

  /// Writes transactions as JSON, as they arrive.
  @discardableResult
  static func writeJSON(
    _ request: HistoryRequest,
    _ connection: BlockingConnection,
    _ session: CommandSession
  ) throws -> HistoryEnd {
    let sequence = JSONSequence(session.output, isArray: session.format == .json)
    let result = try sequence.writing {
      try WrittenTransactions.reporting(
        isDescending: request.isDescending,
        in: session.output
      ) { written in
        try connection.send(.history(request)) { frame in
          for node in try frame.member("next")?.elements() ?? [] {
            let transaction = try JSONValue(node)
            sequence.append(transaction.text)
            if let text = transaction["token"]?.string { written.note(try HistoryToken(text)) }
          }
          try session.output.flush()
        }
      }
    }
    try session.output.flush()
    return try HistoryEnd(result)
  }

  private static func showStatus(_ session: CommandSession) throws {
    let connection = try session.connect()
    guard session.format.isTable else {
      return session.write(try JSONValue(connection.send(.historyStatus)))
    }
    let status = try connection.historyStatus()
    let kept = Numbers.counted(status.transactions, "transaction")
    session.output.append("\(kept), about \(Numbers.size(bytes: status.bytes))\n")
    session.output.append("oldest: \(status.oldest?.description ?? "none")\n")
    session.output.append("last: \(status.head)\n")
    for consumer in status.consumers {
      let note = consumer.isExpired ? " (what came then isn't kept any more)" : ""
      session.output.append("consumer \(consumer.name): \(consumer.token)\(note)\n")
    }
  }
}
