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
    let path = session.invocation.operands[0]
    let text = try InputFile(path).readAll(limit: Limits.frameBytes)
    let schema: Schema
    do throws(DepotError) {
      schema = try Schema(parsing: text)
    } catch {
      var located = error
      located.at = path + (error.at.map { ": \($0)" } ?? "")
      located.message = error.message.replacingPrefix("The frame", with: "The file")
      throw located
    }
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

extension String {
  fileprivate func replacingPrefix(_ prefix: String, with other: String) -> String {
    hasPrefix(prefix) ? other + dropFirst(prefix.count) : self
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
    printer.begin(headings: ["entity", "attribute", "type", "properties"])
    for entity in schema.entities {
      for attribute in entity.attributes {
        try printer.print(
          [entity.name, attribute.name, attribute.type.rawValue, properties(attribute)]
            .map { TableCell(text: $0) }
        )
      }
      for index in entity.indexes {
        try printer.print(
          [entity.name, index.joined(separator: ", "), "index", ""].map { TableCell(text: $0) }
        )
      }
    }
    try printer.end()
  }

  private static func properties(_ attribute: Attribute) -> String {
    var words: [String] = []
    if attribute.isOptional { words.append("optional") }
    if attribute.isUnique { words.append("unique") }
    if attribute.isIndexed { words.append("indexed") }
    if let value = attribute.defaultValue {
      var writer = JSONWriter()
      writer.write(value)
      words.append("default \(String(decoding: writer.bytes, as: UTF8.self))")
    }
    return words.joined(separator: ", ")
  }
}
