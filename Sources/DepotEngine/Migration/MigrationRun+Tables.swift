internal import DepotProtocol
internal import DepotSQLite

extension MigrationRun {
  /// The quoted temporary name of a table.
  private func temporary(_ table: Int, _ target: Int) -> String { "\"m_table_\(table)_\(target)\"" }

  /// Whether the table is the first whose rows a new table gets.
  private func isMaker(_ table: Int, _ target: TableMigration.Target) -> Bool {
    makers[target.root.name]?.table == table
  }

  /// Writes the rows of a table into new ones, or checks the rows of a kept table.
  func move(_ table: TableMigration, at index: Int) throws {
    if let kept = table.targets.first, kept.isKept {
      if table.needsCheck { try stream(table, into: [:]) }
      return
    }
    var insertions: [String: RowInsertion] = [:]
    for (number, target) in table.targets.enumerated() {
      let name =
        makers[target.root.name].map { temporary($0.table, $0.target) } ?? temporary(index, number)
      if isMaker(index, target) {
        try connection.execute(target.root.tableDefinition(named: name))
      }
      insertions[target.root.name] = try RowInsertion(target.root, name, on: connection)
    }
    if !insertions.isEmpty { try stream(table, into: insertions) }
  }

  private func stream(_ table: TableMigration, into insertions: [String: RowInsertion]) throws {
    let width = table.targets.map(\.root.stored.count).max() ?? 0
    let cells = UnsafeMutableBufferPointer<Cell>.allocate(capacity: width)
    cells.initialize(repeating: .null)
    defer { cells.deallocate() }
    let limit = options.rowLimit.map { " LIMIT \($0)" } ?? ""
    let only = table.old.kindPosition == nil ? table.transforms.values.first : nil
    try connection.statement("SELECT \(table.old.fullRow) FROM \(table.old.table)\(limit)").run {
      row in
      try didSee(rows: 1)
      let number = table.old.kindPosition.map { Int(row.integer($0 + 2)) }
      guard let transform = number.flatMap({ table.transforms[$0] }) ?? only,
        try transform.transform(row, into: cells, &findings),
        let insertion = insertions[transform.root.name]
      else { return }
      try transform.moveOut(row.integer(0), cells)
      try insertion.insert(row.integer(0) + transform.shift, row.integer(1), cells)
    }
  }

  /// Drops the old tables, which are now empty.
  func dropOldTables() throws {
    for table in tables where table.targets.first?.isKept != true {
      try connection.execute("DROP TABLE \(table.old.table)")
    }
    let kept = Set(keptJoinTables.map(\.old))
    for layout in old.allLayouts {
      for relationship in layout.relationships where relationship.owner == layout.name {
        guard case .join(let name, "source", _, _) = relationship.storage, !kept.contains(name)
        else { continue }
        try connection.execute("DROP TABLE \(name)")
      }
    }
    // Exchanged names are free only after all tables have temporary names.
    for (index, table) in tables.enumerated() {
      guard let target = table.targets.first, target.isKept, target.root.table != table.old.table
      else { continue }
      try connection.execute("ALTER TABLE \(table.old.table) RENAME TO \(temporary(index, 0))")
    }
  }

  /// Renames tables and their columns to their new names.
  func name(_ table: TableMigration, at index: Int) throws {
    for (number, target) in table.targets.enumerated() where isMaker(index, target) {
      if !target.isKept || target.root.table != table.old.table {
        try connection.execute(
          "ALTER TABLE \(temporary(index, number)) RENAME TO \(target.root.table)"
        )
      }
      if target.isKept { try nameColumns(of: target) }
    }
  }

  private func nameColumns(of target: TableMigration.Target) throws {
    let table = target.root.table
    let renamed = target.origins.filter { $0.key != $0.value }.sorted { $0.key < $1.key }
    for (index, names) in renamed.enumerated() {
      try connection.execute(
        "ALTER TABLE \(table) RENAME COLUMN \"\(names.value)\" TO \"m_\(index)\""
      )
    }
    for (index, names) in renamed.enumerated() {
      try connection.execute(
        "ALTER TABLE \(table) RENAME COLUMN \"m_\(index)\" TO \"\(names.key)\""
      )
    }
    for column in target.root.stored where target.origins[column.name] == nil {
      try connection.execute("ALTER TABLE \(table) ADD COLUMN \(column.addition)")
    }
  }
}

/// An insertion of rows into a new table.
private struct RowInsertion {
  private let root: EntityLayout
  private let statement: Statement

  init(_ root: EntityLayout, _ table: String, on connection: Connection) throws {
    self.root = root
    let marks = repeatElement("?", count: root.stored.count + 2).joined(separator: ", ")
    statement = try connection.statement(
      "INSERT INTO \(table) (\(root.fullRow)) VALUES (\(marks))"
    )
  }

  func insert(
    _ identifier: Int64,
    _ version: Int64,
    _ cells: UnsafeMutableBufferPointer<Cell>
  ) throws(SQLiteError) {
    try statement.bind(identifier, at: 1)
    try statement.bind(version, at: 2)
    for place in root.stored.indices {
      try cells[place].bind(to: statement, at: place + 3)
    }
    try statement.runBound()
  }
}
