internal import DepotClient
internal import DepotProtocol

/// `depot schema apply`: the store gets a schema.
enum SchemaApplyVerb {
  private static let dryRun = OptionSpec(
    name: "dry-run",
    short: "n",
    help: "say what would change and change nothing"
  )

  static let verb = Verb(
    words: ["schema", "apply"],
    operands: "FILE|-",
    operandCount: 1...1,
    operand: .file,
    summary: "give the store a schema",
    details: """
      Entities, optional attributes, and indexes may be added to what the store has. Applying the
      same schema again changes nothing.
      """,
    examples: [
      "depot schema apply packages.schema.json", "depot schema apply --dry-run new.schema.json",
    ],
    options: [dryRun],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let schema = try SchemaFile.read(session.invocation.operands[0])
    let isDryRun = session.invocation.has(dryRun)
    let result = try session.connect().define(schema, isDryRun: isDryRun)
    session.write(
      .object([
        "changed": .bool(result.isChanged),
        "changes": .array(result.changes.map(JSONValue.string)),
        "schema": .string(result.fingerprint),
      ]),
      orText: sentence(result, isDryRun: isDryRun)
    )
    return 0
  }

  private static func sentence(_ result: SchemaResult, isDryRun: Bool) -> String {
    guard result.isChanged || !result.changes.isEmpty else { return "Nothing changed." }
    let intro = isDryRun ? "Nothing was changed, but this would:" : "Changed:"
    return ([intro] + result.changes.map { "  " + $0 }).joined(separator: "\n")
  }
}

/// `depot schema show`: the schema that the store has.
enum SchemaShowVerb {
  static let verb = Verb(
    words: ["schema", "show"],
    operands: "[ENTITY]",
    operandCount: 0...1,
    operand: .entity,
    summary: "show the store's schema",
    details: "Piped, or with -o json, it is in the form that depot schema apply reads.",
    examples: ["depot schema show", "depot schema show > packages.schema.json"],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    var schema = try session.connect().schema()
    if let name = session.invocation.operands.first {
      schema.entities = [try schema.entity(named: name)]
    }
    switch session.format {
    case .table: try writeTable(schema, session)
    case .ids: for entity in schema.entities { session.output.append(entity.name + "\n") }
    default:
      let json = Array(schema.json.utf8)
      session.output.append(
        (session.chosenFormat == .ndjson ? schema.json : PrettyJSON.text(of: json)) + "\n"
      )
    }
    return 0
  }

  private static func writeTable(_ schema: Schema, _ session: Session) throws {
    let printer = TablePrinter(session.style(""), session.output)
    printer.begin(headings: ["entity", "name", "type", "properties"])
    for row in SchemaTable.rows(schema) { try printer.print(row.map { TableCell(text: $0) }) }
    try printer.end()
  }
}
