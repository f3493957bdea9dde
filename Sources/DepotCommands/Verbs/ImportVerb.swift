internal import DepotClient
internal import DepotProtocol

/// `depot import`: rows from a file.
enum ImportVerb {
  private static let format = OptionSpec(
    name: "format",
    value: "FORMAT",
    help: "json, ndjson, csv, or tsv (default: by the file's name and first bytes)",
    candidates: .words(ImportFormat.allCases.map(\.rawValue))
  )
  private static let batch = OptionSpec(
    name: "batch",
    value: "N",
    help: "rows in a transaction, at most \(Limits.rows) (default: 1000)"
  )
  private static let rejects = OptionSpec(
    name: "rejects",
    value: "FILE",
    help: "write bad records to FILE and go on",
    candidates: .files
  )
  private static let all = OptionSpec(
    name: "all",
    help: "the folder of an export of a whole store"
  )
  static let ignoreUnknown = OptionSpec(
    name: "ignore-unknown",
    help: "leave out what the entity has no attribute for"
  )
  private static let null = OptionSpec(
    name: "null",
    value: "TEXT",
    help: "what stands for null in csv and tsv, besides an empty field of a non-string"
  )

  private static let link = OptionSpec(
    name: "link",
    value: "REL=ENTITY.KEY",
    help: "the values of relationship REL are keys, as in depends=Package.name; repeatable",
    isRepeatable: true
  )
  private static let key = OptionSpec(
    name: "key",
    value: "REL=ENTITY.KEY",
    help: "objects inside of REL that have the same key are one row; repeatable",
    isRepeatable: true
  )
  private static let listSeparator = OptionSpec(
    name: "list-separator",
    value: "CHARACTER",
    help: "what stands between the values of a list in csv and tsv (default: ;)"
  )
  private static let ignoreMissing = OptionSpec(
    name: "ignore-missing",
    help: "leave out links to rows that don't exist"
  )
  private static let resume = OptionSpec(
    name: "resume",
    value: "JOURNAL",
    help: "note progress in JOURNAL; the same command goes on after an interruption",
    candidates: .files
  )

  static let verb = Verb(
    words: ["import"],
    operands: "ENTITY FILE|- | --all DIR",
    operandCount: 1...2,
    operand: .entityThenFile,
    summary: "insert the records of a file",
    details: """
      Members and columns are named as the attributes are; $id and $version are left out. What a
      record doesn't name gets its default, or null; with --on-conflict replace it keeps its value.
      An empty CSV field is an empty string, or null if the attribute holds no strings. Without
      --rejects the first bad record ends the import; what was stored before it stays.

      A relationship takes keys of the rows that it leads to, identifiers as numbers, or objects
      that are rows themselves. Rows that come later in the file can be referred to. The key need not
      be named if the other entity has a unique attribute.

      With --resume, an import that was interrupted, even killed, goes on when the same command is
      given again: nothing is lost and nothing is stored twice. The files must not change meanwhile.
      """,
    examples: [
      "depot import Package packages.ndjson",
      "depot import Package packages.csv --on-conflict replace --rejects bad.ndjson",
      "depot import Package packages.ndjson --link depends=Package.name --rejects bad.ndjson",
      "depot import Package packages.json --key maintainer=Maintainer.email --resume import.state",
      "depot import --all backup --resume import.state",
      "curl -s https://example.org/packages.json | depot import Package -",
    ],
    options: [
      format, batch, OptionSpec.onConflict, rejects, ignoreUnknown, null, link, key, listSeparator,
      ignoreMissing, resume, all,
    ],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let invocation = session.invocation
    var options = Importer.Options()
    options.batch = min(Limits.rows, try invocation.number(batch, minimum: 1) ?? 1000)
    options.onConflict = try invocation.choice(.onConflict) ?? .error
    options.ignoresUnknown = invocation.has(ignoreUnknown)
    options.nullText = invocation.value(null)
    if invocation.has(all) { return try importAll(options, session) }
    guard invocation.operands.count == 2 else {
      throw DepotError(.usage, "depot import needs \(verb.operands).")
        .hint("See: depot import --help")
    }
    let format = try invocation.choice(format, ImportFormat.self)
    let connection = try session.connect()
    let schema = try connection.schema()
    let entity = try schema.entity(named: invocation.operands[0])
    if needsGraph(entity, schema, invocation) {
      return try GraphImport(
        connection,
        graph(entity, schema, format, options, invocation),
        session
      )
      .run()
    }
    let file = try InputFile(invocation.operands[1])
    let rejected = try invocation.value(rejects).map { path throws(DepotError) in
      try RejectsFile(path: path)
    }
    let meter = ProgressMeter(session.messages, isOn: !session.isQuiet)
    defer { meter.finish() }
    var done = 0
    let importer = Importer(entity, options, rejects: rejected) { request in
      let result = try connection.insert(request)
      done += request.rows.count
      meter.draw(rows: done, fraction: file.fraction)
      return result
    }
    try ImportSource.read(file, format: format, into: importer)
    meter.finish()
    session.say(summary(importer.outcome, seconds: meter.seconds))
    return importer.outcome.exitStatus
  }

  private static func importAll(_ options: Importer.Options, _ session: Session) throws -> Int32 {
    guard session.invocation.operands.count == 1 else {
      throw DepotError(.usage, "--all takes one folder and no entity.")
    }
    let others = [format, rejects, ignoreUnknown, null, link, key, listSeparator, ignoreMissing]
    if let other = others.first(where: session.invocation.has) {
      throw DepotError(.usage, "--all and --\(other.name) contradict each other.")
    }
    var graph = GraphImporter.Options()
    graph.batch = options.batch
    graph.onConflict = options.onConflict
    return try WholeStore(session.invocation.operands[0], session)
      .importAll(graph, journal: session.invocation.value(resume))
  }

  /// Whether records can't simply become rows.
  private static func needsGraph(
    _ entity: Entity,
    _ schema: Schema,
    _ invocation: Invocation
  ) -> Bool {
    GraphImport.isNeeded(entity, schema) || invocation.has(resume)
      || !invocation.values(link).isEmpty || !invocation.values(key).isEmpty
  }

  private static func graph(
    _ entity: Entity,
    _ schema: Schema,
    _ format: ImportFormat?,
    _ options: Importer.Options,
    _ invocation: Invocation
  ) throws(DepotError) -> GraphImport.Plan {
    let separator = invocation.value(listSeparator) ?? ";"
    guard separator.count == 1, let separator = separator.first else {
      throw DepotError(.usage, "--list-separator takes one character.")
    }
    let rules = invocation.values(link) + invocation.values(key)
    var plan = GraphImport.Plan(
      source: GraphSource(
        path: invocation.operands[1],
        format: format,
        entity: entity,
        schema: schema,
        rules: try LinkRules(rules, of: entity, schema),
        style: ImportStyle(
          ignoresUnknown: options.ignoresUnknown,
          nullText: options.nullText,
          listSeparator: separator
        ),
        keepsInput: invocation.value(rejects) != nil
      )
    )
    plan.options.batch = options.batch
    plan.options.onConflict = options.onConflict
    plan.options.ignoresMissing = invocation.has(ignoreMissing)
    plan.rejects = invocation.value(rejects)
    plan.journal = invocation.value(resume)
    plan.description = "\(rules) \(options.batch) \(options.onConflict)"
    return plan
  }

  /// Returns the sentence that says what became of the records.
  static func summary(_ outcome: Importer.Outcome, seconds: Double) -> String {
    var parts = ["\(Numbers.grouped(outcome.inserted)) inserted"]
    if outcome.updated > 0 { parts.append("\(Numbers.grouped(outcome.updated)) updated") }
    if outcome.skipped > 0 { parts.append("\(Numbers.grouped(outcome.skipped)) skipped") }
    if outcome.rejected > 0 { parts.append("\(Numbers.grouped(outcome.rejected)) rejected") }
    if outcome.unlinked > 0 {
      parts.append("\(Numbers.grouped(outcome.unlinked)) without all their links")
    }
    return "\(Numbers.counted(outcome.rows, "row")): \(parts.joined(separator: ", "))"
      + " in \(Numbers.span(seconds: seconds))"
  }
}
