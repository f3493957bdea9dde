internal import DepotProtocol

extension QueryCompiler {
  mutating func comparison(
    _ comparison: QueryExpression.Comparison,
    _ left: QueryExpression,
    _ right: QueryExpression,
    _ options: QueryExpression.TextOptions,
    isFilter: Bool
  ) throws(DepotError) -> Condition {
    let options = options.effective
    if let condition = try emptiness(comparison, left, right) { return condition }
    let terms = (try term(left), try term(right))
    if let condition = try compareWhole(comparison, terms) { return condition }
    var (left, right) = (try operand(left, terms.0), try operand(right, terms.1))
    if options.isEmpty {
      try unify(&left, &right)
    } else {
      left = try folded(left, options)
      right = try folded(right, options)
    }
    switch comparison {
    case .equal, .notEqual:
      return equality(left, right, isFilter: isFilter, areSame: comparison == .equal)
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      try checkOrder(left, right)
      if options.contains(.localized) {
        (left, right) = (localized(left), localized(right))
      }
      return order(comparison, left, right)
    }
  }

  /// Checks that neither is an object or JSON, which have no order.
  private func checkOrder(_ left: Operand, _ right: Operand) throws(DepotError) {
    if left.isNull || right.isNull { return }
    for operand in [left, right] where operand.root != nil || operand.type == .json {
      throw invalid("\(operand.typeName) has no order.")
    }
  }

  /// Translates that two operands are equal, or that they differ if not `areSame`.
  func equality(
    _ left: Operand,
    _ right: Operand,
    isFilter: Bool,
    areSame: Bool = true
  ) -> Condition {
    let not = areSame ? "" : "NOT "
    if left.isNull && right.isNull { return .always(areSame) }
    if left.isNull { return Condition((right.presence ?? right.fragment) + " IS \(not)NULL") }
    if right.isNull { return Condition((left.presence ?? left.fragment) + " IS \(not)NULL") }
    if left.isAlwaysNaN || right.isAlwaysNaN { return .always(!areSame) }
    if left.needsDecimalOrder(with: right) {
      return Condition(Self.decimalOrder(left, right) + " \(not)IN (0, 2)")
    }
    if isFilter, areSame, left.isConstant || right.isConstant {
      return Condition(
        left.fragment + " = " + right.fragment,
        isNullable: left.isNullable || right.isNullable
      )
    }
    let condition = left.fragment + " IS \(not)" + right.fragment
    guard left.canBeNaN && right.canBeNaN else { return Condition(condition) }
    let unlessNaN =
      areSame ? " AND " + left.fragment + " IS NOT x''" : " OR " + left.fragment + " IS x''"
    return Condition((condition + unlessNaN).parenthesized)
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
    // NaN is stored as a blob, which SQLite sorts after all numbers; so only the greater side must
    // be checked.
    let isLess = comparison == .less || comparison == .lessOrEqual
    let greater = isLess ? right : left
    if greater.canBeNaN { result = (result + " AND " + greater.fragment + " < x''").parenthesized }
    return Condition(result, isNullable: left.isNullable || right.isNullable)
  }

  mutating func between(
    _ value: QueryExpression,
    _ low: QueryExpression,
    _ high: QueryExpression
  ) throws(DepotError) -> Condition {
    let value = try operand(value)
    var (lowValue, low) = (value, try operand(low))
    var (highValue, high) = (value, try operand(high))
    try unify(&lowValue, &low)
    try unify(&highValue, &high)
    try checkOrder(lowValue, low)
    try checkOrder(highValue, high)
    let parts = [order(.greaterOrEqual, lowValue, low), order(.lessOrEqual, highValue, high)]
    return Condition(
      (parts[0].fragment + " AND " + parts[1].fragment).parenthesized,
      isNullable: parts[0].isNullable || parts[1].isNullable
    )
  }

  /// A call that returns -1, 0, or 1 for the order, 2 if both are null, and 3 if there is no order.
  private static func decimalOrder(_ left: Operand, _ right: Operand) -> Fragment {
    "depot_order(" + left.fragment + ", " + right.fragment + ")"
  }
}

extension Operand {
  /// Whether exactly one of the two is a decimal, which is stored differently from other numbers.
  func needsDecimalOrder(with other: Operand) -> Bool {
    (type == .decimal) != (other.type == .decimal)
  }
}
