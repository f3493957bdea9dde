internal import DepotProtocol
internal import DepotSQLite

/// The beginning of a custom migration: a copy of the store with the new schema.
struct MigrationCopy {
  let writer: Writer
  let request: MigrationRequest
  let control: CallControl

  /// The versions, a sentence for each change, and the problems that stages must solve.
  struct Result {
    let from: SchemaVersion?
    let to: SchemaVersion?
    let changes: [String]
    let problems: [String]
  }

  /// Makes the copy, with all earlier commits.
  func make() throws -> Result {
    let old = writer.catalog
    try request.schema.validate()
    guard request.schema.version != nil else {
      throw DepotError(.usage, "A schema that a store is migrated to has a version.")
        .at("/args/schema/version")
    }
    try SchemaUpgrade.check(old.schema, request.schema, from: request.from)
    let plan = try MigrationPlan.infer(from: old.schema, to: request.schema)
      .lookingAtRows(of: old, on: writer.connection)
    let path = writer.configuration.path
    let copy = StoreCopies.migrating(path)
    var shifts: [String] = []
    do {
      try StoreCopies(of: path).copyForMigration(control)
      try StoreCopies.beside { shifts = try migrate(copy) }
    } catch {
      StoreFiles(copy).remove()
      throw error
    }
    return Result(
      from: old.schema.version,
      to: request.schema.version,
      changes: plan.changes + shifts,
      problems: plan.problems
    )
  }

  /// Migrates the copy, and returns the shifts of identifiers as text.
  private func migrate(_ copy: String) throws -> [String] {
    let connection = try Connection(path: copy, access: .writer)
    try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
    try TextFunctions.register(on: connection)
    let old = writer.catalog
    return try connection.transaction {
      let run = try MigrationRun(
        from: old,
        to: request.schema.interim(after: old),
        on: connection,
        control,
        options: .init(isLenient: true)
      )
      let tables = CatalogTables(connection: connection)
      // The schemas on the way aren't versions; the one at the end follows the old one.
      try SchemaVersions(connection: connection).begin(with: old)
      try run.complete(tables, writer)
      try tables.setTarget(request.schema)
      return run.shifts.changes
    }
  }
}

/// The end of a custom migration, in the copy: from now on, all rules are checked.
struct MigrationEnd {
  let writer: Writer
  let control: CallControl

  /// Ends the migration, and returns the schema.
  ///
  /// If rows break rules, it throws an error, and the migration can continue.
  func run(_ effect: inout WriteEffect) throws -> Catalog {
    let schema = try writer.tables.takeTarget()
    let run = try MigrationRun(
      from: writer.catalog,
      to: schema,
      on: writer.connection,
      control,
      options: .init(checksEverything: true)
    )
    effect.ceilings = try run.complete(writer.tables, writer)
    effect.catalog = run.new
    return run.new
  }
}
