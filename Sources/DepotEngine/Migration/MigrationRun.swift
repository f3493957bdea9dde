internal import DepotProtocol
internal import DepotSQLite

/// Executes a migration on the writing connection, inside a transaction.
///
/// It compares the storage of both schemas. A table whose rows stay unchanged is only renamed and
/// gets new columns; the rows of any other table are read, checked, and written into a new one. The
/// identifiers and versions of rows stay.
final class MigrationRun {
  let old: Catalog
  let new: Catalog
  let mapping: MigrationMapping
  let connection: Connection
  let control: CallControl
  let options: Options
  let links: [LinkMigration]
  let tables: [TableMigration]
  let shifts: IdentifierShifts
  /// The old table, and the index of its target, that creates each new table.
  let makers: [String: (table: Int, target: Int)]
  private let blobs: BlobMigration
  var findings = MigrationFindings()
  /// The indexes in the store, by name.
  var indexesBefore: [String: TableIndex] = [:]
  private(set) lazy var indexesAfter = Self.indexes(of: new)
  private(set) lazy var unmoved = unmovedTables
  /// The number of processed rows, and of all rows.
  private(set) var rowsSeen = 0

  struct Options {
    /// Whether all rules of attributes are checked, instead of only new ones.
    var checksEverything = false
    /// Whether rows may break rules for now, as in a custom migration.
    var isLenient = false
    /// The most rows of each table to migrate, to measure the time.
    var rowLimit: Int?
  }

  init(
    from old: Catalog,
    to schema: Schema,
    on connection: Connection,
    _ control: CallControl,
    options: Options = Options()
  ) throws {
    self.old = old
    self.connection = connection
    self.control = control
    self.options = options
    let mapping = MigrationMapping(from: old.schema, to: schema)
    self.mapping = mapping
    let new = try Self.catalog(old, schema, mapping, connection)
    self.new = new
    let shifts = try IdentifierShifts(from: old, mapping, on: connection)
    self.shifts = shifts
    let links = try LinkMigration.all(from: old, to: new, mapping, shifts)
    self.links = links
    for link in links where !link.isKept { try connection.execute(link.pairsDefinition) }
    var plans = try Self.tables(old, new, mapping, links, options, connection)
    for index in plans.indices { plans[index].share(shifts.feeders) }
    tables = plans
    var makers: [String: (table: Int, target: Int)] = [:]
    for (index, plan) in plans.enumerated() {
      for (number, target) in plan.targets.enumerated() where makers[target.root.name] == nil {
        makers[target.root.name] = (index, number)
      }
    }
    self.makers = makers
    blobs = BlobMigration(plans, from: old, to: new, on: connection)
    for plan in plans {
      for transform in plan.transforms.values {
        transform.shift = shifts.shift(from: plan.old.name, to: transform.root.name)
        transform.control = control
        transform.moves = blobs.moves(from: plan.old, to: transform.root)
      }
    }
  }

  private static func catalog(
    _ old: Catalog,
    _ schema: Schema,
    _ mapping: MigrationMapping,
    _ connection: Connection
  ) throws -> Catalog {
    var entities: [String: String] = [:]
    for entity in schema.entities { entities[entity.name] = mapping.origin(of: entity.name)?.name }
    let outside = OutsideValues(old, mapping, connection)
    let storage = try old.storage.migrated(
      to: schema,
      entities: entities,
      hasReferences: outside.areThere
    )
    return Catalog(schema, storage, generation: old.generation + 1)
  }

  private static func tables(
    _ old: Catalog,
    _ new: Catalog,
    _ mapping: MigrationMapping,
    _ links: [LinkMigration],
    _ options: Options,
    _ connection: Connection
  ) throws -> [TableMigration] {
    try old.tables.map { table in
      var transforms: [Int: RowTransform] = [:]
      for layout in old.allLayouts where layout.root == table.name {
        guard !layout.entity.isAbstract, let successor = mapping.successor(of: layout.name) else {
          continue
        }
        let entity = try new.layout(of: successor.name)
        transforms[layout.number] = try RowTransform(
          entity,
          root: new.layout(of: entity.root),
          from: table,
          mapping,
          links,
          options,
          on: connection
        )
      }
      return TableMigration(old: table, transforms: transforms, old: old)
    }
  }

  /// Changes the tables, and collects the rows that prevent the migration.
  ///
  /// If there are any, the transaction must be rolled back.
  func run() throws {
    let special = SpecialTables(connection: connection)
    try special.suspend(old)
    try blobs.begin()
    for link in links where !link.isKept { try fillPairs(of: link) }
    try dropIndexes()
    for (index, table) in tables.enumerated() { try move(table, at: index) }
    try renameJoinTables { old, _, temporary in (old, temporary) }
    try dropOldTables()
    for (index, table) in tables.enumerated() { try name(table, at: index) }
    try renameJoinTables { _, new, temporary in (temporary, new) }
    try blobs.end()
    connection.forgetStatements()
    let filled = Set(tables.flatMap { $0.targets.map(\.root.name) })
    for table in new.tables where !filled.contains(table.name) {
      try connection.execute(table.tableDefinition)
    }
    for link in links where !link.isKept { try fillJoinTable(of: link) }
    try makeIndexes()
    try special.restore(new)
    try computeDerived()
    // A sample of rows doesn't include all references, so their numbers can't be checked.
    if !options.isLenient, options.rowLimit == nil { try checkTargets() }
    connection.forgetStatements()
  }

  /// Computes all derived attributes again; the versions of rows stay.
  private func computeDerived() throws {
    connection.forgetStatements()
    if let name = Derivation.staleTable.name {
      // The marks in the table have the old names of attributes.
      let isNeeded = new.specialTables.contains { $0.name == name }
      let wasThere = old.specialTables.contains { $0.name == name }
      if wasThere { try connection.execute("\(isNeeded ? "DELETE FROM" : "DROP TABLE") \(name)") }
    }
    let derived = try DerivedAttributes(new, on: connection)
    guard !derived.isEmpty, findings.isEmpty else { return }
    try derived.markAll()
    let entities = EntityWriters(new, connection, ceilings: [:])
    try derived.refresh(entities, step: { _, _ in 0 }, violate: { throw $0 })
  }

  /// Returns the old identifier of a row of an entity.
  func original(_ identifier: Int64, of entity: String) throws(DepotError) -> Int64 {
    shifts.original(identifier, in: try new.layout(of: entity).root)
  }

  /// Counts processed rows, and checks whether the call was cancelled.
  func didSee(rows: Int) throws(DepotError) {
    rowsSeen += rows
    try control.check()
  }
}
