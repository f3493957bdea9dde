internal import DepotProtocol
internal import DepotSQLite

/// The definition of a store's schema, inside a transaction: an addition to it, or the migration to a
/// newer version.
struct SchemaDefinitionRun {
  private let writer: Writer
  private let schema: Schema
  private let options: MigrationOptions
  private let control: CallControl

  init(
    _ writer: Writer,
    _ schema: Schema,
    _ options: MigrationOptions,
    _ control: CallControl
  ) {
    self.writer = writer
    var schema = schema
    // A program that has no versions takes the store's for its own.
    schema.version = schema.version ?? writer.catalog.schema.version
    self.schema = schema
    self.options = options
    self.control = control
  }

  private var old: Catalog { writer.catalog }

  /// Carries it out.
  ///
  /// - Returns: The members of the result.
  /// - Throws: ``DepotError`` `schema.mismatch`, `schema.newer_store`, `schema.unknown_version`,
  ///   `schema.rows_in_the_way`, and others; ``SQLiteError``.
  func run(_ effect: inout WriteEffect) throws -> [String: JSONValue] {
    if try writer.tables.hasTarget() { return try goOn(&effect) }
    let comparison = try compare()
    if comparison.differences.isEmpty { return try add(comparison, &effect) }
    let plan = try SchemaUpgrade.plan(from: old.schema, to: schema, comparison)
    guard plan.problems.isEmpty else { throw DepotError.problems(plan) }
    var backup: String?
    if options.takesBackup, !writer.configuration.isInMemory {
      backup = try StoreCopies(of: writer.configuration.path).back(up: old.schema.version, control)
      // It goes with the transaction if that fails.
      writer.backup = backup
    }
    let run = try MigrationRun(from: old, to: schema, on: writer.connection, control)
    try run.run()
    try run.findings.throwIfAny()
    try finish(run, &effect)
    return members(plan.changes + run.shifts.changes, run.new, backup: backup)
  }

  /// Migrates a copy, in which a custom stage is at work, to the schema that the stage is to end with.
  ///
  /// What is new and can't be inferred may be empty until the end of the stage.
  private func goOn(_ effect: inout WriteEffect) throws -> [String: JSONValue] {
    try schema.validate()
    try SchemaUpgrade.check(old.schema, schema, from: options.from)
    let plan = MigrationPlan.infer(from: old.schema, to: schema)
    var options = MigrationRun.Options()
    options.demands.isLenient = true
    let run = try MigrationRun(
      from: old,
      to: schema.interim(after: old.schema),
      on: writer.connection,
      control,
      options: options
    )
    try run.run()
    try run.findings.throwIfAny()
    try finish(run, &effect)
    try writer.tables.setTarget(schema)
    return members(plan.changes + run.shifts.changes, run.new, backup: nil)
  }

  /// Tells what it would do; what was necessary to find out is undone with the transaction.
  func rehearse(_ effect: inout WriteEffect) throws -> [String: JSONValue] {
    effect.isRehearsal = true
    let comparison = try compare()
    if comparison.differences.isEmpty {
      let next = Catalog(comparison.result, old.storage, generation: old.generation + 1)
      if !comparison.changes.isEmpty {
        try SchemaApplication(connection: writer.connection, control: control)
          .tryOut(comparison.changes, from: old, to: next)
      }
      return members(comparison.changes.map(\.description) + versionChange, next, backup: nil)
    }
    let plan = try SchemaUpgrade.plan(from: old.schema, to: schema, comparison)
    let backup =
      options.takesBackup && !writer.configuration.isInMemory
      ? StoreCopies(of: writer.configuration.path).nextBackup(of: old.schema.version) : nil
    let rehearsal = MigrationRehearsal(plan, old, on: writer.connection, control)
    let next = Catalog(schema, old.storage, generation: old.generation + 1)
    let mapping = MigrationMapping(from: old.schema, to: schema)
    let shifts = try IdentifierShifts(from: old, mapping, on: writer.connection)
    var result = members(plan.changes + shifts.changes, next, backup: backup)
    result["plan"] = .object(try rehearsal.run())
    return result
  }

  /// Checks the versions, and compares what the store has with what it is to have.
  private func compare() throws(DepotError) -> SchemaComparison {
    try schema.validate()
    try SchemaUpgrade.check(old.schema, schema, from: options.from)
    let comparison = SchemaComparison(from: old.schema, to: schema)
    if comparison.differences.isEmpty { try comparison.result.validate() }
    let next = Catalog(
      comparison.differences.isEmpty ? comparison.result : schema,
      old.storage,
      generation: old.generation
    )
    // Finds out whether derivations can be computed.
    _ = try DerivedAttributes(next, on: writer.connection)
    return comparison
  }

  private var versionChange: [String] {
    guard let version = schema.version, version != old.schema.version else { return [] }
    return ["set version to \(version)"]
  }

  private func add(
    _ comparison: SchemaComparison,
    _ effect: inout WriteEffect
  ) throws -> [String: JSONValue] {
    guard comparison.result != old.schema else { return members([], old, backup: nil) }
    let next = Catalog(comparison.result, old.storage, generation: old.generation + 1)
    if !comparison.changes.isEmpty {
      try SchemaApplication(connection: writer.connection, control: control)
        .apply(comparison.changes, from: old, to: next)
      try recompute(comparison.changes, next)
    }
    try writer.tables.store(next)
    effect.catalog = next
    return members(comparison.changes.map(\.description) + versionChange, next, backup: nil)
  }

  /// Computes new derived attributes for the rows that exist, whose versions stay.
  private func recompute(_ changes: [SchemaChange], _ next: Catalog) throws {
    let keys = changes.compactMap { change -> String? in
      guard case .addedAttribute(let field, let entity, _) = change,
        field.attribute.derivation != nil
      else { return nil }
      return "\(entity).\(field.path)"
    }
    guard !keys.isEmpty else { return }
    writer.connection.forgetStatements()
    let derived = try DerivedAttributes(next, on: writer.connection)
    try derived.markAll(Set(keys))
    let entities = EntityWriters(next, on: writer.connection, ceilings: [:])
    try derived.refresh(entities, step: { _, _ in 0 }, violate: { throw $0 })
  }

  private func finish(_ run: MigrationRun, _ effect: inout WriteEffect) throws {
    try writer.tables.store(run.new)
    let ceilings = run.ceilings(writer.safeCeilings())
    try writer.tables.setCeilings(ceilings)
    effect.catalog = run.new
    effect.ceilings = ceilings
  }

  private func members(
    _ changes: [String],
    _ next: Catalog,
    backup: String?
  ) -> [String: JSONValue] {
    var result: [String: JSONValue] = [
      "changed": .bool(!changes.isEmpty), "changes": .array(changes.map(JSONValue.string)),
      "schema": .string(next.fingerprint),
    ]
    if let version = next.schema.version { result["version"] = .string(version.description) }
    if let backup { result["backup"] = .string(backup) }
    return result
  }
}

extension MigrationRun {
  /// Returns where the identifiers of each new table go on.
  func ceilings(_ before: [String: Int64]) -> [String: Int64] {
    var result: [String: Int64] = [:]
    for table in tables {
      for target in table.targets {
        guard let ceiling = before[table.old.name] else { continue }
        let name = target.root.name
        result[name] = max(
          result[name] ?? 0,
          ceiling + shifts.shift(from: table.old.name, to: name)
        )
      }
    }
    return result
  }
}

extension MigrationPlan {
  /// What it changes, in words.
  var changes: [String] {
    let isNewVersion = new.version.map { $0 != old.version } ?? false
    let version = isNewVersion ? ["set version to \(new.version?.description ?? "")"] : []
    return steps.map(\.description) + version
  }
}

extension DepotError {
  /// The error that a migration can't be inferred.
  static func problems(_ plan: MigrationPlan) -> DepotError {
    let versions =
      "\(plan.old.version?.description ?? "no version") to \(plan.new.version?.description ?? "")"
    return DepotError(
      .mismatch,
      "The migration from \(versions) can't be inferred: "
        + plan.problems.joined(separator: "; ") + "."
    )
    .hint(
      "Nothing was changed. Give new attributes a default or make them optional, name what was "
        + "renamed in originalName, or migrate in a custom stage (migration.begin)."
    )
    .at("/args/schema")
    .details([
      "problems": .array(plan.problems.map(JSONValue.string)),
      "differences": .array(plan.problems.map(JSONValue.string)),
    ])
  }
}
