internal import DepotProtocol

extension QueryCompiler {
  /// Translates what a collection comes to.
  mutating func aggregate(
    _ aggregate: QueryExpression.Aggregate,
    _ collection: QueryExpression,
    in expression: QueryExpression
  ) throws(DepotError) -> Operand {
    if aggregate == .count, case .collection(.list(let list, _, _)) = try term(collection) {
      let length = "ifnull(json_array_length(" + list.fragment + "), 0)"
      return Operand(type: .int64, length, isNullable: false, source: expression)
    }
    let opened = try open(collection)
    guard let operand = opened.operand else {
      throw invalid(expression, "The elements have no single value.")
    }
    var result = try aggregated(aggregate, operand, in: expression)
    result.fragment = close(opened, result.fragment).parenthesized
    return result
  }

  /// Returns an aggregate of an operand over the rows of the `SELECT` that it is in.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if the type has no such aggregate.
  func aggregated(
    _ aggregate: QueryExpression.Aggregate,
    _ operand: Operand,
    in expression: QueryExpression
  ) throws(DepotError) -> Operand {
    let value = operand.fragment
    func result(_ type: AttributeType?, _ fragment: Fragment, isNullable: Bool = true) -> Operand {
      Operand(type: type, fragment, isNullable: isNullable, source: expression)
    }
    switch aggregate {
    case .count: return result(.int64, Fragment(sql: "count(*)"), isNullable: false)
    case .countDistinct where operand.type != .json:
      return result(.int64, "count(DISTINCT " + value + ")", isNullable: false)
    default: break
    }
    guard operand.root == nil, operand.type != .json else {
      throw invalid(expression, "Only values have a \(aggregate.rawValue), not objects or JSON.")
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
      throw invalid(
        expression,
        "\(operand.source.spelling) is of type \(operand.typeName), not a number."
      )
    }
    return result(
      aggregate == .sum ? type : .double,
      "\(aggregate.sqlName(of: type))(" + value + ")"
    )
  }

  /// Translates a sort key into the terms of `ORDER BY`.
  ///
  /// Ascending, null is first and NaN last. Text sorts by code point, false before true.
  mutating func sortTerms(_ key: SortKey) throws(DepotError) -> [Fragment] {
    let operand = try operand(key.expression)
    guard operand.type != .json else {
      throw invalid(key.expression, "Rows can't be sorted by JSON.")
        .hint("Convert it to a type first.")
    }
    let terms =
      key.isLocalized && operand.isText
      ? ["depot_localized(" + operand.fragment + ")", operand.fragment] : [operand.fragment]
    return key.isDescending ? terms.map { $0 + " DESC" } : terms
  }
}
