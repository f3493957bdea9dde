internal import DepotClientCore
internal import DepotProtocol

/// `depot schema diff`: the differences of the store's schema from one in a file, or between two
/// that it had.
enum SchemaDiffVerb {
  static let verb = Verb(
    name: "schema diff",
    operands: .init("FILE|- | A B", 1...2, .files),
    summary: "compare the store's schema with one in a file, or two that it had",
    details: """
      A and B are numbers of depot schema versions; what was renamed between them is followed if A is
      the earlier one. Nothing is changed. Steps that can lose values are
      marked with "!".
      """,
    examples: ["depot schema diff packages.schema.json", "depot schema diff 3 5"],
    options: [.store]
  ) { session in
    let operands = session.invocation.operands
    let plan: MigrationPlan
    if operands.count == 2 {
      let numbers = try operands.map(SchemaVersionsVerb.number)
      let since = numbers[0] < numbers[1] ? numbers[0] : nil
      plan = MigrationPlan.infer(
        from: try SchemaVersionsVerb.schema(numbers[0], session),
        to: try SchemaVersionsVerb.schema(numbers[1], since: since, session)
      )
    } else {
      let wanted = try SchemaFile.read(operands[0])
      plan = MigrationPlan.infer(from: try session.connect().schema(), to: wanted)
    }
    let steps = plan.steps.map { step in
      JSONValue.object([
        "description": .string(step.description), "destructive": .bool(step.isDestructive),
      ])
    }
    let lines = MigrationText.lines(steps) + plan.problems.map { "x " + $0 }
    session.write(
      .object([
        "from": plan.old.version.map { .string($0.description) } ?? .null,
        "to": plan.new.version.map { .string($0.description) } ?? .null,
        "steps": .array(steps),
        "problems": .array(plan.problems.map(JSONValue.string)),
      ]),
      orText: lines.isEmpty ? "The schemas are equal." : lines.joined(separator: "\n")
    )
  }
}

/// `depot schema plan`: the steps and the duration of a migration.
enum SchemaPlanVerb {
  static let verb = Verb(
    name: "schema plan",
    operands: .file,
    summary: "show the steps that a migration would take",
    details: """
      The service tries the migration and undoes it: the steps, the rows that each is about, those
      that are in the way, the time, and where the backup would be. Nothing is changed. Steps that
      can lose values are marked with "!". The exit status is 65 if rows are in the way.
      """,
    examples: ["depot schema plan packages.schema.json"]
  ) { try SchemaMigrateVerb.run($0, isDryRun: true) }
}

/// `depot schema migrate`: the migration of the store to a newer version of its schema.
enum SchemaMigrateVerb {
  private static let noBackup: OptionSpec = "--no-backup: don't copy the store first"
  private static let allowLoss: OptionSpec = "--allow-loss: also take the steps that lose data"

  static let verb = Verb(
    name: "schema migrate",
    operands: .file,
    summary: "bring the store to a newer version of its schema",
    details: """
      The schema in the file has a greater version than the store's. The store is copied first; then
      all rows are migrated, or none. What was renamed is known by its originalName. A migration that
      loses data, as by removing an attribute, is refused before something is changed, unless there is
      --allow-loss.
      """,
    examples: [
      "depot schema migrate packages.schema.json", "depot schema migrate --dry-run new.schema.json",
      "depot schema migrate --allow-loss smaller.schema.json",
    ],
    options: [SchemaApplyVerb.dryRun, noBackup, allowLoss]
  ) { try run($0, isDryRun: $0.invocation.has(SchemaApplyVerb.dryRun)) }

  static func run(_ session: CommandSession, isDryRun: Bool) throws {
    // A dry run reports losses instead of being refused for them.
    let mayLose = isDryRun || session.invocation.has(allowLoss)
    let result = try define(session, isDryRun: isDryRun, allowing: mayLose ? .loss : .migration)
    session.write(json(result), orText: text(result, isDryRun: isDryRun))
    if isDryRun, result.plans.contains(where: { !obstacles($0).isEmpty }) {
      throw ExitStatus(status: DepotError.Code.rowsInTheWay.exitStatus)
    }
  }

  /// Defines the schema in the file that is the operand.
  static func define(
    _ session: CommandSession,
    isDryRun: Bool,
    allowing allowed: AllowedSchemaChanges
  ) throws -> SchemaResult {
    let file = session.invocation.operands[0]
    let schema = try SchemaFile.read(file)
    let connection = try session.connect()
    return try SchemaConflict(file, schema, connection, session).explaining {
      try connection.define(
        schema,
        isDryRun: isDryRun,
        from: nil,
        takesBackup: !session.invocation.has(noBackup),
        allowing: allowed
      )
    }
  }

  private static func json(_ result: SchemaResult) -> JSONValue {
    var members = result.members
    if result.backups.count > 1 {
      members["backups"] = .array(result.backups.map(JSONValue.string))
    }
    if result.plans.count > 1 { members["plans"] = .array(result.plans) }
    return .object(members)
  }

  private static func text(_ result: SchemaResult, isDryRun: Bool) -> String {
    guard result.isChanged else { return "Nothing changed." }
    var lines = [isDryRun ? "Nothing was changed, but this would:" : "Changed:"]
    let steps = result.plans.flatMap { $0["steps"]?.array ?? [] }
    lines += steps.isEmpty ? result.changes.map { "  " + $0 } : MigrationText.lines(steps)
    if steps.contains(where: MigrationText.losesData) {
      lines.append("depot schema migrate takes them only with --allow-loss.")
    }
    for plan in result.plans { lines += obstacles(plan) }
    let times = result.plans.compactMap { $0["milliseconds"]?.int64 }
    if !times.isEmpty { lines.append("It takes about \(times.reduce(0, +)) ms.") }
    for backup in result.backups {
      lines.append(isDryRun ? "The backup would be \(backup)." : "The backup is \(backup).")
    }
    return lines.joined(separator: "\n")
  }

  /// Returns a line for each obstacle of a migration.
  private static func obstacles(_ plan: JSONValue) -> [String] {
    var lines = (plan["problems"]?.array?.compactMap(\.string) ?? []).map { "x " + $0 }
    for duplicate in plan["duplicates"]?.array ?? [] {
      let rows = duplicate["ids"]?.array?.compactMap(\.int64).map(String.init) ?? []
      let names = duplicate["attributes"]?.array?.compactMap(\.string) ?? []
      let entity = duplicate["entity"]?.string ?? ""
      lines.append(
        "x \(entity) \(rows.joined(separator: ", ")) have the same "
          + "\(names.joined(separator: ", "))"
      )
    }
    for violation in plan["violations"]?.array ?? [] {
      lines.append("x " + (violation["message"]?.string ?? ""))
    }
    return lines
  }
}
