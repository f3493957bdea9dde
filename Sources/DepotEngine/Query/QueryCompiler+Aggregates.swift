internal import DepotProtocol

extension QueryCompiler {
  /// Translates an aggregate of a collection.
  mutating func aggregate(
    _ aggregate: QueryExpression.Aggregate,
    _ collection: QueryExpression
  ) throws(DepotError) -> Operand {
    if aggregate == .count, case .collection(.list(let list, _, _)) = try term(collection) {
      let length = "ifnull(json_array_length(" + list.fragment + "), 0)"
      return makeOperand(.int64, length, isNullable: false)
    }
    let opened = try open(collection)
    guard let operand = opened.operand else {
      throw invalid("The elements have no single value.")
    }
    var result = try aggregated(aggregate, operand)
    result.fragment = close(opened, result.fragment).parenthesized
    return result
  }

  /// Returns an aggregate of an operand over the rows of the enclosing `SELECT`.
  func aggregated(
    _ aggregate: QueryExpression.Aggregate,
    _ operand: Operand
  ) throws(DepotError) -> Operand {
    let value = operand.fragment
    func result(_ type: AttributeType?, _ fragment: Fragment, isNullable: Bool = true) -> Operand {
      makeOperand(type, fragment, isNullable: isNullable)
    }
    switch aggregate {
    case .count: return result(.int64, Fragment(sql: "count(*)"), isNullable: false)
    case .countDistinct where operand.type != .json:
      let identity = operand.large?.identity ?? value
      return result(.int64, "count(DISTINCT " + identity + ")", isNullable: false)
    default: break
    }
    guard operand.root == nil, operand.type != .json else {
      throw invalid("Only values have a \(aggregate.rawValue), not objects or JSON.")
    }
    switch aggregate {
    case .min, .max:
      return result(operand.type, "\(aggregate.rawValue)(" + value + ")")
    case .mode:
      guard let type = operand.type else { return result(nil, "min(" + value + ")") }
      return result(type, "\(aggregate.sqlName(of: type))(" + value + ")")
    default: break
    }
    let type = operand.type ?? .int64
    guard operand.isNumber || operand.isNull else {
      throw invalid("\(operand.source.spelling) is of type \(operand.typeName), not a number.")
    }
    return result(
      aggregate == .sum ? type : .double,
      "\(aggregate.sqlName(of: type))(" + value + ")"
    )
  }
}
