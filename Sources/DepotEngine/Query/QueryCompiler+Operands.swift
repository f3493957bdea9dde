internal import DepotProtocol

extension QueryCompiler {
  /// Translates a part that has one value; an object's is its identifier.
  ///
  /// - Throws: ``DepotError`` `request.predicate` or `schema.unknown_attribute`.
  mutating func operand(_ expression: QueryExpression) throws(DepotError) -> Operand {
    switch try term(expression) {
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
    case .comparison, .text, .between, .in, .and, .or, .not:
      let condition = try condition(expression, isFilter: false)
      return .operand(
        Operand(
          type: .bool,
          condition.strict.parenthesized,
          isNullable: false,
          source: expression
        )
      )
    default:
      throw invalid(expression, "This isn't available yet.")
    }
  }
}
