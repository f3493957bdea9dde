internal import DepotClientCore
internal import DepotProtocol

/// `depot schema apply`: the definition of a store's schema.
enum SchemaApplyVerb {
  static let dryRun: OptionSpec = "-n, --dry-run: say what would change and change nothing"

  static let verb = Verb(
    name: "schema apply",
    operands: .file,
    summary: "give the store a schema",
    details: """
      It only adds: entities, relationships, indexes, and attributes that are optional or have a
      default, whatever the schema's version is. Applying the same schema again changes nothing.
      Anything else is refused before something is changed, and is for depot schema migrate.
      """,
    examples: [
      "depot schema apply packages.schema.json", "depot schema apply --dry-run new.schema.json",
    ],
    options: [dryRun]
  ) { session in
    let isDryRun = session.invocation.has(dryRun)
    let result = try SchemaMigrateVerb.define(session, isDryRun: isDryRun, allowing: .additions)
    session.write(
      .object([
        "changed": .bool(result.isChanged),
        "changes": .array(result.changes.map(JSONValue.string)),
        "schema": .string(result.fingerprint),
      ]),
      orText: sentence(result, isDryRun: isDryRun)
    )
  }

  private static func sentence(_ result: SchemaResult, isDryRun: Bool) -> String {
    guard result.isChanged || !result.changes.isEmpty else { return "Nothing changed." }
    let intro = isDryRun ? "Nothing was changed, but this would:" : "Changed:"
    return ([intro] + result.changes.map { "  " + $0 }).joined(separator: "\n")
  }
}

/// `depot schema show`: the store's schema.
enum SchemaShowVerb {
  /// The message about a store without a schema.
  static let noEntities =
    "The store has no entities yet. Give it some: depot schema apply FILE (see: depot help schema)"

  private static let typeScript: OptionSpec =
    "--typescript: as interfaces for programs with the JavaScript client"
  private static let swift: OptionSpec =
    "--swift: as structures for programs with DepotClient"
  private static let file: OptionSpec =
    "--file FILE: the schema in FILE, or - for standard input, rather than the service's"

  static let verb = Verb(
    name: "schema show",
    operands: .init("[ENTITY]", 0...1, .entities),
    summary: "show the store's schema",
    details: """
      Piped, or with -o json, it is in the form that depot schema apply reads. As code, it can be written \
      without "show": depot schema --typescript, depot schema --swift.
      """,
    examples: [
      "depot schema show", "depot schema show > packages.schema.json",
      "depot schema --typescript > entities.ts",
    ],
    options: [typeScript, swift, file],
    impliedBy: [typeScript, swift]
  ) { session in
    try session.require([.table, .expanded, .json, .ndjson, .ids])
    var schema =
      try session.invocation.value(file).map { try SchemaFile.read($0) }
      ?? session.connect().schema()
    if session.invocation.has(typeScript) {
      return session.output.append(TypeScriptCode.text(schema))
    }
    if session.invocation.has(swift) { return session.output.append(SwiftCode.text(schema)) }
    if let name = session.invocation.operands.first {
      schema.entities = [try schema.entity(named: name)]
    }
    session.beginPaging()
    switch session.format {
    case .table, .expanded: try writeTable(schema, session)
    case .ids: for entity in schema.entities { session.output.append(entity.name + "\n") }
    default:
      let json = schema.json
      session.output.append(
        (session.chosenFormat == .ndjson ? json : PrettyJSON.text(of: json)) + "\n"
      )
    }
  }

  private static func writeTable(_ schema: Schema, _ session: CommandSession) throws {
    if schema.entities.isEmpty { return session.say(noEntities) }
    let rows = SchemaTable.rows(schema).map { $0.map { TableCell(text: $0) } }
    let headings = ["entity", "name", "type", "properties"]
    try TablePrinter.write(headings, rows, session.style(""), to: session.output)
  }
}
