internal import DepotProtocol
internal import DepotSQLite

/// Applies schema additions inside a transaction.
///
/// It adds all tables, columns, and indexes that are in the new schema and not in the old one,
/// regardless of the change that causes them.
struct SchemaApplication {
  let connection: Connection
  let control: CallControl

  /// Changes the tables of `old` into those of `new`.
  func apply(_ changes: [SchemaChange], from old: Catalog, to new: Catalog) throws {
    let known = Dictionary(uniqueKeysWithValues: old.tables.map { ($0.name, $0) })
    for table in new.tables {
      try control.check()
      if let before = known[table.name] {
        try narrow(before, to: table)
        let widening = TableWidening(from: before, to: table, in: new, filling: changes)
        try widening.run(on: connection, control)
      } else {
        try connection.execute(table.tableDefinition)
      }
    }
    let before = Dictionary(
      old.allLayouts.flatMap(\.additions).map { ($0.name, $0.sql) }
    ) { first, _ in first }
    for layout in new.allLayouts {
      for addition in layout.additions where before[addition.name] != addition.sql {
        try control.check()
        if before[addition.name] != nil {
          try connection.execute("DROP INDEX \"\(addition.name)\"")
        }
        try add(addition, to: layout)
      }
    }
    try SpecialTables(connection: connection).adapt(from: old, to: new)
  }

  /// Gives widened columns that an index needs now their former type, if no value is outside its row.
  private func narrow(_ before: EntityLayout, to table: EntityLayout) throws {
    let places = table.columnIndicesByName
    for column in before.stored where column.isWidened {
      guard let place = places[column.name], !table.stored[place].isExternal else { continue }
      let found = try connection.integer(
        "SELECT count(*) FROM \(before.table) WHERE \(column.hasReference)"
      )
      guard found == 0 else {
        let path = column.name.dropFirst(2)
        throw DepotError(
          .valueTooLarge,
          "\(table.name).\(path) can't be unique or in an index: \(Int(found ?? 0).pluralized("value")) "
            + "can't be in their rows, with over \(Limits.valueBytes) bytes each."
        )
        .hint("Nothing was changed. Store smaller values first, or leave the index out.")
        .at("/args/schema")
      }
      try connection.retype(
        column.name,
        of: "e_\(table.name)",
        from: column.sqlType,
        to: table.stored[place].sqlType
      )
    }
  }

  private func add(_ addition: (name: String, sql: String), to layout: EntityLayout) throws {
    do {
      try connection.execute(addition.sql)
    } catch {
      guard error.kind == .unique else { throw error }
      // The name is a letter, the entity, and the paths, separated by underscores.
      let place = addition.name.dropFirst(layout.name.utf8.count + 3)
      throw DepotError.mismatch([
        "attribute \(layout.name).\(place) is unique, but several rows have or would get the same"
      ])
      .hint(
        "Nothing was changed. Add it so that it needn't be unique, give each row a value of its own, and make "
          + "it unique under a greater version, or do both in a custom stage."
      )
    }
  }
}

extension DepotError {
  /// The error for a schema that can't be applied.
  static func mismatch(_ differences: [String]) -> DepotError {
    DepotError(.mismatch, "The store's schema differs: \(differences.joined(separator: "; ")).")
      .hint(
        "Under the same version there can only be additions. Give the schema a greater version to "
          + "migrate the store."
      )
      .at("/args/schema").detail("differences", differences)
  }
}
