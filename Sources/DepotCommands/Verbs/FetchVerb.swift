internal import DepotClientCore
internal import DepotProtocol

/// `depot fetch`: rows that satisfy a predicate.
enum FetchVerb {
  private static let prefetch = OptionSpec(
    "--prefetch PATHS: bring the rows of these relationships along, as in country,tags.owner",
    candidates: .paths(.relationships),
    isRepeatable: true
  )
  private static let distinct: OptionSpec =
    "--distinct: show rows with the same selected values once"
  static let after = OptionSpec(
    "--after PLACE: only rows after it: a row's identifier, or JSON of its sort keys' values and "
      + "identifier"
  )
  private static let sectionBy = OptionSpec(
    "--section-by PATH: count the rows by this path, which is the first sort key",
    candidates: .paths(.any)
  )
  static let subentityColumns: OptionSpec =
    "--subentity-columns: also show the columns of entities that descend from it"

  static let verb = Verb(
    name: "fetch",
    operands: .entity,
    summary: "show rows",
    details: """
      Rows that their reader is slow to take wait in a file below $TMPDIR, up to 4 GiB of them.
      Prefetched rows stand inside of those that lead to them, which only json and ndjson can show.
      Sections and their counts come last: in table as a table, in ndjson as an object.
      """,
    examples: [
      "depot fetch Package --where \"section == 'database' AND installedSize > 10000\"",
      "depot fetch Package --sort installedSize:desc,name --limit 10 --select name,installedSize",
      "depot fetch Author --sort books.@count:desc,books.@max.year",
      "depot fetch Trip --prefetch country,stops.hotel -o json",
      "depot fetch Trip --sort price --limit 20 --after '[99.5,4711]'",
      "depot fetch Package --select section --distinct",
      "depot fetch Trip --section-by country.name",
      "depot fetch Package -o csv > packages.csv",
    ],
    options: OptionSpec.rows
      + [prefetch, distinct, after, sectionBy, subentityColumns, .versions, .null]
  ) { session in
    let request = try request(session.invocation)
    var style = session.style(request.entity)
    if request.isDistinct { style.showsIdentifier = false }
    try check(request, style.format)
    session.beginPaging()
    let connection = try session.connect()
    if !request.prefetch.isEmpty {
      let printer = NestedPrinter(style, session.output)
      _ = try printer.writing { try connection.send(.fetch(request), frames: printer.print) }
      return try session.output.flush()
    }
    try stream(.fetch(request), style, connection, session, hasIdentity: !request.isDistinct)
  }

  /// Returns the request that a command line describes.
  static func request(_ invocation: Invocation) throws(DepotError) -> FetchRequest {
    var request = try Selection.fetch(invocation)
    request.prefetch = invocation.values(prefetch).flatMap(Selection.names)
    request.isDistinct = invocation.has(distinct)
    request.after = try invocation.value(after).map(Selection.place)
    request.sectionBy = invocation.value(sectionBy)
    request.includesSubentityColumns = invocation.has(subentityColumns)
    return request
  }

  private static func check(_ request: FetchRequest, _ format: OutputFormat) throws(DepotError) {
    if !request.prefetch.isEmpty, format != .json, format != .ndjson {
      throw DepotError(.usage, "Prefetched rows can't be shown as \(format.rawValue).")
        .hint("Use -o json, or select what you need, as in --select name,country.name.")
    }
    if request.sectionBy != nil, !format.isTable, format != .ndjson || !request.prefetch.isEmpty {
      throw DepotError(.usage, "Sections can't be shown here.")
        .hint("Use -o table or -o ndjson, without --prefetch.")
    }
    if let path = request.sectionBy, Selection.isExpression(path) {
      throw DepotError(.usage, "Sections are by a path, not by \"\(path)\".")
        .hint("To count by a computed value: depot aggregate \(request.entity) --by \(path)")
    }
    if request.isDistinct, request.select == nil || format == .ids {
      throw DepotError(.usage, "--distinct needs selected columns.")
        .hint("Add --select, as in --select section --distinct.")
    }
  }

  /// Writes rows as they arrive, with progress if they aren't shown on the terminal.
  ///
  /// - Returns: How many rows there were.
  @discardableResult
  static func stream(
    _ operation: Operation,
    _ style: RowStyle,
    _ connection: BlockingConnection,
    _ session: CommandSession,
    hasIdentity: Bool = false
  ) throws -> Int {
    let printer = style.printer(to: session.output)
    let meter = session.meter(ofOutput: true)
    defer { meter.finish() }
    var count = 0
    let result = try printer.writing {
      try counting({ count }) {
        try connection.send(operation) { frame in
          if let names = frame.columns {
            // Printers expect an identity, and leave it out if the rows have none.
            try printer.begin(columns: hasIdentity ? names : ["$id", "$version"] + names)
          }
          try frame.withRows(hasIdentity: hasIdentity) { row in
            try printer.print(&row)
            count += 1
            meter.update(rows: count)
          }
        }
      }
    }
    try writeSections(result, style, session)
    try session.output.flush()
    meter.finish()
    if style.format.isTable, hasIdentity { sayCount(count, printer, session) }
    return count
  }

  /// Runs `body`, which writes rows; an error says how many were written before it.
  static func counting<Result>(
    _ count: () -> Int,
    _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch var error as DepotError where count() > 0 {
      if error.code == .outboundTooLarge {
        error.message = "The service ended the read, since nobody took the output for too long."
      }
      error.message += " \(Numbers.counted(count(), "row")) before it were written."
      if [.disconnected, .streamExpired, .outboundTooLarge].contains(error.code) {
        error.hint =
          "The same command with --offset \(count()) writes the rest, unless rows came or went meanwhile."
      }
      throw error
    }
  }

  /// Writes the sections of a result, if it has any.
  private static func writeSections(
    _ result: JSONNode,
    _ style: RowStyle,
    _ session: CommandSession
  ) throws {
    var reader = try JSONObjectReader(result)
    guard let node = reader.optional("sections") else { return }
    let sections = try JSONValue(node)
    guard style.format.isTable else {
      return session.output.append(JSONValue.object(["$sections": sections]).text + "\n")
    }
    session.output.append("\n")
    let rows = (sections.array ?? []).compactMap(\.array).filter { $0.count == 2 }.map { section in
      let key = section[0] == .null ? style.nullText : section[0].string ?? section[0].text
      return [TableCell(text: TextWidth.printable(key)), .number(section[1].text)]
    }
    try TablePrinter.write(["section", "rows"], rows, style, to: session.output)
  }

  /// Says how many rows a table has, and how many columns didn't fit.
  static func sayCount(_ count: Int, _ printer: any RowPrinter, _ session: CommandSession) {
    let omitted = (printer as? TablePrinter)?.omittedColumns ?? 0
    let note =
      omitted > 0
      ? " (\(Numbers.counted(omitted, "column")) left out; choose with --select, or -o expanded)"
      : ""
    session.say(Numbers.counted(count, "row") + note)
  }
}
