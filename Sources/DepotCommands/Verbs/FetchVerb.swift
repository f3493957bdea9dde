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
      + [prefetch, distinct, .after, sectionBy, subentityColumns, .versions, .null]
  ) { session in
    let request = try request(session.invocation)
    var style = try session.style(knowing: request.entity)
    if request.isDistinct { style.showsIdentifier = false }
    try check(request, style.format)
    session.beginPaging()
    let connection = try session.connect()
    if let place = session.invocation.value(.after), place.contains("/") {
      try Selection.checkPlace(place, of: request.entity, connection.schema())
    }
    if !request.prefetch.isEmpty {
      let printer = NestedPrinter(style, session.output)
      _ = try printer.writing { try connection.send(.fetch(request), frames: printer.print) }
      return try session.output.flush()
    }
    try RowStream.write(
      .fetch(request),
      style,
      connection,
      session,
      hasIdentity: !request.isDistinct
    )
  }

  /// Returns the request that a command line describes.
  static func request(_ invocation: Invocation) throws(DepotError) -> FetchRequest {
    var request = try Selection.fetch(invocation)
    request.prefetch = invocation.values(prefetch).flatMap(Selection.names)
    request.isDistinct = invocation.has(distinct)
    request.after = try invocation.value(.after).map(Selection.place)
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
}
