internal import DepotProtocol
internal import DepotSQLite

/// What writing the rows of one entity needs: its statements, and room for one row.
final class EntityWriter {
  let layout: EntityLayout
  let catalog: Catalog
  let connection: Connection
  let counter: IdentifierCounter
  let arena = CellArena()
  /// The values of the row that is being written, at the places of the stored columns.
  let cells: UnsafeMutableBufferPointer<Cell>
  /// The places of the unique attributes.
  let uniquePositions: [Int]
  private let defaultArena = CellArena()
  private let defaults: [Cell]
  private let insertStatement: Statement
  private let selectStatement: Statement

  init(
    _ layout: EntityLayout,
    in catalog: Catalog,
    connection: Connection,
    counter: IdentifierCounter
  ) throws {
    self.layout = layout
    self.catalog = catalog
    self.connection = connection
    self.counter = counter
    cells = .allocate(capacity: layout.stored.count)
    cells.initialize(repeating: .null)
    uniquePositions = layout.stored.indices.filter {
      layout.field(at: $0)?.attribute.isUnique ?? false
    }
    let arena = defaultArena
    defaults = layout.stored.indices.map { place in
      if place == layout.kindPosition { return .integer(Int64(layout.number)) }
      return Cell(layout.field(at: place)?.attribute.defaultValue ?? .null, in: arena)
    }
    let marks = repeatElement("?", count: layout.stored.count + 3).joined(separator: ",")
    insertStatement = try connection.statement(
      "INSERT INTO \(layout.table) (\(layout.fullRow)) VALUES (\(marks))"
    )
    selectStatement = try connection.statement(
      "SELECT \(layout.fullRow) FROM \(layout.table) WHERE id = ?1"
    )
  }

  deinit { cells.deallocate() }

  /// Gives every attribute its default.
  func useDefaults() {
    for position in defaults.indices { cells[position] = defaults[position] }
  }

  /// Stores the cells as a new row; returns its identifier.
  ///
  /// - Throws: ``SQLiteError`` of kind `unique` if there is such a row.
  @inline(__always)
  func insertRow() throws(SQLiteError) -> Int64 {
    let identifier = counter.take()
    var checksum = RowChecksum(identifier: identifier, version: 1)
    try insertStatement.bind(identifier, at: 1)
    try insertStatement.bind(Int64(1), at: 2)
    for position in 0..<cells.count {
      let cell = cells[position]
      checksum.add(cell, at: layout.slots[position])
      try cell.bind(to: insertStatement, at: position + 4)
    }
    try insertStatement.bind(checksum.value, at: 3)
    try insertStatement.runBound()
    return identifier
  }

  /// The statement that stores the cells at `positions` in a row that exists.
  func updateStatement(_ positions: [Int]) throws(SQLiteError) -> Statement {
    let columns = positions.map { ", \(layout.stored[$0].quoted) = ?" }.joined()
    return try connection.statement(
      "UPDATE \(layout.table) SET version = ?, checksum = ?\(columns) WHERE id = ?"
    )
  }

  /// Gives a row the cells at `positions`; returns whether there is such a row.
  ///
  /// - Throws: ``DepotError`` `storage.corrupt` if the row isn't what was stored; ``SQLiteError``.
  func updateRow(
    _ identifier: Int64,
    _ positions: [Int],
    with statement: Statement
  ) throws -> Bool {
    guard let (version, checksum) = try nextState(of: identifier, positions) else { return false }
    try statement.bind(version, at: 1)
    try statement.bind(checksum, at: 2)
    for (index, position) in positions.enumerated() {
      try cells[position].bind(to: statement, at: index + 3)
    }
    try statement.bind(identifier, at: positions.count + 3)
    try statement.runBound()
    return true
  }

  private func nextState(
    of identifier: Int64,
    _ positions: [Int]
  ) throws -> (version: Int64, checksum: Int64)? {
    defer { selectStatement.reset() }
    try selectStatement.bind(identifier, at: 1)
    guard try selectStatement.step() else { return nil }
    let row = selectStatement.row
    try layout.verify(row)
    let version = row.integer(1) + 1
    var checksum = RowChecksum(identifier: identifier, version: version)
    for position in 0..<cells.count {
      let cell = positions.contains(position) ? cells[position] : Cell(row, position + 3)
      checksum.add(cell, at: layout.slots[position])
    }
    return (version, checksum.value)
  }
}

@available(*, unavailable)
extension EntityWriter: Sendable {}

extension EntityLayout {
  /// Checks that a full row is what was stored.
  ///
  /// - Throws: ``DepotError`` `storage.corrupt` that names the row.
  func verify(_ row: borrowing Row) throws(DepotError) {
    let identifier = row.integer(0)
    var checksum = RowChecksum(identifier: identifier, version: row.integer(1))
    for place in 0..<stored.count { checksum.add(Cell(row, place + 3), at: slots[place]) }
    guard checksum.value == row.integer(2) else {
      throw DepotError(.corrupt, "The stored row \(name)/\(identifier) is damaged.")
        .hint("Its checksum doesn't match. Restore it from a backup, or delete it.")
        .details(["entity": .string(name), "id": .int64(identifier)])
    }
  }
}
