internal import DepotProtocol
internal import DepotSQLite
internal import FoundationEssentials

/// The values that an update computes from the previous values of each row.
final class ComputedValues {
  /// The indexes of the computed columns.
  let places: [Int]
  private let rules: [FieldRule]
  private let connection: Connection
  private let statement: Statement
  private let parameters: [SQLiteValue]
  /// Reads which values are null because their computation failed; `nil` if none can fail.
  private let failures: (statement: Statement, parameters: [SQLiteValue])?
  private let arena = CellArena()

  init(_ computations: [UpdateRequest.Computation], _ writer: EntityWriter) throws {
    let layout = writer.layout
    var compiler = QueryCompiler(layout, in: writer.entities.catalog, now: Date())
    var places: [Int] = []
    var rules: [FieldRule] = []
    var values: [Fragment] = []
    for computation in computations {
      let pointer = "/args/compute/\(computation.path)"
      guard let position = layout.position(of: computation.path) else {
        throw layout.unknownAttribute(computation.path).at(pointer)
      }
      guard let place = layout.storedPositions[position],
        layout.fields[position].relationship == nil
      else {
        throw DepotError(.usage, "\"\(computation.path)\" can't be computed.")
          .hint("Only attributes that are stored can.").at(pointer)
      }
      let operand = try DepotError.at(pointer, try compiler.operand(computation.expression))
      let rule = try writer.rule(position)
      guard operand.isNull || rule.form.takes(operand) else {
        throw DepotError(
          .predicate,
          "\(layout.name).\(rule.path) is of type \(rule.type), not \(operand.typeName)."
        ).at(pointer)
      }
      places.append(place)
      rules.append(rule)
      values.append(operand.fragment)
    }
    connection = writer.connection
    (statement, parameters) = try Self.query(values, compiler, writer)
    failures = try Self.failures(computations, writer)
    self.places = places
    self.rules = rules
  }

  private static func failures(
    _ computations: [UpdateRequest.Computation],
    _ writer: EntityWriter
  ) throws -> (statement: Statement, parameters: [SQLiteValue])? {
    let parts = computations.map(\.expression.failure)
    guard parts.contains(where: { $0 != nil }) else { return nil }
    var compiler = QueryCompiler(writer.layout, in: writer.entities.catalog, now: Date())
    let values = parts.map { part in
      // A part that can't be checked for null isn't a single value, and can't fail.
      part.flatMap { try? compiler.operand($0) }?.fragment ?? .bound(.integer(0))
    }
    return try query(values, compiler, writer)
  }

  /// Returns the statement that reads values of a row, whose identifier is the last parameter.
  private static func query(
    _ values: [Fragment],
    _ compiler: QueryCompiler,
    _ writer: EntityWriter
  ) throws -> (statement: Statement, parameters: [SQLiteValue]) {
    let query = "SELECT " + Fragment.list(values) + " FROM " + compiler.source
    try query.checkSize()
    return (try writer.connection.statement(query.sql + " WHERE t0.id = ?"), query.parameters)
  }

  /// Computes the values of a row, and returns the rules that they break.
  ///
  /// The values are valid until those of another row are computed.
  func read(
    _ identifier: Int64,
    into cells: UnsafeMutableBufferPointer<Cell>,
    _ control: CallControl
  ) throws -> [DepotError] {
    arena.removeAll()
    defer { statement.reset() }
    try statement.bind(parameters + [.integer(identifier)])
    var errors: [DepotError] = []
    guard try connection.stoppable(by: control, { try statement.step() }) else { return [] }
    for (index, place) in places.enumerated() {
      let rule = rules[index]
      var found: [DepotError]
      if let cell = rule.form.adapt(Cell(statement.row, index), in: arena) {
        cells[place] = cell
        if !cell.isNull {
          found = try rule.problems(cell, control)
        } else if try connection.stoppable(by: control, { try hasFailed(index, identifier) }) {
          found = [rule.notComputable(identifier)]
        } else {
          found = rule.isOptional ? [] : [rule.required]
        }
      } else {
        found = [rule.tooGreat]
      }
      errors += found.map { error in
        error.detail("id", identifier).at("/args/compute/\(rule.path)")
      }
    }
    return errors
  }

  /// Whether a value is null although no value that it is computed from is null.
  private func hasFailed(_ index: Int, _ identifier: Int64) throws -> Bool {
    guard let failures else { return false }
    defer { failures.statement.reset() }
    try failures.statement.bind(failures.parameters + [.integer(identifier)])
    return try failures.statement.step() && failures.statement.row.integer(index) != 0
  }
}

extension ValueForm {
  /// Whether an operand's values can be stored in the attribute.
  fileprivate func takes(_ operand: Operand) -> Bool {
    guard operand.root == nil else { return false }
    switch self {
    case .scalar(let type):
      return operand.type == type || type == .double && operand.type == .int64
    case .float: return operand.type == .double || operand.type == .int64
    case .list, .json: return false
    }
  }

  /// Returns a copy of a computed value as it is stored; `nil` if it exceeds the range of a float.
  fileprivate func adapt(_ cell: Cell, in arena: CellArena) -> Cell? {
    switch (self, cell) {
    case (.scalar(.double), .integer(let value)): .real(Double(value))
    case (.float, .integer(let value)): .real(Double(Float(value)))
    case (.float, .real(let value)):
      value.isFinite && Float(value).isInfinite ? nil : .real(Double(Float(value)))
    case (_, .text(let bytes)): .text(arena.copy(bytes))
    case (_, .blob(let bytes)): .blob(arena.copy(bytes))
    default: cell
    }
  }
}
