internal import DepotProtocol
internal import DepotSQLite

/// The carrying out of changes to the schema, inside a transaction.
struct SchemaApplication {
  let connection: Connection
  let control: CallControl

  /// Changes the tables of `old` into those of `new`.
  ///
  /// - Throws: ``DepotError`` `schema.mismatch` if the rows that exist are in the way, or
  ///   `storage.corrupt` if one is damaged; ``SQLiteError``.
  func apply(_ changes: [SchemaChange], from old: Catalog, to new: Catalog) throws {
    var additions: [String: Int] = [:]
    for case .addedAttribute(_, let entity, _) in changes { additions[entity, default: 0] += 1 }
    for (entity, count) in additions {
      try addColumns(count, from: old.layout(of: entity), to: new.layout(of: entity))
    }
    for change in changes {
      try control.check()
      switch change {
      case .addedEntity(let entity):
        let layout = try new.layout(of: entity.name)
        if layout.isRoot { try connection.execute(layout.tableDefinition) }
        for addition in layout.additions { try connection.execute(addition.sql) }
      case .addedAttribute(let field, let entity, _):
        try addIndex(of: field.path, in: new.layout(of: entity))
      case .changedAttribute(_, let field, let entity, .indexed):
        try addIndex(of: field.path, in: new.layout(of: entity))
      case .addedIndex(.compound, let names, let entity):
        try connection.execute(
          new.layout(of: entity).index(names, prefix: "c", isUnique: false).sql
        )
      case .changedAttribute(_, _, _, .defaultValue): break
      default: throw DepotError.mismatch([change.description])
      }
    }
  }

  private func addIndex(of attribute: String, in layout: EntityLayout) throws {
    guard let position = layout.position(of: attribute),
      let sql = layout.index(of: layout.fields[position])?.sql
    else { return }
    do {
      try connection.execute(sql)
    } catch {
      guard error.kind == .unique else { throw error }
      throw DepotError.mismatch([
        "attribute \(layout.name).\(attribute) is unique, but several rows would get its default"
      ])
    }
  }

  /// Adds the last `count` attributes, and their defaults to the rows that exist.
  private func addColumns(
    _ count: Int,
    from old: EntityLayout,
    to new: EntityLayout
  ) throws {
    let positions = new.stored.indices.suffix(count)
    for position in positions {
      try connection.execute("ALTER TABLE \(new.table) ADD COLUMN \(new.stored[position].addition)")
    }
    let arena = CellArena()
    let defaults = positions.compactMap { position -> (position: Int, cell: Cell)? in
      guard let value = new.field(at: position)?.attribute.defaultValue, value != .null else {
        return nil
      }
      return (position, Cell(value, in: arena))
    }
    guard !defaults.isEmpty else { return }
    let assignments = defaults.map { ", \(new.stored[$0.position].quoted) = ?" }.joined()
    let update = try connection.statement(
      "UPDATE \(new.table) SET checksum = ?\(assignments) WHERE id = ?"
    )
    let select = try connection.statement(
      "SELECT \(old.fullRow) FROM \(old.table) WHERE id > ?1 ORDER BY id LIMIT 1000"
    )
    var last = Int64.min
    while true {
      try control.check()
      var checksums: [(identifier: Int64, checksum: Int64)] = []
      try select.run([.integer(last)]) { row in
        try old.verify(row)
        var checksum = RowChecksum(identifier: row.integer(0), version: row.integer(1))
        for place in old.stored.indices {
          checksum.add(Cell(row, place + 3), at: old.slots[place])
        }
        for (place, cell) in defaults { checksum.add(cell, at: new.slots[place]) }
        checksums.append((row.integer(0), checksum.value))
      }
      guard let end = checksums.last else { return }
      for (identifier, checksum) in checksums {
        try update.bind(checksum, at: 1)
        for (index, value) in defaults.enumerated() {
          try value.cell.bind(to: update, at: index + 2)
        }
        try update.bind(identifier, at: defaults.count + 2)
        try update.runBound()
      }
      last = end.identifier
    }
  }
}

extension DepotError {
  /// The error that a schema can't be applied.
  static func mismatch(_ differences: [String]) -> DepotError {
    DepotError(.mismatch, "The store's schema differs: \(differences.joined(separator: "; ")).")
      .hint("Only additions can be applied. Keep what exists, or use another store.")
      .at("/args/schema").details(["differences": .array(differences.map(JSONValue.string))])
  }
}
