internal import DepotProtocol
internal import DepotSQLite

/// Reads past states of rows, in one snapshot.
final class PastReader {
  let connection: Connection
  let catalog: Catalog
  let bounds: HistoryBounds
  /// Is called with the size of each row and page before it is processed; it may throw to stop.
  let check: Check
  let pages: HistoryPages
  let index: ChangeIndex
  private var knownTail: ChangeIndex.Tail?
  private var shapes: [String: Shape] = [:]
  /// Whether rows have the entity in the key, for the rows asked for last.
  private var rowsOfEntities: [RowOfEntity: Bool] = [:]

  private struct RowOfEntity: Hashable {
    var identifier: Int64
    var entity: String
  }

  typealias Check = (_ byteCount: Int) throws -> Void

  /// The columns for reading the current rows of an entity.
  private struct Shape {
    let layout: EntityLayout
    let statement: Statement
    let columns: [RowColumn]
  }

  init(
    _ connection: Connection,
    _ catalog: Catalog,
    _ bounds: HistoryBounds,
    check: @escaping Check = { _ in }
  ) {
    self.connection = connection
    self.catalog = catalog
    self.bounds = bounds
    self.check = check
    pages = HistoryPages(connection, check: check)
    index = ChangeIndex(connection: connection)
  }

  /// Returns the pages that the index may not have yet.
  func tail() throws -> ChangeIndex.Tail {
    try knownTail.getOrInsert { try ChangeIndex.Tail(connection, after: bounds.indexed, catalog) }
  }

  /// Whether the schema changed after a transaction, and so perhaps rows and names of properties.
  func schemaChanged(since token: Int64) throws -> Bool {
    let last = try connection.integer(
      "SELECT max(id) FROM depot_history WHERE origin = ?1",
      [.text(TransactionOrigin.schemaKind)]
    )
    return last ?? 0 > token
  }

  // MARK: - The present

  /// Returns the current state of a row.
  func current(_ identifier: Int64, _ layout: EntityLayout) throws -> RowState {
    let shape = try shape(layout)
    defer { shape.statement.reset() }
    shape.statement.restart()
    try shape.statement.bind(identifier, at: 1)
    guard try shape.statement.step() else { return .none }
    var result = RowState(exists: true, values: [:])
    var byteCount = 0
    for column in shape.columns {
      let cell = Cell(shape.statement.row, column.index)
      try column.check(cell, of: layout, identifier)
      let value = HistoryValue(cell, column.form)
      byteCount += value.byteCount
      result.values[column.name] = value
    }
    try check(byteCount)
    return result
  }

  private func shape(_ layout: EntityLayout) throws -> Shape {
    if let shape = shapes[layout.name] { return shape }
    let columns = layout.fields.enumerated().compactMap { position, field in
      layout.storedPositions[position].map { place in
        RowColumn(name: field.path, form: RowColumn.Form(field.attribute), index: place + 2)
      }
    }
    let shape = Shape(
      layout: layout,
      statement: try connection.statement(
        "SELECT \(layout.fullRow) FROM \(layout.table) WHERE id = ?1\(layout.kindFilter())"
      ),
      columns: columns
    )
    shapes[layout.name] = shape
    return shape
  }

  /// Returns the version of a row; `nil` if it doesn't exist.
  func version(of identifier: Int64, _ layout: EntityLayout) throws -> Int64? {
    try connection.integer(
      "SELECT version FROM \(layout.table) WHERE id = ?1",
      [.integer(identifier)]
    )
  }

  /// Returns a row's own entity.
  func entity(of identifier: Int64, _ layout: EntityLayout) throws -> EntityLayout? {
    let column = layout.isInHierarchy ? "kind" : "0"
    let sql = "SELECT \(column) FROM \(layout.table) WHERE id = ?1\(layout.kindFilter())"
    guard let found = try connection.integer(sql, [.integer(identifier)]) else { return nil }
    guard layout.isInHierarchy, let name = layout.numbers[Int(found)] else { return layout }
    return try catalog.layout(of: name)
  }

  /// Returns whether a row has an entity or a descendant, or had it before its deletion.
  func isRow(_ identifier: Int64, of layout: EntityLayout) throws -> Bool {
    let key = RowOfEntity(identifier: identifier, entity: layout.name)
    if let known = rowsOfEntities[key] { return known }
    var own = try entity(of: identifier, catalog.layout(of: layout.root))?.name
    if own == nil {
      try events(of: identifier, layout.root) { event in
        guard event.kind == .delete else { return true }
        own = event.entity
        return false
      }
    }
    if rowsOfEntities.count >= 10_000 { rowsOfEntities = [:] }
    let isRow = own.map { layout.numbers.values.contains($0) } ?? false
    rowsOfEntities[key] = isRow
    return isRow
  }

  // MARK: - The past

  /// Returns the insertions of a row, latest first.
  ///
  /// `isAlone` says that the row was never deleted, so that there is only one.
  func insertions(
    of identifier: Int64,
    _ layout: EntityLayout,
    isAlone: Bool
  ) throws -> [RecordedChange] {
    let root = try catalog.layout(of: layout.root)
    var result: [RecordedChange] = []
    for name in root.numbers.values.sorted() {
      // Identifiers increase, so for a row that was inserted once, the nearest range is the right
      // one.
      try InsertionIndex(connection: connection).candidates(
        for: identifier,
        of: name,
        after: bounds.floor,
        indexed: bounds.indexed
      ) { record in
        let page = try pages.page(record)
        guard page.ranges.contains(where: { $0.contains(identifier) }) else { return true }
        result.append(page.record.insertion(of: identifier))
        return !isAlone
      }
      if isAlone, !result.isEmpty { return result }
    }
    return result.sorted { $0.record > $1.record }
  }

  /// Returns the facts about a transaction; `nil` if it isn't kept.
  func origin(of token: Int64) throws -> HistoryOrigin? {
    try connection.statement(
      "SELECT at, author, process, grouping, origin FROM depot_history WHERE id = ?1 AND token = ?1"
    ).first([.integer(token)]) { HistoryOrigin(token: token, $0, from: 0, bounds) }
  }
}
