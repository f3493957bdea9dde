internal import DepotProtocol
internal import DepotSQLite

/// The writer of one entity's rows: its statements, and memory for one row.
final class EntityWriter {
  let layout: EntityLayout
  unowned let entities: EntityWriters
  let counter: IdentifierCounter
  let arena = CellArena()
  /// Memory for the previous values of a row while it is changed.
  let rowArena = CellArena()
  /// The values of the current row, by the index of the stored columns.
  let cells: UnsafeMutableBufferPointer<Cell>
  /// The relationships of the row being read.
  var links = RowLinks()
  /// The uploads that the row uses, by the index of their columns.
  var uploads: [Int: UploadedValue] = [:]
  /// The cached plans of updates, by the columns that requests name.
  var updates = KnownPlans<UpdateRun>()
  /// The cached comparisons, by the columns with base values.
  var comparisons = KnownPlans<RowComparison?>()
  /// The cached plans of insertions, with the required columns that they omit.
  var insertions = KnownPlans<InsertPlan>()
  /// The relationships for which a new row must have destinations, with the index of their column.
  ///
  /// The index is `nil` for a relationship stored elsewhere.
  let demandingLinks: [(link: RelationshipLink, place: Int?)]
  /// The relationships stored in the row, with the indexes of their columns.
  let references: [(link: RelationshipLink, place: Int)]
  /// The version of inserted rows; greater than 1 only for rows that existed earlier.
  var firstVersion: Int64 = 1
  /// The version of the last updated row; `nil` if it wasn't increased.
  var newVersion: Int64?
  /// Reads the version of a row, if it exists.
  let existence: Statement
  let deletion: Statement
  private let defaultArena = CellArena()
  private let blobArena = CellArena()
  private var movedOut: [(place: Int, cell: Cell)] = []
  private let defaults: [Cell]
  private var rules: [FieldRule?]
  private let insertStatement: Statement
  private let selectStatement: Statement
  /// Reads the columns of ``references``; `nil` if there are none.
  private let referenceStatement: Statement?

  var connection: Connection { entities.connection }

  init(_ layout: EntityLayout, entities: EntityWriters, counter: IdentifierCounter) throws {
    self.layout = layout
    self.entities = entities
    self.counter = counter
    cells = .allocate(capacity: layout.stored.count)
    cells.initialize(repeating: .null)
    rules = Array(repeating: nil, count: layout.fields.count)
    let links = try layout.relationships.map {
      relationship -> (link: RelationshipLink, place: Int?) in
      let link = try entities.link(relationship)
      guard case .column(let column) = link.storage else { return (link, nil) }
      let name = column.root.stored[column.index].name
      return (link, layout.stored.firstIndex { $0.name == name })
    }
    demandingLinks = links.filter(\.link.needsTargets)
    references = links.compactMap { link, place in place.map { (link, $0) } }
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
    let marks = repeatElement("?", count: layout.stored.count + 2).joined(separator: ",")
    insertStatement = try connection.statement(
      "INSERT INTO \(layout.table) (\(layout.fullRow)) VALUES (\(marks))"
    )
    let condition = layout.kindFilter()
    selectStatement = try connection.statement(
      "SELECT \(layout.fullRow) FROM \(layout.table) WHERE id = ?1\(condition)"
    )
    existence = try connection.statement(
      "SELECT version FROM \(layout.table) WHERE id = ?1\(condition)"
    )
    let columns = references.map { layout.stored[$0.place].quoted }.joined(separator: ", ")
    referenceStatement =
      columns.isEmpty
      ? nil : try connection.statement("SELECT \(columns) FROM \(layout.table) WHERE id = ?1")
    deletion = try connection.statement("DELETE FROM \(layout.table) WHERE id = ?1")
  }

  deinit { cells.deallocate() }

  /// Returns the rule for reading the values of a field.
  func rule(_ position: Int) throws(DepotError) -> FieldRule {
    if let rule = rules[position] { return rule }
    let rule = try FieldRule(layout.fields[position], of: layout.name)
    rules[position] = rule
    return rule
  }

  /// Calls `body` with a row of the entity, if it exists; returns whether it does.
  func read(_ identifier: Int64, _ body: (borrowing Row) throws -> Void) throws -> Bool {
    defer { selectStatement.restart() }
    selectStatement.restart()
    try selectStatement.bind(identifier, at: 1)
    guard try selectStatement.step() else { return false }
    try body(selectStatement.row)
    return true
  }

  /// Returns the destinations of the relationships stored in a row.
  func targets(
    of identifier: Int64
  ) throws(SQLiteError) -> [(link: RelationshipLink, target: Int64)] {
    guard let referenceStatement else { return [] }
    defer { referenceStatement.restart() }
    try referenceStatement.bind(identifier, at: 1)
    guard try referenceStatement.step() else { return [] }
    var targets: [(link: RelationshipLink, target: Int64)] = []
    for (column, reference) in references.enumerated() {
      if case .integer(let target) = Cell(referenceStatement.row, column) {
        targets.append((reference.link, target))
      }
    }
    return targets
  }

  /// Sets every attribute to its default.
  func useDefaults() {
    for position in defaults.indices { cells[position] = defaults[position] }
  }

  /// Sets the attribute with a column index to its default.
  func useDefault(at place: Int) { cells[place] = defaults[place] }

  /// Stores the cells as a new row.
  @inline(__always)
  func insertRow(_ identifier: Int64) throws {
    guard layout.externalColumnIndices.isEmpty else { return try insertExternally(identifier) }
    try insertCells(identifier)
  }

  /// Stores the cells as a new row, with large values outside it.
  private func insertExternally(_ identifier: Int64) throws {
    let values = try moveOut(layout.externalColumnIndices)
    defer { moveIn(values) }
    try insertCells(identifier)
  }

  /// Stores large values outside the row, and puts references to them into the cells.
  ///
  /// It returns the values, for further rows with the same values.
  private func moveOut(_ places: [Int]) throws -> [(place: Int, cell: Cell)] {
    blobArena.removeAll()
    var result: [(place: Int, cell: Cell)] = []
    for place in places {
      if let upload = uploads[place] {
        result.append((place, cells[place]))
        cells[place] = try upload.take(on: connection, in: blobArena)
        continue
      }
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
    try insertStatement.bind(identifier, at: 1)
    try insertStatement.bind(firstVersion, at: 2)
    for position in 0..<cells.count {
      try cells[position].bind(to: insertStatement, at: position + 3)
    }
    try insertStatement.runBound()
  }

  /// The statement that stores the cells at `positions` in an existing row.
  func updateStatement(_ positions: [Int]) throws(SQLiteError) -> Statement {
    let columns = positions.map { ", \(layout.stored[$0].quoted) = ?" }.joined()
    return try connection.statement(
      "UPDATE \(layout.table) SET version = ?\(columns) WHERE id = ?"
    )
  }

  /// The statement that does so if the row has a version, and if some value differs.
  ///
  /// SQLite treats -0 and 0 as equal.
  func guardedStatement(_ positions: [Int]) throws(SQLiteError) -> Statement {
    let columns = positions.map { layout.stored[$0].quoted }
    let assignments = columns.enumerated().map { ", \($1) = ?\($0 + 2)" }.joined()
    let differences = columns.enumerated().map { "\($1) IS NOT ?\($0 + 2)" }
    let (identifier, version) = (columns.count + 2, columns.count + 3)
    return try connection.statement(
      """
      UPDATE \(layout.table) SET version = ?1\(assignments) \
      WHERE id = ?\(identifier) AND version = ?\(version)\(layout.kindFilter()) \
      AND (\(differences.joined(separator: " OR ")))
      """
    )
  }

  /// Updates a row with the cells of `run` by its guarded statement.
  ///
  /// It returns the next version; `nil` if nothing was written.
  func updateRow(
    _ identifier: Int64,
    _ run: UpdateRun,
    readAs version: Int64?
  ) throws -> Int64? {
    guard let statement = run.guarded, let version, version < .max else { return nil }
    try statement.bind(version + 1, at: 1)
    for (index, position) in run.positions.enumerated() {
      try cells[position].bind(to: statement, at: index + 2)
    }
    try statement.bind(identifier, at: run.positions.count + 2)
    try statement.bind(version, at: run.positions.count + 3)
    return try entities.run(statement, changing: run.recorded) > 0 ? version + 1 : nil
  }

  /// Updates a row with the cells at the positions of `run`, unless they are equal already.
  ///
  /// The row's version is increased by `step`. `prepare` gets the stored row, and may change the
  /// cells. The statement must be ``updateStatement(_:)`` for the positions.
  func updateRow(
    _ identifier: Int64,
    _ run: UpdateRun,
    with statement: Statement,
    step: Int64,
    prepare: ((borrowing Row) throws -> Void)? = nil
  ) throws -> RowUpdate {
    let positions = run.positions
    movedOut = []
    defer { moveIn(movedOut) }
    let version: Int64
    switch try nextState(of: identifier, positions, step: step, prepare) {
    case .missing: return .missing
    case .unchanged: return .unchanged
    case .next(let next): version = next
    }
    try statement.bind(version, at: 1)
    for (index, position) in positions.enumerated() {
      try cells[position].bind(to: statement, at: index + 2)
    }
    try statement.bind(identifier, at: positions.count + 2)
    try entities.run(statement, changing: run.recorded)
    return .written(version: version)
  }

  /// The change to make in a row, besides the cells.
  private enum NextState {
    case missing
    /// The row equals the cells already.
    case unchanged
    case next(version: Int64)
  }

  private func nextState(
    of identifier: Int64,
    _ positions: [Int],
    step: Int64,
    _ prepare: ((borrowing Row) throws -> Void)?
  ) throws -> NextState {
    defer { selectStatement.restart() }
    try selectStatement.bind(identifier, at: 1)
    guard try selectStatement.step() else { return .missing }
    let row = selectStatement.row
    try prepare?(row)
    if isSame(row, positions) { return .unchanged }
    if !layout.externalColumnIndices.isEmpty {
      movedOut = try moveOut(layout.externalColumnIndices.filter(positions.contains))
    }
    return .next(version: try layout.version(after: row.integer(1), by: step, of: identifier))
  }

  /// Whether a row equals the cells at `positions`.
  private func isSame(_ row: borrowing Row, _ positions: [Int]) -> Bool {
    for position in positions where !cells[position].isSame(as: Cell(row, position + 2)) {
      return false
    }
    return true
  }

  /// Copies a value of the stored row into the cells.
  func keep(_ cell: Cell, at place: Int) {
    switch cell {
    case .text(let bytes): cells[place] = .text(rowArena.copy(bytes))
    case .blob(let bytes): cells[place] = .blob(rowArena.copy(bytes))
    default: cells[place] = cell
    }
  }

  /// Changes some columns of any row, and returns whether the row exists.
  func change(
    _ identifier: Int64,
    _ changes: [(place: Int, cell: Cell)],
    step: Int64
  ) throws -> Bool {
    let statement = try updateStatement(changes.map(\.place))
    defer { selectStatement.restart() }
    try selectStatement.bind(identifier, at: 1)
    guard try selectStatement.step() else { return false }
    let version = selectStatement.row.integer(1)
    try statement.bind(layout.version(after: version, by: step, of: identifier), at: 1)
    for (index, change) in changes.enumerated() {
      try change.cell.bind(to: statement, at: index + 2)
    }
    try statement.bind(identifier, at: changes.count + 2)
    try statement.runBound()
    try entities.recorder?.spill()
    return true
  }
}

extension EntityLayout {
  /// Returns the version of a row after an increase.
  ///
  /// - Throws: ``DepotError`` `request.number_range` if it would exceed the greatest version.
  func version(
    after version: Int64,
    by step: Int64,
    of identifier: Int64
  ) throws(DepotError) -> Int64 {
    let (next, overflows) = version.addingReportingOverflow(step)
    guard !overflows else {
      throw DepotError(.numberRange, "The version of \(name)/\(identifier) can't grow any more.")
        .hint("Delete the row, and insert it as a new one.")
        .details(["entity": .string(name), "id": .int64(identifier)])
    }
    return next
  }
}

/// The result of an update of one row.
enum RowUpdate: Equatable {
  case missing
  case unchanged
  case written(version: Int64)
}
