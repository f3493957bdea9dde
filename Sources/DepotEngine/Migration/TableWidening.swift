internal import DepotProtocol
internal import DepotSQLite

/// Adds columns to a table, and sets their first values in its rows.
struct TableWidening {
  private let old: EntityLayout
  private let new: EntityLayout
  private let columns: [Column]
  private let blobs: SpecialTable?

  /// A new column.
  private struct Column {
    var place: Int
    var attribute: Attribute?
    /// The value that existing rows get.
    var fill: Value
    /// The numbers of the entities with the column; `nil` for all entities of the table.
    var kinds: Set<Int>?
    /// The index, among the old columns, of the composite's presence column.
    ///
    /// It is -1 for a new composite, which has no value in any row.
    var presence: Int?
  }

  init(
    from old: EntityLayout,
    to new: EntityLayout,
    in catalog: Catalog,
    filling changes: [SchemaChange]
  ) {
    self.old = old
    self.new = new
    var fills: [String: Value] = [:]
    for case .addedAttribute(let field, _, let fill) in changes {
      fills["\(field.owner).\(field.path)"] = fill
    }
    let known = old.columnIndicesByName
    var columns: [String: Column] = [:]
    for layout in catalog.allLayouts where layout.root == new.name {
      for (position, field) in layout.fields.enumerated() where field.owner == layout.name {
        guard let place = layout.storedPositions[position] else { continue }
        let name = layout.stored[place].name
        guard known[name] == nil else { continue }
        let composite = layout.composites.last { $0.parts.contains { $0.place == place } }
        columns[name] = Column(
          place: 0,
          attribute: field.attribute,
          fill: fills["\(field.owner).\(field.path)"] ?? field.attribute.defaultValue ?? .null,
          kinds: layout.isRoot ? nil : Set(layout.numbers.keys),
          presence: composite.map { known[layout.stored[$0.presence].name] ?? -1 }
        )
      }
    }
    blobs = BlobTable.table(of: new)
    self.columns = new.stored.indices.compactMap { place in
      let name = new.stored[place].name
      guard known[name] == nil else { return nil }
      var column = columns[name] ?? Column(place: place, fill: .null)
      column.place = place
      if place == new.kindPosition { column.fill = .int64(Int64(new.number)) }
      return column
    }
  }

  func run(on connection: Connection, _ control: CallControl) throws {
    for column in columns {
      let addition = new.stored[column.place].addition
      try connection.execute("ALTER TABLE \(new.table) ADD COLUMN \(addition)")
    }
    if columns.contains(where: { new.stored[$0.place].isExternal }) {
      for statement in blobs?.definition ?? [] { try connection.execute(statement) }
    }
    let arena = CellArena()
    var values: [(column: Column, cell: Cell)] = []
    for column in columns {
      var attribute = column.attribute ?? Attribute(name: StorageMap.kindColumn, type: .int64)
      attribute.defaultValue = column.fill
      let cell = try Cell(defaultOf: attribute, in: arena)
      if !cell.isNull { values.append((column, cell)) }
    }
    if !values.isEmpty { try fill(values, on: connection, control) }
  }

  private func fill(
    _ values: [(column: Column, cell: Cell)],
    on connection: Connection,
    _ control: CallControl
  ) throws {
    let assignments = values.map { "\(new.stored[$0.column.place].quoted) = ?" }
    let update = try connection.statement(
      "UPDATE \(new.table) SET \(assignments.joined(separator: ", ")) WHERE id = ?"
    )
    let select = try connection.statement(
      "SELECT \(old.fullRow) FROM \(old.table) WHERE id > ?1 ORDER BY id LIMIT 1000"
    )
    let blobs = BlobWriter(connection: connection, table: BlobTable(new.name))
    let arena = CellArena()
    var last = Int64.min
    while true {
      try control.check()
      var rows: [(identifier: Int64, cells: [Cell])] = []
      arena.removeAll()
      try select.run([.integer(last)]) { row in
        var cells: [Cell] = []
        for (column, value) in values {
          var cell = applies(column, row) ? value : .null
          if case .external(let type) = new.stored[column.place].storage,
            let bytes = cell.externalValue(isText: type == .string)
          {
            cell = try blobs.create(bytes).cell(isText: type == .string, in: arena)
          }
          cells.append(cell)
        }
        rows.append((row.integer(0), cells))
      }
      guard let end = rows.last else { return }
      for row in rows {
        for (index, cell) in row.cells.enumerated() { try cell.bind(to: update, at: index + 1) }
        try update.bind(row.identifier, at: values.count + 1)
        try update.runBound()
      }
      last = end.identifier
    }
  }

  /// Whether a row gets the first value of a column.
  private func applies(_ column: Column, _ row: borrowing Row) -> Bool {
    if let kinds = column.kinds {
      // Before there was a hierarchy, the table had only rows of its own entity.
      guard let place = old.kindPosition, kinds.contains(Int(row.integer(place + 2))) else {
        return false
      }
    }
    guard let presence = column.presence else { return true }
    return presence >= 0 && row.integer(presence + 2) != 0
  }
}
