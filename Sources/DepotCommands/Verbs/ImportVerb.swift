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
  static let ignoreUnknown = OptionSpec(
    name: "ignore-unknown",
    help: "leave out what the entity has no attribute for"
  )
  private static let null = OptionSpec(
    name: "null",
    value: "TEXT",
    help: "what stands for null in csv and tsv, besides an empty field of a non-string"
  )

  static let verb = Verb(
    words: ["import"],
    operands: "ENTITY FILE|-",
    operandCount: 2...2,
    operand: .entityThenFile,
    summary: "insert the records of a file",
    details: """
      Members and columns are named as the attributes are; $id and $version are left out. What a
      record doesn't name gets its default, or null; with --on-conflict replace it keeps its value.
      An empty CSV field is an empty string, or null if the attribute holds no strings. Without
      --rejects the first bad record ends the import; what was stored before it stays.
      """,
    examples: [
      "depot import Package packages.ndjson",
      "depot import Package packages.csv --on-conflict replace --rejects bad.ndjson",
      "curl -s https://example.org/packages.json | depot import Package -",
    ],
    options: [format, batch, OptionSpec.onConflict, rejects, ignoreUnknown, null],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let invocation = session.invocation
    var options = Importer.Options()
    options.batch = min(Limits.rows, try invocation.number(batch, minimum: 1) ?? 1000)
    options.onConflict = try invocation.choice(.onConflict) ?? .error
    options.ignoresUnknown = invocation.has(ignoreUnknown)
    options.nullText = invocation.value(null)
    let format = try invocation.choice(format, ImportFormat.self)
    let file = try InputFile(invocation.operands[1])
    let connection = try session.connect()
    let entity = try connection.schema().entity(named: invocation.operands[0])
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
    return importer.outcome.rejected == 0 ? 0 : 65
  }

  /// Returns the sentence that says what became of the records.
  static func summary(_ outcome: Importer.Outcome, seconds: Double) -> String {
    var parts = ["\(Numbers.grouped(outcome.inserted)) inserted"]
    if outcome.updated > 0 { parts.append("\(Numbers.grouped(outcome.updated)) updated") }
    if outcome.skipped > 0 { parts.append("\(Numbers.grouped(outcome.skipped)) skipped") }
    if outcome.rejected > 0 { parts.append("\(Numbers.grouped(outcome.rejected)) rejected") }
    return "\(Numbers.counted(outcome.rows, "row")): \(parts.joined(separator: ", "))"
      + " in \(Numbers.span(seconds: seconds))"
  }
}
