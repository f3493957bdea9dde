internal import DepotProtocol
internal import DepotSQLite

/// Defines a store's schema inside a transaction, by an addition or a migration to a newer version.
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
    // A schema without a version gets the store's version.
    schema.version = schema.version ?? writer.catalog.schema.version
    self.schema = schema
    self.options = options
    self.control = control
  }

  private var old: Catalog { writer.catalog }

  /// Executes the definition.
  func run(_ effect: inout WriteEffect) throws -> SchemaResult {
    if try writer.tables.hasTarget() { return try goOn(&effect) }
    let comparison = try compare()
    if comparison.differences.isEmpty { return try add(comparison, &effect) }
    let plan = try allowedPlan(comparison)
    guard plan.problems.isEmpty else { throw DepotError.problems(plan) }
    var backup: String?
    if options.takesBackup, !writer.configuration.isTemporary {
      backup = try StoreCopies(of: writer.configuration.path).back(up: old.schema.version, control)
      // The backup is removed if the transaction fails.
      writer.backup = backup
    }
    let run = try MigrationRun(from: old, to: schema, on: writer.connection, control)
    effect.ceilings = try run.complete(writer.tables, writer)
    effect.catalog = run.new
    return result(plan.changes + run.shifts.changes, run.new, backup: backup)
  }

  /// Migrates the copy of a custom migration to the schema at its end.
  ///
  /// Until then, new properties without an inferred value may be empty.
  private func goOn(_ effect: inout WriteEffect) throws -> SchemaResult {
    try schema.validate()
    try SchemaUpgrade.check(old.schema, schema, from: options.from)
    let comparison = SchemaComparison(from: old.schema, to: schema)
    let plan = MigrationPlan.infer(from: old.schema, to: schema)
    if !comparison.differences.isEmpty { try checkAllowed(plan, comparison) }
    let run = try MigrationRun(
      from: old,
      to: schema.interim(after: old),
      on: writer.connection,
      control,
      options: .init(isLenient: true)
    )
    effect.ceilings = try run.complete(writer.tables, writer)
    effect.catalog = run.new
    try writer.tables.setTarget(schema)
    return result(plan.changes + run.shifts.changes, run.new, backup: nil)
  }

  /// Reports the effect of the definition; all changes are rolled back.
  func rehearse(_ effect: inout WriteEffect) throws -> (SchemaResult, MigrationReport?) {
    effect.isRehearsal = true
    defer { writer.connection.forgetStatements() }
    let comparison = try compare()
    if comparison.differences.isEmpty { return (try add(comparison, &effect), nil) }
    let plan = try allowedPlan(comparison)
    let backup =
      options.takesBackup && !writer.configuration.isTemporary
      ? StoreCopies(of: writer.configuration.path).nextBackup(of: old.schema.version) : nil
    let rehearsal = MigrationRehearsal(
      plan: plan,
      old: old,
      connection: writer.connection,
      control: control
    )
    let next = Catalog(schema, old.storage, generation: old.generation + 1)
    let mapping = MigrationMapping(from: old.schema, to: schema)
    let shifts = try IdentifierShifts(from: old, mapping, on: writer.connection)
    return (result(plan.changes + shifts.changes, next, backup: backup), try rehearsal.run())
  }

  /// Returns the steps to a newer version, or throws an error if one isn't allowed.
  private func allowedPlan(_ comparison: SchemaComparison) throws -> MigrationPlan {
    if options.allows == .additions {
      try checkAllowed(MigrationPlan.infer(from: old.schema, to: schema), comparison)
    }
    let plan = try SchemaUpgrade.plan(from: old.schema, to: schema, comparison)
      .lookingAtRows(of: old, on: writer.connection)
    // If a plan has problems, they are reported instead of losses.
    if plan.problems.isEmpty { try checkAllowed(plan, comparison) }
    return plan
  }

  private func checkAllowed(_ plan: MigrationPlan, _ comparison: SchemaComparison) throws {
    switch options.allows {
    case .loss: return
    case .migration:
      let losses = plan.steps.filter(\.isDestructive)
      guard !losses.isEmpty else { return }
      throw DepotError.loss(losses, try CountedSteps(plan, old, on: writer.connection), plan)
    case .additions:
      let steps = plan.steps.filter { !comparison.changes.contains($0) && !$0.isAddition }
      let counted = try CountedSteps(plan, old, on: writer.connection)
      throw DepotError.onlyAdditions(comparison.differences, counted.steps(steps), plan.problems)
    }
  }

  /// Checks the versions, and compares the store's schema with the new one.
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
    // This checks that derivations can be computed.
    _ = try DerivedAttributes(next, on: writer.connection)
    return comparison
  }

  private func add(
    _ comparison: SchemaComparison,
    _ effect: inout WriteEffect
  ) throws -> SchemaResult {
    guard comparison.result != old.schema else { return result([], old, backup: nil) }
    let next = Catalog(comparison.result, old.storage, generation: old.generation + 1)
    if !comparison.changes.isEmpty {
      try SchemaApplication(connection: writer.connection, control: control)
        .apply(comparison.changes, from: old, to: next)
      try recompute(comparison.changes, next)
    }
    try writer.tables.store(next)
    effect.catalog = next
    var changes = comparison.changes.map(\.description)
    if let version = schema.version, version != old.schema.version {
      changes.append("set version to \(version)")
    }
    return result(changes, next, backup: nil)
  }

  /// Computes new derived attributes for existing rows, whose versions stay.
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
    let entities = EntityWriters(next, writer.connection, ceilings: [:])
    try derived.refresh(entities, step: { _, _ in 0 }, violate: { throw $0 })
  }

  private func result(
    _ changes: [String],
    _ next: Catalog,
    backup: String?
  ) -> SchemaResult {
    SchemaResult(
      isChanged: !changes.isEmpty,
      changes: changes,
      fingerprint: next.fingerprint,
      version: next.schema.version,
      backups: backup.map { [$0] } ?? []
    )
  }
}

extension MigrationRun {
  /// Changes the tables unless rows prevent it, and stores the new schema.
  ///
  /// It returns the next identifier of each new table.
  @discardableResult
  func complete(_ catalog: CatalogTables, _ writer: Writer) throws -> [String: Int64] {
    try run()
    try findings.throwIfAny()
    try catalog.store(new)
    if !keepsNames {
      let last = try connection.integer("SELECT max(id) FROM depot_history")
      try catalog.set(.historyRenamed, last ?? 0)
    }
    let ceilings = self.ceilings(writer.safeCeilings())
    try catalog.setCeilings(ceilings)
    return ceilings
  }

  /// Whether the identifiers and entity names in the history still mean the same rows.
  ///
  /// Rows get new identifiers only if they move to another hierarchy.
  private var keepsNames: Bool {
    old.allLayouts.allSatisfy { layout in
      guard mapping.successor(of: layout.name)?.name == layout.name else { return false }
      return (try? new.layout(of: layout.name).root) == layout.root
    }
  }

  private func ceilings(_ before: [String: Int64]) -> [String: Int64] {
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
  /// The old and the new version as text.
  fileprivate var versions: String {
    "\(old.version?.description ?? "no version") to \(new.version?.description ?? "no version")"
  }

  /// The changes as text.
  var changes: [String] {
    let isNewVersion = new.version.map { $0 != old.version } ?? false
    let version = isNewVersion ? ["set version to \(new.version?.description ?? "")"] : []
    return steps.map(\.description) + version
  }
}

extension DepotError {
  /// The error for a definition that needs a migration where only additions are allowed.
  fileprivate static func onlyAdditions(
    _ differences: [String],
    _ steps: [CountedSteps.Step],
    _ problems: [String]
  ) -> DepotError {
    mismatch(differences)
      .hint("Nothing was changed. Allow a migration, or only add to the store's schema.")
      .detail(steps: steps).detail("problems", problems)
  }

  /// The error for a migration that would lose values without permission.
  fileprivate static func loss(
    _ losses: [SchemaChange],
    _ counted: CountedSteps,
    _ plan: MigrationPlan
  ) -> DepotError {
    DepotError(
      .loss,
      "The migration from \(plan.versions) would lose data: \(counted.sentence(losses))."
    )
    .hint("Nothing was changed. To permit the loss of data: \"allow\":\"loss\".")
    .at("/args/schema").detail(steps: counted.steps(losses))
  }

  /// The error for a migration that can't be inferred.
  static func problems(_ plan: MigrationPlan) -> DepotError {
    DepotError(
      .mismatch,
      "The migration from \(plan.versions) can't be inferred: "
        + plan.problems.joined(separator: "; ") + "."
    )
    .hint(
      "Nothing was changed. Give new attributes a default or make them optional, name what was "
        + "renamed in originalName, or migrate in a custom stage (migration.begin)."
    )
    .at("/args/schema")
    .detail("problems", plan.problems).detail("differences", plan.problems)
  }
}
