internal import DepotClient
internal import DepotProtocol

/// `depot schema diff`: what separates the store's schema from one in a file.
enum SchemaDiffVerb {
  static let verb = Verb(
    words: ["schema", "diff"],
    operands: "FILE|-",
    operandCount: 1...1,
    operand: .file,
    summary: "compare the store's schema with one in a file",
    details: "Nothing is changed. Steps that can lose values are marked with an exclamation mark.",
    examples: ["depot schema diff packages.schema.json"],
    run: run
  )

  @Sendable private static func run(_ session: Session) throws -> Int32 {
    let wanted = try SchemaFile.read(session.invocation.operands[0])
    let plan = MigrationPlan.infer(from: try session.connect().schema(), to: wanted)
    var lines = plan.steps.map { ($0.isDestructive ? "! " : "  ") + $0.description }
    lines += plan.problems.map { "x " + $0 }
    session.write(
      .object([
        "from": plan.old.version.map { .string($0.description) } ?? .null,
        "to": plan.new.version.map { .string($0.description) } ?? .null,
        "steps": .array(
          plan.steps.map {
            .object([
              "description": .string($0.description), "destructive": .bool($0.isDestructive),
            ])
          }
        ),
        "problems": .array(plan.problems.map(JSONValue.string)),
      ]),
      orText: lines.isEmpty ? "The schemas are equal." : lines.joined(separator: "\n")
    )
    return 0
  }
}

/// `depot schema plan`: what a migration would do, and how long it would take.
enum SchemaPlanVerb {
  static let verb = Verb(
    words: ["schema", "plan"],
    operands: "FILE|-",
    operandCount: 1...1,
    operand: .file,
    summary: "tell what a migration would do",
    details: """
      The service tries the migration and undoes it: the steps, the rows that each is about, those
      that are in the way, the time, and where the backup would be. Nothing is changed.
      """,
    examples: ["depot schema plan packages.schema.json"],
    run: { try SchemaMigrateVerb.run($0, isDryRun: true) }
  )
}

/// `depot schema migrate`: the store gets a newer version of its schema.
enum SchemaMigrateVerb {
  private static let dryRun = OptionSpec(
    name: "dry-run",
    short: "n",
    help: "say what would change and change nothing"
  )
  private static let noBackup = OptionSpec(
    name: "no-backup",
    help: "don't copy the store first"
  )

  static let verb = Verb(
    words: ["schema", "migrate"],
    operands: "FILE|-",
    operandCount: 1...1,
    operand: .file,
    summary: "bring the store to a newer version of its schema",
    details: """
      The schema in the file has a greater version than the store's. The store is copied first; then
      all rows are migrated, or none. What was renamed is known by its originalName.
      """,
    examples: [
      "depot schema migrate packages.schema.json", "depot schema migrate --dry-run new.schema.json",
    ],
    options: [dryRun, noBackup],
    run: { try run($0, isDryRun: $0.invocation.has(dryRun)) }
  )

  static func run(_ session: Session, isDryRun: Bool) throws -> Int32 {
    let schema = try SchemaFile.read(session.invocation.operands[0])
    let result = try session.connect().define(
      schema,
      isDryRun: isDryRun,
      from: nil,
      takesBackup: !session.invocation.has(noBackup)
    )
    var members: [String: JSONValue] = [
      "changed": .bool(result.isChanged),
      "changes": .array(result.changes.map(JSONValue.string)),
      "schema": .string(result.fingerprint),
    ]
    members["version"] = result.version.map { .string($0.description) }
    members["backup"] = result.backup.map(JSONValue.string)
    members["plan"] = result.plan
    session.write(.object(members), orText: text(result, isDryRun: isDryRun))
    return 0
  }

  private static func text(_ result: SchemaResult, isDryRun: Bool) -> String {
    guard result.isChanged else { return "Nothing changed." }
    var lines = [isDryRun ? "Nothing was changed, but this would:" : "Changed:"]
    if let steps = result.plan?["steps"]?.array {
      for step in steps {
        let mark = step["destructive"]?.bool == true ? "! " : "  "
        let rows = step["rows"]?.int64 ?? 0
        let count = rows > 0 ? " (\(rows) rows)" : ""
        lines.append(mark + (step["description"]?.string ?? "") + count)
      }
    } else {
      lines += result.changes.map { "  " + $0 }
    }
    for problem in result.plan?["problems"]?.array?.compactMap(\.string) ?? [] {
      lines.append("x " + problem)
    }
    for duplicate in result.plan?["duplicates"]?.array ?? [] {
      let rows = duplicate["ids"]?.array?.compactMap(\.int64).map(String.init) ?? []
      let names = duplicate["attributes"]?.array?.compactMap(\.string) ?? []
      let entity = duplicate["entity"]?.string ?? ""
      lines.append(
        "x \(entity) \(rows.joined(separator: ", ")) have the same "
          + "\(names.joined(separator: ", "))"
      )
    }
    for violation in result.plan?["violations"]?.array ?? [] {
      lines.append("x " + (violation["message"]?.string ?? ""))
    }
    if let milliseconds = result.plan?["milliseconds"]?.int64 {
      lines.append("It takes about \(milliseconds) ms.")
    }
    if let backup = result.backup {
      lines.append(isDryRun ? "The backup would be \(backup)." : "The backup is \(backup).")
    }
    return lines.joined(separator: "\n")
  }
}
