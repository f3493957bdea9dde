internal import DepotProtocol

extension QueryCompiler {
  /// Translates a part that has one value; an object's is its identifier.
  ///
  /// - Throws: ``DepotError`` `request.predicate` or `schema.unknown_attribute`.
  mutating func operand(_ expression: QueryExpression) throws(DepotError) -> Operand {
    try operand(expression, try term(expression))
  }

  /// Returns the one value that a term is.
  func operand(
    _ expression: QueryExpression,
    _ term: QueryTerm
  ) throws(DepotError) -> Operand {
    switch term {
    case .operand(let operand): return operand
    case .object(let object): return object.operand
    case .collection:
      throw invalid(expression, "This is a collection, not one value.")
        .hint("Ask whether ANY or ALL of it satisfy something, or count it.")
    case .composite:
      throw invalid(expression, "This is a composite value.")
        .hint("Compare one of its parts, as in \"home.city\", or hold it against null.")
    }
  }

  /// Translates a part, whatever it stands for.
  mutating func term(_ expression: QueryExpression) throws(DepotError) -> QueryTerm {
    switch expression {
    case .value(.list(let values)):
      return .collection(.constants(values))
    case .value(let value):
      return .operand(Operand(constant: value, source: expression))
    case .now:
      return .operand(Operand(constant: .date(now), source: expression))
    case .attribute(let path):
      return try follow(path, from: row, source: expression)
    case .arithmetic(let arithmetic, let left, let right):
      let (left, right) = (try operand(left), try operand(right))
      return .operand(try self.arithmetic(arithmetic, left, right, source: expression))
    case .negate(let part):
      let minusOne = Operand(constant: .int64(-1), source: expression)
      let part = try operand(part)
      return .operand(try arithmetic(.multiply, part, minusOne, source: expression))
    case .comparison, .text, .between, .in, .and, .or, .not, .quantified, .contains, .is, .search:
      let condition = try condition(expression, isFilter: false)
      return .operand(
        Operand(
          type: .bool,
          condition.strict.parenthesized,
          isNullable: false,
          source: expression
        )
      )
    case .variable(let name):
      return try variable(name, in: expression)
    case .member(let base, let path):
      switch try term(base) {
      case .object(let object): return try follow(path, from: object, source: expression)
      case .collection: return .collection(.expression(expression))
      default: throw invalid(expression, "A path can only begin at an object.")
      }
    case .narrow(let part, let width):
      let part = try operand(part)
      return .operand(try narrow(part, to: width, in: expression))
    case .filtered, .slice, .list:
      return .collection(.expression(expression))
    case .element(let collection, let position):
      return try element(collection, position, in: expression)
    case .aggregate(let aggregate, let collection):
      return .operand(try self.aggregate(aggregate, collection, in: expression))
    case .cast(let part, let entity):
      return .object(try cast(part, entity, in: expression))
    case .convert(let part, let type):
      let part = try operand(part)
      return .operand(try convert(part, to: type, in: expression))
    case .conditional(let test, let first, let second):
      let test = try condition(test, isFilter: true)
      return try choice([first, second], in: expression) { parts in
        "iif(" + test.fragment + ", " + parts[0] + ", " + parts[1] + ")"
      }
    case .coalesce(let parts):
      return try choice(parts, in: expression) { parts in
        parts.count == 1
          ? parts[0] : "coalesce(" + .list(parts) + ")"
      }
    case .function(let function, let arguments):
      return .operand(try self.function(function, arguments, in: expression))
    }
  }

  private func variable(
    _ name: String,
    in expression: QueryExpression
  ) throws(DepotError) -> QueryTerm {
    if let bound = variables.last(where: { $0.name == name }) { return bound.term }
    if name == "SELF" { return .object(row) }
    let nearest = Spelling.nearest(to: name, in: variables.map(\.name) + ["SELF"])
    throw invalid(expression, "There is no variable \"\(name)\" here.")
      .hint(nearest.map { "Did you mean \"\($0)\"?" } ?? "Bind it, or write SELF for the row.")
  }
}
