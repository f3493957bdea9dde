internal import DepotProtocol
internal import DepotSQLite

/// The beginning of a custom stage: a copy of the store that has the new schema already.
struct MigrationCopy {
  private let writer: Writer
  private let request: MigrationRequest
  private let control: CallControl

  init(_ writer: Writer, _ request: MigrationRequest, _ control: CallControl) {
    self.writer = writer
    self.request = request
    self.control = control
  }

  /// Makes the copy, which holds what had been committed.
  ///
  /// - Returns: The members of the result.
  /// - Throws: ``DepotError`` `schema.newer_store`, `schema.unknown_version`, and others; then there
  ///   is no copy.
  func make() throws -> [String: JSONValue] {
    let old = writer.catalog
    try request.schema.validate()
    guard request.schema.version != nil else {
      throw DepotError(.usage, "A schema that a store is migrated to has a version.")
        .at("/args/schema/version")
    }
    try SchemaUpgrade.check(old.schema, request.schema, from: request.from)
    let plan = MigrationPlan.infer(from: old.schema, to: request.schema)
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
    return [
      "from": old.schema.version.map { .string($0.description) } ?? .null,
      "to": request.schema.version.map { .string($0.description) } ?? .null,
      "changes": .array((plan.changes + shifts).map(JSONValue.string)),
      "problems": .array(plan.problems.map(JSONValue.string)),
    ]
  }

  /// - Returns: What is added to identifiers, in words.
  private func migrate(_ copy: String) throws -> [String] {
    let connection = try Connection(path: copy, access: .writer)
    try connection.execute("PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF")
    try TextFunctions.register(on: connection)
    let old = writer.catalog
    var options = MigrationRun.Options()
    options.demands.isLenient = true
    return try connection.transaction {
      let run = try MigrationRun(
        from: old,
        to: request.schema.interim(after: old.schema),
        on: connection,
        control,
        options: options
      )
      try run.run()
      try run.findings.throwIfAny()
      let tables = CatalogTables(connection: connection)
      try tables.store(run.new)
      try tables.setCeilings(run.ceilings(writer.safeCeilings()))
      try tables.setTarget(request.schema)
      return run.shifts.changes
    }
  }
}

/// The end of a custom stage, in the copy: all rules hold from now on.
struct MigrationEnd {
  private let writer: Writer
  private let control: CallControl

  init(_ writer: Writer, _ control: CallControl) {
    self.writer = writer
    self.control = control
  }

  /// - Returns: The members of the result.
  /// - Throws: ``DepotError`` `schema.rows_in_the_way` with the rows that break rules; the stage can
  ///   go on then.
  func run(_ effect: inout WriteEffect) throws -> [String: JSONValue] {
    let schema = try writer.tables.takeTarget()
    var options = MigrationRun.Options()
    options.demands.checksEverything = true
    let run = try MigrationRun(
      from: writer.catalog,
      to: schema,
      on: writer.connection,
      control,
      options: options
    )
    try run.run()
    try run.findings.throwIfAny()
    try writer.tables.store(run.new)
    let ceilings = run.ceilings(writer.safeCeilings())
    try writer.tables.setCeilings(ceilings)
    effect.catalog = run.new
    effect.ceilings = ceilings
    return [
      "schema": .string(run.new.fingerprint),
      "version": schema.version.map { .string($0.description) } ?? .null,
    ]
  }
}
