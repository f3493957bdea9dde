internal import DepotProtocol
internal import DepotSQLite

/// Compares stored rows with the base values of clients, for some columns.
final class RowComparison {
  unowned let writer: EntityWriter
  /// The columns to change.
  let columns: [InputColumn]
  /// The positions of the properties among these columns.
  let written: [Int]
  let identifierColumn: Int
  let versionColumn: Int
  /// The names of the columns with base values.
  let baseNames: [String]
  /// The same columns; `nil` for derived ones, which aren't compared.
  private let base: [InputColumn?]
  /// Whether some properties have no base values.
  private let isPartial: Bool
  /// Whether to compare relationships stored in other rows, regardless of the row's version.
  let comparesLists: Bool

  /// Prepares the comparison; `nil` without a column of versions.
  init?(_ change: SaveRequest.Change, _ writer: EntityWriter, at pointer: String) throws {
    guard let versionColumn = change.columns.firstIndex(of: "$version"),
      let identifierColumn = change.columns.firstIndex(of: "$id")
    else { return nil }
    self.writer = writer
    self.versionColumn = versionColumn
    self.identifierColumn = identifierColumn
    let columns = try writer.changedColumns(change.columns, at: "\(pointer)/columns")
    self.columns = columns
    written = columns.indices.filter { $0 != versionColumn && $0 != identifierColumn }
    let names = change.base?.columns ?? []
    baseNames = names
    let known = try writer.columns(
      names.filter { !writer.layout.isDerived($0) },
      at: "\(pointer)/base/columns"
    )
    base = names.map { name in known.first { $0.name == name } }
    let covered = Set(known.flatMap(\.places))
    isPartial = writer.layout.fields.indices.contains { position in
      guard let place = writer.layout.storedPositions[position],
        writer.layout.fields[position].attribute.derivation == nil
      else { return false }
      return !covered.contains(place)
    }
    comparesLists = written.contains { position in
      switch columns[position].target {
      case .toMany, .foreign: known.contains { $0.name == columns[position].name }
      default: false
      }
    }
  }

  /// The properties of a row with their columns; `nil` for properties that aren't set.
  struct Result {
    var properties: [ConflictResolution.Property] = []
    var columns: [Int?] = []
    /// The columns of relationships whose changes merge automatically.
    var merging: [Int] = []
  }

  /// Compares a row with the base values at `pointer`.
  ///
  /// It also returns the positions of relationships that are stored in other rows.
  func compare(
    _ row: borrowing Row,
    isSameVersion: Bool,
    _ fields: [RowField],
    _ baseFields: [RowField],
    at pointer: String,
    _ session: ChangeSession
  ) throws -> (result: Result, unread: [Int]) {
    var result = Result()
    var unread: [Int] = []
    let states = isSameVersion ? [:] : try self.states(row, baseFields, at: pointer, session)
    var covered: Set<Int> = []
    for position in written {
      let column = columns[position]
      let isKnown = base.contains { $0?.name == column.name }
      switch column.target {
      case .toMany where fields[position].kind == .object && !isKnown:
        result.merging.append(position)
        continue
      case .toMany, .foreign:
        if isKnown { unread.append(result.properties.count) }
        result.add(isSameVersion || isKnown ? .unchanged : .unknown, position)
      default:
        covered.formUnion(column.places)
        result.add(Self.combined(column.places, states, isSameVersion), position)
      }
    }
    guard !isSameVersion else { return (result, unread) }
    for (place, state) in states where !covered.contains(place) { result.add(state, nil) }
    if isPartial { result.add(.unknown, nil) }
    return (result, unread)
  }

  private static func combined(
    _ places: [Int],
    _ states: [Int: ConflictResolution.Stored],
    _ isSameVersion: Bool
  ) -> ConflictResolution.Stored {
    if isSameVersion { return .unchanged }
    let all = places.map { states[$0] ?? .unknown }
    return all.contains(.changed) ? .changed : all.contains(.unknown) ? .unknown : .unchanged
  }

  /// Returns the base value of a relationship.
  func baseField(of column: Int, _ baseFields: [RowField]) -> RowField? {
    base.firstIndex { $0?.name == columns[column].name }.map { baseFields[$0] }
  }

  // MARK: Stored columns

  private func states(
    _ row: borrowing Row,
    _ fields: [RowField],
    at pointer: String,
    _ session: ChangeSession
  ) throws -> [Int: ConflictResolution.Stored] {
    writer.arena.removeAll()
    var states: [Int: ConflictResolution.Stored] = [:]
    for (position, column) in base.enumerated() {
      guard let column else { continue }
      let field = fields[position]
      let place = "\(pointer)/\(position)"
      switch column.target {
      case .attribute(let rule, let position?):
        states[position] = try state(row, position, field, rule, at: place)
      case .reference(_, _, let position):
        let cell = field.int64.map(Cell.integer) ?? .null
        states[position] = cell.isSame(as: Cell(row, position + 2)) ? .unchanged : .changed
      case .composite(let composite):
        try writer.readBase(field, composite, at: place, session)
        for position in composite.places {
          let isSame = writer.cells[position].isSame(as: Cell(row, position + 2))
          states[position] = isSame ? .unchanged : .changed
        }
      default: break
      }
    }
    return states
  }

  private func state(
    _ row: borrowing Row,
    _ place: Int,
    _ field: RowField,
    _ rule: FieldRule,
    at pointer: String
  ) throws -> ConflictResolution.Stored {
    let stored = Cell(row, place + 2)
    let column = writer.layout.stored[place]
    if let type = column.externalType,
      !column.isWidened || field.kind == .object || stored.reference(isText: type == .string) != nil
    {
      return try external(stored, type, field, rule)
    }
    if field.isNull, rule.isPresence {
      return stored.isSame(as: .integer(0)) ? .unchanged : .changed
    }
    guard let cell = Cell(field, as: rule.form, in: writer.arena) else {
      throw rule.wrongType(field).at(pointer)
    }
    if cell.isSame(as: stored) { return .unchanged }
    if rule.form == .json, case .text(let one) = cell, case .text(let other) = stored,
      Value.areSame(json: one, other)
    {
      return .unchanged
    }
    return .changed
  }

  /// Compares a value stored outside its row.
  ///
  /// If the client knows only its length, an equal length leaves the result unknown.
  private func external(
    _ stored: Cell,
    _ type: AttributeType,
    _ field: RowField,
    _ rule: FieldRule
  ) throws -> ConflictResolution.Stored {
    let isText = type == .string
    guard let reference = stored.reference(isText: isText) else {
      return field.isNull && stored.isNull ? .unchanged : .changed
    }
    if field.isNull { return .changed }
    if let cell = Cell(field, as: rule.form, in: writer.arena),
      let bytes = cell.externalValue(isText: isText)
    {
      guard bytes.count == reference.length else { return .changed }
      let table = BlobTable(writer.layout.root)
      let value = try BlobReader(connection: writer.connection, table: table).value(reference)
      return value.elementsEqual(bytes) ? .unchanged : .changed
    }
    guard let length = field.externalLength else { return .unknown }
    return length == reference.length ? .unknown : .changed
  }
}

extension RowComparison.Result {
  fileprivate mutating func add(_ stored: ConflictResolution.Stored, _ column: Int?) {
    properties.append(ConflictResolution.Property(isWritten: column != nil, stored: stored))
    columns.append(column)
  }
}

extension EntityLayout {
  /// Whether the store computes the attribute at a path.
  func isDerived(_ path: String) -> Bool {
    position(of: path).map { fields[$0].attribute.derivation != nil } ?? false
  }
}
