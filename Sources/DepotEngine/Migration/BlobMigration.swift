internal import DepotProtocol
internal import DepotSQLite

/// Migrates the values stored outside the rows.
///
/// If the rows of only one old table come to a new one, the table of values is only renamed, and
/// the references in the rows stay valid. Otherwise each value is copied.
struct BlobMigration {
  private let old: Catalog
  private let new: Catalog
  private let connection: Connection
  /// The old tables of values, by the old root entities.
  private let tables: [String: BlobTable]
  /// The new root entity that gets the table of values of each old root entity.
  private let successors: [String: String]
  /// The new root entities that get a table of values where some may no longer have rows.
  private let rewritten: [EntityLayout]

  init(
    _ migrations: [TableMigration],
    from old: Catalog,
    to new: Catalog,
    on connection: Connection
  ) {
    self.old = old
    self.new = new
    self.connection = connection
    let feeders = Dictionary(grouping: migrations.flatMap { $0.targets.map(\.root.name) }) { $0 }
    var tables: [String: BlobTable] = [:]
    var successors: [String: String] = [:]
    var rewritten: [EntityLayout] = []
    for (index, migration) in migrations.enumerated() where migration.old.hasExternalColumns {
      let takers = migration.targets.filter { $0.root.hasExternalColumns }
      if let successor = takers.first, takers.count == 1, feeders[successor.root.name]?.count == 1 {
        tables[migration.old.name] = BlobTable(successor.root.name)
        successors[migration.old.name] = successor.root.name
        if !successor.isKept { rewritten.append(successor.root) }
      } else {
        tables[migration.old.name] = BlobTable(quoted: "\"m_blobs_\(index)\"")
      }
    }
    self.tables = tables
    self.successors = successors
    self.rewritten = rewritten
  }

  /// Returns how to migrate the values of one old table's rows to a new table.
  func moves(from root: EntityLayout, to target: EntityLayout) -> BlobMoves {
    BlobMoves(
      reader: tables[root.name].map { BlobReader(connection: connection, table: $0) },
      writer: BlobWriter(connection: connection, table: BlobTable(target.name)),
      keepsReferences: successors[root.name] == target.name
    )
  }

  /// Renames the tables of values; their triggers must already be dropped.
  ///
  /// The clients' uploads are removed.
  func begin() throws {
    try BlobUploads(connection: connection).removeAll(old)
    if let name = BlobTable.uploads.name { try connection.execute("DROP TABLE IF EXISTS \(name)") }
    let moved = tables.sorted { $0.key < $1.key }
    // Exchanged names are free only after all tables have temporary names.
    for (index, entry) in moved.enumerated() {
      try rename(BlobTable(entry.key).name, "\"m_values_\(index)\"")
    }
    for (index, entry) in moved.enumerated() {
      try rename("\"m_values_\(index)\"", entry.value.name)
    }
    let taken = Set(successors.values)
    for root in new.tables where !taken.contains(root.name) {
      for statement in BlobTable.table(of: root)?.definition ?? [] {
        try connection.execute(statement)
      }
    }
  }

  private func rename(_ table: String, _ name: String) throws {
    try connection.execute("ALTER TABLE \(table) RENAME TO \(name)")
    try connection.execute(
      "UPDATE depot_history_value SET blobs = '\(name)' WHERE blobs = '\(table)'"
    )
  }

  /// Removes values without rows and history; the tables of rows must already have their new names.
  func end() throws {
    connection.forgetStatements()
    let kept = KeptValues(connection: connection)
    let areKept = try kept.areKept
    for (root, table) in tables where successors[root] == nil {
      try connection.execute("DROP TABLE \(table.name)")
      guard areKept else { continue }
      try connection.execute("DELETE FROM depot_history_value WHERE blobs = '\(table.name)'")
    }
    if let name = KeptValues.table.name, !new.specialTables.contains(KeptValues.table) {
      try connection.execute("DROP TABLE IF EXISTS \(name)")
    }
    for root in rewritten {
      try connection.execute(
        """
        DELETE FROM \(BlobTable(root.name).name) \
        WHERE blob NOT IN (\(BlobTable.references(in: root))) \
        AND NOT \(kept.condition(BlobTable(root.name)))
        """
      )
    }
  }
}

/// The values outside of old rows that stay there though their attribute isn't external.
struct OutsideValues {
  private let old: Catalog
  private let mapping: MigrationMapping
  private let connection: Connection

  init(_ old: Catalog, _ mapping: MigrationMapping, _ connection: Connection) {
    self.old = old
    self.mapping = mapping
    self.connection = connection
  }

  /// Whether a new column must be widened.
  ///
  /// It must if an old one is, or if one with external storage has a value too large for a row.
  func areThere(_ field: Field, _ entity: Entity) throws -> Bool {
    try mapping.family(of: entity.name, in: mapping.new).contains { subentity in
      guard let source = mapping.source(of: field.path, in: subentity.name) else { return false }
      if old.storage.isWidened(source) { return true }
      guard source.attribute.options.contains(.externalStorage),
        ValueConversion(from: source.attribute, to: field.attribute) == nil,
        let origin = mapping.origin(of: subentity.name), !origin.isAbstract
      else { return false }
      let layout = try old.layout(of: origin.name)
      guard let place = layout.position(of: source.path).flatMap({ layout.storedPositions[$0] })
      else { return false }
      let column = layout.stored[place]
      let length = BlobTable.length(of: Fragment(sql: column.quoted)).sql
      return try connection.integer(
        """
        SELECT 1 FROM \(layout.table) WHERE \(column.hasReference) \
        AND \(length) > \(Limits.valueBytes) LIMIT 1
        """
      ) != nil
    }
  }
}

/// The migration of values stored outside the rows of an old table.
struct BlobMoves {
  /// Reads the old values; `nil` if there are none.
  let reader: BlobReader?
  /// Stores the values in the new table.
  let writer: BlobWriter
  /// Whether the old table of values becomes the new one.
  let keepsReferences: Bool

  /// Stores a row's values that belong outside it, and sets its cells to the new table's form.
  func store(
    _ cells: UnsafeMutableBufferPointer<Cell>,
    of root: EntityLayout,
    _ arena: CellArena
  ) throws {
    for (place, column) in root.stored.enumerated() {
      guard let type = column.externalType else { continue }
      let isText = type == .string
      if let bytes = cells[place].externalValue(isText: isText) {
        if column.isWidened { continue }
        cells[place] = try writer.create(bytes).cell(isText: isText, in: arena)
      } else if !keepsReferences, let reader,
        let bytes = cells[place].externalValue(isText: !isText)
      {
        guard let reference = BlobReference(bytes) else { throw BlobReader.Damage.reference }
        cells[place] = try writer.copy(reference, from: reader).cell(isText: isText, in: arena)
      }
    }
  }
}

extension EntityLayout {
  /// Whether rows of the table have values stored outside them.
  var hasExternalColumns: Bool { stored.contains(where: \.isExternal) }
}
