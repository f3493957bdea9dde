internal import DepotProtocol

extension QueryCompiler {
  mutating func comparison(
    _ comparison: QueryExpression.Comparison,
    _ left: QueryExpression,
    _ right: QueryExpression,
    _ options: QueryExpression.TextOptions,
    in expression: QueryExpression,
    isFilter: Bool
  ) throws(DepotError) -> Condition {
    var (left, right) = (try operand(left), try operand(right))
    if options.isEmpty {
      try unify(&left, &right, in: expression)
    } else {
      left = try folded(left, options, in: expression)
      right = try folded(right, options, in: expression)
    }
    switch comparison {
    case .equal: return equality(left, right, isFilter: isFilter)
    case .notEqual: return inequality(left, right)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      return order(comparison, left, right)
    }
  }

  func equality(_ left: Operand, _ right: Operand, isFilter: Bool) -> Condition {
    if left.isNull && right.isNull { return .always(true) }
    if left.isNull { return Condition(right.fragment + " IS NULL") }
    if right.isNull { return Condition(left.fragment + " IS NULL") }
    if left.isAlwaysNaN || right.isAlwaysNaN { return .always(false) }
    if left.needsDecimalOrder(with: right) {
      return Condition(Self.decimalOrder(left, right) + " IN (0, 2)")
    }
    if isFilter, left.isConstant || right.isConstant {
      return Condition(
        left.fragment + " = " + right.fragment,
        isNullable: left.isNullable || right.isNullable
      )
    }
    let same = left.fragment + " IS " + right.fragment
    guard left.canBeNaN && right.canBeNaN else { return Condition(same) }
    return Condition((same + " AND " + left.fragment + " IS NOT x''").parenthesized)
  }

  private func inequality(_ left: Operand, _ right: Operand) -> Condition {
    if left.isNull && right.isNull { return .always(false) }
    if left.isNull { return Condition(right.fragment + " IS NOT NULL") }
    if right.isNull { return Condition(left.fragment + " IS NOT NULL") }
    if left.isAlwaysNaN || right.isAlwaysNaN { return .always(true) }
    if left.needsDecimalOrder(with: right) {
      return Condition(Self.decimalOrder(left, right) + " NOT IN (0, 2)")
    }
    let different = left.fragment + " IS NOT " + right.fragment
    guard left.canBeNaN && right.canBeNaN else { return Condition(different) }
    return Condition((different + " OR " + left.fragment + " IS x''").parenthesized)
  }

  private func order(
    _ comparison: QueryExpression.Comparison,
    _ left: Operand,
    _ right: Operand
  ) -> Condition {
    if left.isNull || right.isNull || left.isAlwaysNaN || right.isAlwaysNaN {
      return .always(false)
    }
    if left.needsDecimalOrder(with: right) {
      let wanted =
        switch comparison {
        case .less: "= -1"
        case .lessOrEqual: "IN (-1, 0)"
        case .greater: "= 1"
        default: "IN (0, 1)"
        }
      return Condition(Self.decimalOrder(left, right) + " \(wanted)")
    }
    var result = left.fragment + " \(comparison.rawValue) " + right.fragment
    // NaN is stored as a blob, which SQLite takes to be greater than any number; so it is enough to
    // look at the greater side.
    let isLess = comparison == .less || comparison == .lessOrEqual
    let greater = isLess ? right : left
    if greater.canBeNaN { result = (result + " AND " + greater.fragment + " < x''").parenthesized }
    return Condition(result, isNullable: left.isNullable || right.isNullable)
  }

  mutating func between(
    _ value: QueryExpression,
    _ low: QueryExpression,
    _ high: QueryExpression,
    in expression: QueryExpression
  ) throws(DepotError) -> Condition {
    let value = try operand(value)
    var (lowValue, low) = (value, try operand(low))
    var (highValue, high) = (value, try operand(high))
    try unify(&lowValue, &low, in: expression)
    try unify(&highValue, &high, in: expression)
    let parts = [order(.greaterOrEqual, lowValue, low), order(.lessOrEqual, highValue, high)]
    return Condition(
      (parts[0].fragment + " AND " + parts[1].fragment).parenthesized,
      isNullable: parts[0].isNullable || parts[1].isNullable
    )
  }

  mutating func membership(
    _ value: QueryExpression,
    _ list: [QueryExpression],
    _ options: QueryExpression.TextOptions,
    in expression: QueryExpression,
    isFilter: Bool
  ) throws(DepotError) -> Condition {
    var value = try operand(value)
    if !options.isEmpty { value = try folded(value, options, in: expression) }
    var constants: [Fragment] = []
    var conditions: [Fragment] = []
    var isNullable = false
    for element in list {
      var (left, right) = (value, try operand(element))
      if options.isEmpty {
        try unify(&left, &right, in: expression)
      } else {
        right = try folded(right, options, in: expression)
      }
      if right.isConstant, !right.isNull, !right.isAlwaysNaN, !left.isNull, !left.isConstant,
        !left.needsDecimalOrder(with: right)
      {
        constants.append(right.fragment)
        isNullable = isNullable || left.isNullable
      } else {
        let condition = equality(left, right, isFilter: isFilter)
        isNullable = isNullable || condition.isNullable
        conditions.append(condition.fragment.parenthesized)
      }
    }
    if !constants.isEmpty {
      let marks = constants.map(\.sql).joined(separator: ", ")
      let values = Fragment(sql: marks, parameters: constants.flatMap(\.parameters))
      conditions.append((value.fragment + " IN " + values.parenthesized).parenthesized)
    }
    guard !conditions.isEmpty else { return .always(false) }
    return Condition(.joined(conditions[...], by: "OR").parenthesized, isNullable: isNullable)
  }

  /// A call that gives -1, 0, or 1 for the order, 2 if both are null, and 3 if there is no order.
  private static func decimalOrder(_ left: Operand, _ right: Operand) -> Fragment {
    "depot_order(" + left.fragment + ", " + right.fragment + ")"
  }
}

extension Operand {
  /// Whether exactly one of the two is a decimal, which is stored as no other number.
  func needsDecimalOrder(with other: Operand) -> Bool {
    (type == .decimal) != (other.type == .decimal)
  }
}
