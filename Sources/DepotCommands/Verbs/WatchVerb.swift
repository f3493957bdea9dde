internal import DepotClientCore
internal import DepotLinux
internal import DepotProtocol

/// `depot watch`: rows as they change.
enum WatchVerb {
  private static let count: OptionSpec = "--count: only how many rows there are"
  private static let ids: OptionSpec = "--ids: only which rows there are, without values"
  private static let since: OptionSpec =
    "--since TOKEN: begin with the changes since then instead of all rows"
  private static let noSnapshot: OptionSpec =
    "--no-snapshot: leave out the rows that are there at first"
  private static let changes: OptionSpec = "--changes N: end after N changes"
  private static let retry: OptionSpec =
    "--retry SECONDS: how long to try to connect again (default: 60)"

  static let verb = Verb(
    name: "watch",
    operands: .init("ENTITY|IDENTIFIERS", 1...1000, .entities),
    summary: "show rows as they change",
    details: """
      On a terminal, a table that changes in place: rows that come are marked +, rows that go -, and
      values that change are highlighted for a moment. Ctrl-C ends it with status 0 and leaves the table.
      With -o ndjson, as in a pipe, an object in each line. "kind" says what it is:
        snapshot     token, rows: how many there are; each follows as a "row"
        row          at (its place), row
        inserted     token, author if known, at, row
        updated      token, author if known, at, from (its place before), properties, row
        removed      token, author if known, from, row (its "$id" only)
        current      token: nothing changed up to there
        interrupted  the connection was lost; the watch goes on when there is another
        resumed      token, rows, order (all identifiers); with --since, before the rows that "changed"
        count        token, count; with --count
      Changes of one commit have the same token. Apply them in this order: take out those removed and
      those updated, at the places before; then put in those inserted and updated, as they come.
      With TERM=dumb and -o table in a pipe, a line of text for each change.
      """,
    examples: [
      "depot watch Package --where \"section == 'database'\" --sort installedSize:desc --limit 20",
      "depot watch Package --select name,version | jq -c 'select(.kind == \"updated\")'",
      "depot watch Package/42 Package/43",
      "depot watch Package --count",
      "depot watch Package --since 3f2b8c01-9d20c4e7a1b2-1042 -o ndjson",
    ],
    options: OptionSpec.rows + [count, ids, since, noSnapshot, changes, retry, .versions, .null]
  ) { session in
    let invocation = session.invocation
    try session.require([.table, .ndjson])
    let subject = try subject(invocation)
    let since = try invocation.value(since).map { text throws(DepotError) in try HistoryToken(text)
    }
    let limit = try invocation.number(changes, minimum: 1)
    let patience = try invocation.number(retry) ?? 60
    var request = WatchRequest(subject, since: since)
    request.bookmarkMilliseconds = 30_000
    if case .fetch(let fetch) = subject {
      let shown = display(session, fetch.entity)
      try watch(
        request,
        shown,
        WatchRun(session, patience: patience, refresh: shown.refresh),
        limit
      )
    } else {
      try watchCount(request, session, patience, limit)
    }
  }

  /// Returns the query that a command line wants to watch.
  ///
  /// - Throws: ``DepotError`` `request.usage` and others.
  static func subject(_ invocation: Invocation) throws(DepotError) -> WatchRequest.Subject {
    let isIdentified = invocation.operands[0].contains("/")
    if !isIdentified, invocation.operands.count > 1 {
      throw DepotError(.usage, "One entity can be watched at a time.")
        .hint("Several identifiers of one entity can: depot watch Package/1 Package/2")
    }
    if isIdentified, invocation.value(.predicate) != nil {
      throw DepotError(.usage, "--where and identifiers contradict each other.")
    }
    if invocation.has(count) {
      guard !isIdentified else { throw DepotError(.usage, "--count goes with an entity.") }
      return .count(try Selection.count(invocation))
    }
    var fetch: FetchRequest
    if isIdentified {
      let (entity, identifiers) = try Selection.identifiers(invocation.operands)
      var named = invocation
      named.operands = [entity]
      fetch = try Selection.fetch(named)
      fetch.predicate = .in(.attribute("$id"), identifiers.map { .value(.int64($0)) })
    } else {
      fetch = try Selection.fetch(invocation)
    }
    if invocation.has(ids) {
      guard fetch.select == nil else {
        throw DepotError(.usage, "--ids and --select contradict each other.")
      }
      fetch.select = []
    }
    return .fetch(fetch)
  }

  private static func display(_ session: CommandSession, _ entity: String) -> any WatchDisplay {
    let style = session.style(entity)
    let showsSnapshots = !session.invocation.has(noSnapshot)
    if style.format == .ndjson {
      return WatchObjects(style, showsSnapshots: showsSnapshots, session.output)
    }
    guard session.isOutputTerminal, !session.messages.isDumb, session.invocation.value(since) == nil
    else {
      return WatchLog(style, showsSnapshots: showsSnapshots, session.output)
    }
    return WatchTerminal(style, session.output) {
      WatchScreen.Size(width: Terminal.width(1) ?? 80, height: Terminal.height(1) ?? 24)
    }
  }

  private static func watch(
    _ request: WatchRequest,
    _ display: any WatchDisplay,
    _ run: WatchRun,
    _ limit: Int?
  ) throws {
    var reader = LiveReader(since: request.since) { try WatchedRow(from: &$0) }
    let result = Result {
      try run.run(request, limit: limit ?? .max) {
        reader.token
      } lost: { error in
        reader.restart()
        try display.show(.interrupted(error), reader.rows, columns: reader.columns ?? [])
      } frames: { bytes in
        guard let event = try reader.receive(bytes) else { return false }
        try display.show(event, reader.rows, columns: reader.columns ?? [])
        if case .change = event { return true }
        return false
      }
    }
    // The terminal's last content stays even if the watch has failed.
    try display.end()
    try result.get()
  }

  private static func watchCount(
    _ request: WatchRequest,
    _ session: CommandSession,
    _ patience: Int,
    _ limit: Int?
  ) throws {
    let isTerminal = session.isOutputTerminal && !session.messages.isDumb
    let display = WatchedCount(
      session.output,
      isObject: session.format == .ndjson,
      isRewritten: isTerminal && session.format.isTable
    )
    let run = try WatchRun(session, patience: patience) { nil }
    var reader = AnswerReader.count
    let result = Result {
      // The first answer isn't a change.
      try run.run(request, limit: limit.map { $0 + 1 } ?? .max) {
        reader.token ?? request.since
      } lost: { _ in
        reader.restart()
      } frames: { bytes in
        guard let answer = try reader.receive(bytes) else { return false }
        try display.show(answer)
        return true
      }
    }
    try display.end()
    try result.get()
  }
}
