internal import DepotProtocol
internal import DepotSQLite

/// The reading of what rows were, within one snapshot.
final class PastReader {
  let connection: Connection
  let catalog: Catalog
  let bounds: HistoryBounds
  private let pages: HistoryPages
  private var shapes: [String: Shape] = [:]

  /// How the rows of an entity are read as they are.
  private struct Shape {
    let layout: EntityLayout
    let statement: Statement
    let reading: RowReading
    let names: [String]
  }

  /// A change of a row.
  struct Event {
    /// The row of the history.
    var record: Int64
    var token: Int64
    var kind: HistoryTable.Kind
    /// The entity that the row is of; of links, the one that declares the relationship.
    var entity: String
    /// What changed; `nil` of an insertion.
    var change: RecordedChange?
  }

  init(_ connection: Connection, _ catalog: Catalog, _ bounds: HistoryBounds) {
    self.connection = connection
    self.catalog = catalog
    self.bounds = bounds
    pages = HistoryPages(connection)
  }

  // MARK: - The present

  /// Returns what a row is.
  ///
  /// - Throws: ``DepotError`` `storage.corrupt` if it is damaged; ``SQLiteError``.
  func current(_ identifier: Int64, _ layout: EntityLayout) throws -> RowPast {
    let shape = try shape(layout)
    defer { shape.statement.reset() }
    shape.statement.restart()
    try shape.statement.bind(identifier, at: 1)
    guard try shape.statement.step() else { return .none }
    var writer = JSONWriter()
    try shape.reading.write(shape.statement.row, int64: .number, to: &writer)
    let values = try JSONDocument(writer.bytes, valueLimit: .max).root.elements().dropFirst(2)
    var result = RowPast(exists: true, values: [:])
    for (name, value) in zip(shape.names, values) { result.values[name] = value.source }
    return result
  }

  private func shape(_ layout: EntityLayout) throws -> Shape {
    if let shape = shapes[layout.name] { return shape }
    let positions = layout.fields.indices.compactMap { position in
      layout.storedPositions[position].map { (position, $0) }
    }
    let columns = positions.map { position, place in
      RowColumn(
        name: layout.fields[position].path,
        form: RowColumn.Form(layout.fields[position].attribute),
        index: place + 3
      )
    }
    let kind =
      layout.kindCondition(in: layout.table, includingDescendants: true).map { " AND \($0)" } ?? ""
    let shape = Shape(
      layout: layout,
      statement: try connection.statement(
        "SELECT \(layout.fullRow) FROM \(layout.table) WHERE id = ?1\(kind)"
      ),
      reading: RowReading(full: layout, columns: columns),
      names: columns.map(\.name)
    )
    shapes[layout.name] = shape
    return shape
  }

  /// Returns the entity that a row is of.
  func entity(of identifier: Int64, _ layout: EntityLayout) throws -> EntityLayout? {
    let column = layout.isInHierarchy ? "kind" : "0"
    let kind =
      layout.kindCondition(in: layout.table, includingDescendants: true).map { " AND \($0)" } ?? ""
    var found: Int64?
    try connection.statement("SELECT \(column) FROM \(layout.table) WHERE id = ?1\(kind)")
      .run([.integer(identifier)]) { found = $0.integer(0) }
    guard let found else { return nil }
    guard layout.isInHierarchy, let name = layout.numbers[Int(found)] else { return layout }
    return try catalog.layout(of: name)
  }

  // MARK: - The past

  /// Returns what a row was before a row of the history, and behind those before it.
  ///
  /// It must have existed then, or have been deleted since; insertions aren't looked for.
  func state(
    of identifier: Int64,
    _ layout: EntityLayout,
    behind record: Int64
  ) throws -> RowPast {
    var row = try current(identifier, layout)
    try events(of: identifier, layout.root, from: record) { event in
      if let change = event.change { row.undo(event.kind, change) }
      return true
    }
    return row
  }

  /// Finds the changes of a row that didn't insert it, the last first.
  ///
  /// - Parameters:
  ///   - identifier: The row.
  ///   - root: The root of its entity.
  ///   - edge: The first row of the history to look at.
  ///   - body: Gets the changes until it returns `false`.
  /// - Throws: ``DepotError`` `storage.corrupt` if the history is damaged; ``SQLiteError``; what `body`
  ///   throws.
  func events(
    of identifier: Int64,
    _ root: String,
    from edge: Int64 = 0,
    _ body: (Event) throws -> Bool
  ) throws {
    var before = Int64.max
    let first = max(edge, bounds.floor + 1)
    while let record = try last(of: identifier, root, from: first, before: before) {
      before = record
      let page = try pages.page(record)
      guard let kind = page.kind, let entity = page.entity else { continue }
      for change in page.changes(of: identifier).reversed() {
        let event = Event(
          record: record,
          token: page.token,
          kind: kind,
          entity: entity,
          change: change
        )
        guard try body(event) else { return }
      }
    }
  }

  private func last(
    of identifier: Int64,
    _ root: String,
    from first: Int64,
    before: Int64
  ) throws -> Int64? {
    var record: Int64?
    try connection.statement(
      """
      SELECT id FROM depot_history_row WHERE entity = ?1 AND row = ?2 AND id >= ?3 AND id < ?4 \
      ORDER BY id DESC LIMIT 1
      """
    ).run([.text(root), .integer(identifier), .integer(first), .integer(before)]) {
      record = $0.integer(0)
    }
    return record
  }

  /// Finds the insertions of a row, the last first.
  ///
  /// - Parameters:
  ///   - identifier: The row.
  ///   - layout: The entity, or one that it descends from.
  ///   - isAlone: Whether there can be only one, since the row was never deleted.
  /// - Returns: The insertions.
  /// - Throws: ``DepotError`` `storage.corrupt` if the history is damaged; ``SQLiteError``.
  func insertions(
    of identifier: Int64,
    _ layout: EntityLayout,
    isAlone: Bool
  ) throws -> [Event] {
    let root = try catalog.layout(of: layout.root)
    var result: [Event] = []
    for name in root.numbers.values.sorted() {
      // Identifiers grow, so that those of a row that was inserted once are nearest.
      try InsertionIndex(connection: connection).candidates(
        for: identifier,
        of: name,
        in: bounds
      ) { record in
        let page = try pages.page(record)
        guard page.ranges.contains(where: { $0.contains(identifier) }) else { return true }
        result.append(
          Event(record: record, token: page.token, kind: .insert, entity: name, change: nil)
        )
        return !isAlone
      }
      if isAlone, !result.isEmpty { return result }
    }
    return result.sorted { $0.record > $1.record }
  }

  /// Returns who made a transaction.
  func origin(of token: Int64) throws -> HistoryOrigin? {
    var origin: HistoryOrigin?
    try connection.statement(
      "SELECT at, author, process, grouping, origin FROM depot_history WHERE id = ?1 AND token = ?1"
    ).run([.integer(token)]) { origin = HistoryOrigin(token: token, $0, from: 0) }
    return origin
  }
}

@available(*, unavailable)
extension PastReader: Sendable {}

/// The pages of the history that were read last, parsed.
private final class HistoryPages {
  /// How many are kept.
  private static let limit = 8

  private let connection: Connection
  private var pages: [Page] = []

  final class Page {
    let record: Int64
    let token: Int64
    let kind: HistoryTable.Kind?
    let entity: String?
    let ranges: [ClosedRange<Int64>]
    private let elements: [Int64: [RecordedChange]]

    init(_ record: HistoryRecord) throws(DepotError) {
      self.record = record.identifier
      token = record.token
      kind = record.kind
      entity = record.entity
      ranges = try record.ranges()
      elements = Dictionary(grouping: try record.changes(), by: \.identifier)
    }

    /// The changes of a row, in the order in which they happened.
    func changes(of identifier: Int64) -> [RecordedChange] { elements[identifier] ?? [] }
  }

  init(_ connection: Connection) {
    self.connection = connection
  }

  func page(_ record: Int64) throws -> Page {
    if let index = pages.firstIndex(where: { $0.record == record }) {
      let page = pages[index]
      if index > 0 {
        pages.remove(at: index)
        pages.insert(page, at: 0)
      }
      return page
    }
    var found: HistoryRecord?
    try connection.statement(
      "SELECT \(HistoryTable.fullRow) FROM depot_history WHERE id = ?1"
    ).run([.integer(record)]) { found = try HistoryRecord($0) }
    guard let found else { throw HistoryRecord.damaged(record) }
    let page = try Page(found)
    if pages.count >= Self.limit { pages.removeLast() }
    pages.insert(page, at: 0)
    return page
  }
}

@available(*, unavailable)
extension HistoryPages: Sendable {}
