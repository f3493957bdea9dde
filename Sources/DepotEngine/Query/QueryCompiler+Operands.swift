internal import DepotProtocol

extension QueryCompiler {
  /// The most bytes of SQL in an operand.
  ///
  /// Comparisons that use an operand twice double its size with each level, and SQLite's work grows
  /// with the square.
  private static let sqlLimit = 64 << 10

  /// Translates a part with a single value; an object's is its identifier.
  mutating func operand(_ expression: QueryExpression) throws(DepotError) -> Operand {
    let operand = try operand(expression, try term(expression))
    guard operand.fragment.sql.utf8.count <= Self.sqlLimit else { throw .tooNested }
    return operand
  }

  /// Returns the single value of a term.
  func operand(
    _ expression: QueryExpression,
    _ term: QueryTerm
  ) throws(DepotError) -> Operand {
    switch term {
    case .operand(let operand): return operand
    case .object(let object): return object.operand
    case .collection:
      throw invalid("This is a collection, not one value.", in: expression)
        .hint("Ask whether ANY or ALL of it satisfy something, or count it.")
    case .composite:
      throw invalid("This is a composite value.", in: expression)
        .hint("Compare one of its parts, as in \"home.city\", or hold it against null.")
    }
  }

  /// Translates a part, which may be a value, an object, or a collection.
  mutating func term(_ expression: QueryExpression) throws(DepotError) -> QueryTerm {
    let outer = subject
    subject = expression
    defer { subject = outer }
    switch expression {
    case .value(.list(let values)):
      return .collection(.constants(values))
    case .value(let value):
      return .operand(makeConstant(value))
    case .now:
      return .operand(makeConstant(.date(now)))
    case .attribute(let path):
      return try follow(path, from: row)
    case .arithmetic(let arithmetic, let left, let right):
      let (left, right) = (try operand(left), try operand(right))
      return .operand(try self.arithmetic(arithmetic, left, right))
    case .negate(let part):
      return .operand(try arithmetic(.multiply, operand(part), makeConstant(.int64(-1))))
    case .comparison, .text, .between, .in, .and, .or, .not, .quantified, .contains, .is, .search:
      let condition = try condition(expression, isFilter: false)
      return .operand(makeOperand(.bool, condition.strict.parenthesized, isNullable: false))
    case .variable(let name):
      return try variable(name)
    case .member(let base, let path):
      switch try term(base) {
      case .object(let object): return try follow(path, from: object)
      case .collection: return .collection(.expression(expression))
      default: throw invalid("A path can only begin at an object.")
      }
    case .narrow(let part, let width): return .operand(try narrow(operand(part), to: width))
    case .filtered, .slice, .list:
      return .collection(.expression(expression))
    case .element(let collection, let position):
      return try element(collection, position)
    case .aggregate(let aggregate, let collection):
      return .operand(try self.aggregate(aggregate, collection))
    case .cast(let part, let entity):
      return .object(try cast(part, entity))
    case .convert(let part, let type): return .operand(try convert(operand(part), to: type))
    case .conditional(let test, let first, let second):
      let test = try condition(test, isFilter: true)
      return try choice([first, second]) { parts in
        "iif(" + test.fragment + ", " + parts[0] + ", " + parts[1] + ")"
      }
    case .coalesce(let parts):
      return try choice(parts) { parts in
        parts.count == 1 ? parts[0] : "coalesce(" + .list(parts) + ")"
      }
    case .function(let function, let arguments):
      return .operand(try self.function(function, arguments))
    }
  }

  private func variable(_ name: String) throws(DepotError) -> QueryTerm {
    if let bound = variables.last(where: { $0.name == name }) { return bound.term }
    if name == "SELF" { return .object(row) }
    let names = variables.map(\.name) + ["SELF"]
    throw invalid("There is no variable \"\(name)\" here.")
      .hint(Spelling.hint(for: name, in: names) ?? "Bind it, or write SELF for the row.")
  }
}
