internal import DepotProtocol
internal import DepotSQLite

/// What writing the rows of one entity needs: its statements, and room for one row.
final class EntityWriter {
  let layout: EntityLayout
  unowned let entities: EntityWriters
  let counter: IdentifierCounter
  let arena = CellArena()
  /// Memory for the values that a row has already, while it is changed.
  let rowArena = CellArena()
  /// The values of the row that is being written, at the places of the stored columns.
  let cells: UnsafeMutableBufferPointer<Cell>
  /// What the row that is being read says about relationships.
  var links = RowLinks()
  /// The plans of the columns that requests have named.
  var plans = KnownPlans<InputPlan>()
  /// The same for rows to insert, with what they lack.
  var insertions = KnownPlans<InsertRun>()
  /// The relationships that a new row must have targets for from the start, with the places of those
  /// that are stored in the row.
  let demandingLinks: [(link: Link, place: Int?)]
  /// The version of rows that are inserted, greater than 1 only for those that were there before.
  var firstVersion: Int64 = 1
  /// Finds out whether there is a row.
  let existence: Statement
  let deletion: Statement
  private let defaultArena = CellArena()
  private let blobArena = CellArena()
  private var movedOut: [(place: Int, cell: Cell)] = []
  private let defaults: [Cell]
  private var rules: [FieldRule?]
  private let insertStatement: Statement
  private let selectStatement: Statement

  var connection: Connection { entities.connection }

  init(_ layout: EntityLayout, entities: EntityWriters, counter: IdentifierCounter) throws {
    self.layout = layout
    self.entities = entities
    self.counter = counter
    cells = .allocate(capacity: layout.stored.count)
    cells.initialize(repeating: .null)
    rules = Array(repeating: nil, count: layout.fields.count)
    demandingLinks = try layout.relationships.map { try entities.link($0) }
      .filter(\.needsTargets)
      .map { link in
        guard case .column(let column) = link.storage else { return (link, nil) }
        let name = column.root.stored[column.place].name
        return (link, layout.stored.firstIndex { $0.name == name })
      }
    let arena = defaultArena
    let parts = Set(layout.composites.flatMap { $0.parts.map(\.place) })
    defaults = try layout.stored.indices.map { place in
      if place == layout.kindPosition { return .integer(Int64(layout.number)) }
      guard let attribute = layout.field(at: place)?.attribute, !parts.contains(place) else {
        return .null
      }
      return try Cell(defaultOf: attribute, in: arena)
    }
    let connection = entities.connection
    let marks = repeatElement("?", count: layout.stored.count + 3).joined(separator: ",")
    insertStatement = try connection.statement(
      "INSERT INTO \(layout.table) (\(layout.fullRow)) VALUES (\(marks))"
    )
    let condition =
      layout.kindCondition(in: layout.table, includingDescendants: true)
      .map { " AND \($0)" } ?? ""
    selectStatement = try connection.statement(
      "SELECT \(layout.fullRow) FROM \(layout.table) WHERE id = ?1\(condition)"
    )
    existence = try connection.statement(
      "SELECT 1 FROM \(layout.table) WHERE id = ?1\(condition)"
    )
    deletion = try connection.statement("DELETE FROM \(layout.table) WHERE id = ?1")
  }

  deinit { cells.deallocate() }

  /// Returns how the values of a field are read.
  func rule(_ position: Int) throws(DepotError) -> FieldRule {
    if let rule = rules[position] { return rule }
    let rule = try FieldRule(layout.fields[position])
    rules[position] = rule
    return rule
  }

  /// Gives a row of the entity, if there is such a one, to `body`.
  ///
  /// - Returns: Whether there is one.
  func read(_ identifier: Int64, _ body: (borrowing Row) throws -> Void) throws -> Bool {
    defer { selectStatement.reset() }
    selectStatement.restart()
    try selectStatement.bind(identifier, at: 1)
    guard try selectStatement.step() else { return false }
    try body(selectStatement.row)
    return true
  }

  /// Gives every attribute its default.
  func useDefaults() {
    for position in defaults.indices { cells[position] = defaults[position] }
  }

  /// Gives the attribute at a place its default.
  func useDefault(at place: Int) { cells[place] = defaults[place] }

  /// Stores the cells as a new row with an identifier of its own.
  ///
  /// - Throws: ``SQLiteError`` of kind `unique` if there is such a row.
  @inline(__always)
  func insertRow(_ identifier: Int64) throws(SQLiteError) {
    guard layout.externalPlaces.isEmpty else { return try insertExternally(identifier) }
    try insertCells(identifier)
  }

  /// Stores the cells as a new row, and large values outside it.
  private func insertExternally(_ identifier: Int64) throws(SQLiteError) {
    let values = try moveOut(layout.externalPlaces)
    defer { moveIn(values) }
    try insertCells(identifier)
  }

  /// Stores values outside the row and puts references to them into the cells.
  ///
  /// - Returns: What the cells were, for the rows that get the same values.
  private func moveOut(_ places: [Int]) throws(SQLiteError) -> [(place: Int, cell: Cell)] {
    blobArena.removeAll()
    var result: [(place: Int, cell: Cell)] = []
    for place in places {
      guard case .external(let type) = layout.stored[place].storage,
        let bytes = cells[place].externalValue(isText: type == .string)
      else { continue }
      result.append((place, cells[place]))
      let reference = try BlobWriter(connection: connection, table: BlobTable(layout.root))
        .create(bytes)
      cells[place] = reference.cell(isText: type == .string, in: blobArena)
    }
    return result
  }

  private func moveIn(_ values: [(place: Int, cell: Cell)]) {
    for (place, cell) in values { cells[place] = cell }
  }

  @inline(__always)
  private func insertCells(_ identifier: Int64) throws(SQLiteError) {
    var checksum = RowChecksum(identifier: identifier, version: firstVersion)
    try insertStatement.bind(identifier, at: 1)
    try insertStatement.bind(firstVersion, at: 2)
    for position in 0..<cells.count {
      let cell = cells[position]
      checksum.add(cell, at: layout.slots[position])
      try cell.bind(to: insertStatement, at: position + 4)
    }
    try insertStatement.bind(checksum.value, at: 3)
    try insertStatement.runBound()
  }

  /// The statement that stores the cells at `positions` in a row that exists.
  func updateStatement(_ positions: [Int]) throws(SQLiteError) -> Statement {
    let columns = positions.map { ", \(layout.stored[$0].quoted) = ?" }.joined()
    return try connection.statement(
      "UPDATE \(layout.table) SET version = ?, checksum = ?\(columns) WHERE id = ?"
    )
  }

  /// Gives a row the cells at `positions`.
  ///
  /// - Parameters:
  ///   - identifier: The row's identifier.
  ///   - positions: The places of the cells.
  ///   - statement: What ``updateStatement(_:)`` gives for them.
  ///   - step: How much the version grows.
  ///   - prepare: Gets the row before; what it makes of the cells is stored.
  /// - Returns: What became of it; a row that has the cells already is left as it is.
  /// - Throws: ``DepotError`` `storage.corrupt` if the row isn't what was stored; ``SQLiteError``.
  func updateRow(
    _ identifier: Int64,
    _ positions: [Int],
    with statement: Statement,
    step: Int64,
    prepare: ((borrowing Row) throws -> Void)? = nil
  ) throws -> RowUpdate {
    movedOut = []
    defer { moveIn(movedOut) }
    let version: Int64
    let checksum: Int64
    switch try nextState(of: identifier, positions, step: step, prepare) {
    case .missing: return .missing
    case .unchanged: return .unchanged
    case .next(let nextVersion, let nextChecksum): (version, checksum) = (nextVersion, nextChecksum)
    }
    try statement.bind(version, at: 1)
    try statement.bind(checksum, at: 2)
    for (index, position) in positions.enumerated() {
      try cells[position].bind(to: statement, at: index + 3)
    }
    try statement.bind(identifier, at: positions.count + 3)
    try statement.runBound()
    try entities.recorder?.spill()
    return .written
  }

  /// What is to be written of a row besides the cells.
  private enum NextState {
    case missing
    /// It has the cells already.
    case unchanged
    case next(version: Int64, checksum: Int64)
  }

  private func nextState(
    of identifier: Int64,
    _ positions: [Int],
    step: Int64,
    _ prepare: ((borrowing Row) throws -> Void)?
  ) throws -> NextState {
    defer { selectStatement.reset() }
    try selectStatement.bind(identifier, at: 1)
    guard try selectStatement.step() else { return .missing }
    let row = selectStatement.row
    try layout.verify(row)
    try prepare?(row)
    if isSame(row, positions) { return .unchanged }
    if !layout.externalPlaces.isEmpty {
      movedOut = try moveOut(layout.externalPlaces.filter(positions.contains))
    }
    let version = row.integer(1) + step
    var checksum = RowChecksum(identifier: identifier, version: version)
    for position in 0..<cells.count {
      let cell = positions.contains(position) ? cells[position] : Cell(row, position + 3)
      checksum.add(cell, at: layout.slots[position])
    }
    return .next(version: version, checksum: checksum.value)
  }

  /// Whether a row has the cells at `positions`.
  private func isSame(_ row: borrowing Row, _ positions: [Int]) -> Bool {
    for position in positions where !cells[position].isSame(Cell(row, position + 3)) {
      return false
    }
    return true
  }

  /// Copies a value of a row into the cells.
  func keep(_ cell: Cell, at place: Int) {
    switch cell {
    case .text(let bytes): cells[place] = .text(rowArena.copy(bytes))
    case .blob(let bytes): cells[place] = .blob(rowArena.copy(bytes))
    default: cells[place] = cell
    }
  }

  /// Gives a row other values at a few places, whatever row is being written.
  ///
  /// - Returns: Whether there is such a row.
  func change(
    _ identifier: Int64,
    _ changes: [(place: Int, cell: Cell)],
    step: Int64
  ) throws -> Bool {
    let statement = try updateStatement(changes.map(\.place))
    defer { selectStatement.reset() }
    try selectStatement.bind(identifier, at: 1)
    guard try selectStatement.step() else { return false }
    let row = selectStatement.row
    try layout.verify(row)
    let version = row.integer(1) + step
    var checksum = RowChecksum(identifier: identifier, version: version)
    for place in 0..<cells.count {
      let changed = changes.first { $0.place == place }?.cell
      checksum.add(changed ?? Cell(row, place + 3), at: layout.slots[place])
    }
    try statement.bind(version, at: 1)
    try statement.bind(checksum.value, at: 2)
    for (index, change) in changes.enumerated() {
      try change.cell.bind(to: statement, at: index + 3)
    }
    try statement.bind(identifier, at: changes.count + 3)
    try statement.runBound()
    try entities.recorder?.spill()
    return true
  }
}

@available(*, unavailable)
extension EntityWriter: Sendable {}

/// What became of a row that was to get other values.
enum RowUpdate {
  case missing
  case unchanged
  case written
}

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
