internal import DepotProtocol
internal import DepotSQLite

extension Catalog {
  /// All auxiliary tables, in an order for creating them.
  var specialTables: [SpecialTable] {
    var result: [SpecialTable] = []
    for root in tables {
      if let index = searchIndex(of: root) { result.append(index) }
      result += rangeIndexes(of: root)
      let keepsOld = allLayouts.contains { $0.root == root.name && $0.historyPolicy == .values }
      if let blobs = BlobTable.table(of: root, keepsOld: keepsOld) { result.append(blobs) }
    }
    if result.contains(where: \.isOnlyCopy) { result += [BlobTable.uploads, KeptValues.table] }
    // Invalid derivations were rejected when the schema was defined.
    let derivations = (try? derivations()) ?? []
    if !derivations.isEmpty { result.append(Derivation.staleTable) }
    return result + derivations.map(\.triggers)
  }
}

/// Creates and drops auxiliary tables, inside a transaction.
struct SpecialTables {
  let connection: Connection

  /// Creates the tables that only `new` needs, and drops the ones that only `old` needed.
  ///
  /// The tables of the entities must already be those of `new`. The unfinished uploads and the kept
  /// values in a dropped table of values are removed, since a later table of its name has others.
  func adapt(from old: Catalog?, to new: Catalog) throws(SQLiteError) {
    let before = old?.specialTables ?? []
    let after = new.specialTables
    let (kept, wanted) = (Set(after), Set(before))
    for table in before where !kept.contains(table) {
      let isKept = table.isOnlyCopy && after.contains { $0.name == table.name }
      try drop(table, keepingTable: isKept)
    }
    for table in after where !wanted.contains(table) {
      let isThere = table.isOnlyCopy && before.contains { $0.name == table.name }
      try create(table, isThere: isThere)
    }
    guard wanted.contains(BlobTable.uploads), kept.contains(BlobTable.uploads) else { return }
    let names = after.compactMap { table in table.name.map { "'\"\($0)\"'" } }
    let there = try existingTables()
    for list in [BlobTable.uploads, KeptValues.table].compactMap(\.name) where there.contains(list)
    {
      try connection.execute(
        "DELETE FROM \(list) WHERE blobs NOT IN (\(names.joined(separator: ", ")))"
      )
    }
  }

  /// Drops the triggers, and the tables that can be rebuilt.
  ///
  /// Call this before the table of an entity is rebuilt, and ``restore(_:)`` afterwards.
  func suspend(_ catalog: Catalog) throws(SQLiteError) {
    for table in catalog.specialTables { try drop(table, keepingTable: table.isOnlyCopy) }
  }

  /// Creates the tables that ``suspend(_:)`` dropped, for the current tables of rows.
  func restore(_ catalog: Catalog) throws(SQLiteError) {
    let there = try existingTables()
    for table in catalog.specialTables {
      try create(table, isThere: table.isOnlyCopy && table.name.map(there.contains) ?? false)
    }
  }

  /// Creates the table and the triggers of kept values in a store that an earlier build has left.
  func complete(_ catalog: Catalog) throws {
    guard catalog.specialTables.contains(KeptValues.table), let name = KeptValues.table.name,
      try !existingTables().contains(name)
    else { return }
    try connection.transaction {
      try suspend(catalog)
      try restore(catalog)
    }
  }

  private func existingTables() throws(SQLiteError) -> Set<String> {
    Set(try connection.texts("SELECT name FROM sqlite_schema WHERE type = 'table'"))
  }

  private func drop(_ table: SpecialTable, keepingTable isKept: Bool) throws(SQLiteError) {
    for trigger in table.triggers {
      try connection.execute("DROP TRIGGER IF EXISTS \"\(trigger.name)\"")
    }
    guard !isKept, let name = table.name else { return }
    try connection.execute("DROP TABLE IF EXISTS \"\(name)\"")
  }

  /// Allows the triggers of a schema to write to virtual tables, if it has any.
  func enable(_ catalog: Catalog) {
    if catalog.specialTables.contains(where: \.isVirtual) { connection.trustTriggers() }
  }

  private func create(_ table: SpecialTable, isThere: Bool) throws(SQLiteError) {
    if table.isVirtual { connection.trustTriggers() }
    if !isThere {
      for statement in table.definition { try connection.execute(statement) }
      if let fill = table.fill { try connection.execute(fill) }
    }
    for trigger in table.triggers { try connection.execute(trigger.sql) }
  }
}
