internal import DepotProtocol
internal import FoundationEssentials

extension PredicateExpressions.Equal: LowerableExpression {
  func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    try lowering.equality(lhs, rhs)
  }
}

extension PredicateExpressions.NotEqual: LowerableExpression {
  func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let equality = try lowering.equality(lhs, rhs)
    guard case .comparison(.equal, let left, let right, []) = equality else {
      return .not(equality)
    }
    return .comparison(.notEqual, left, right)
  }
}

extension PredicateExpressions.Comparison: LowerableExpression {
  func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let comparison: QueryExpression.Comparison =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw lowering.refusal("\(op)")
      }
    return .comparison(comparison, try lowering.value(lhs), try lowering.value(rhs))
  }
}

extension PredicateLowering {
  /// Translates `==`.
  fileprivate mutating func equality(
    _ left: any PredicateExpression,
    _ right: any PredicateExpression
  ) throws(DepotError) -> QueryExpression {
    for (condition, other) in [(left, right), (right, left)] {
      guard let condition = condition as? any OptionalCondition, let other = Constant(other),
        let value = other.attributeValue
      else { continue }
      let lowered = try condition.lowerOptional(in: &self)
      switch value {
      case .bool(true): return .and([lowered.isPresent, lowered.holds])
      case .bool(false): return .and([lowered.isPresent, .not(lowered.holds)])
      case .null: return .not(lowered.isPresent)
      default: continue
      }
    }
    switch (try value(left), try value(right)) {
    case (.value(.bool(let isTrue)), let condition) where condition.isCondition,
      (let condition, .value(.bool(let isTrue))) where condition.isCondition:
      return isTrue ? condition : .not(condition)
    case (let left, let right) where left.isCondition || right.isCondition:
      throw refusal("== between two conditions", hint: "Use && and ||.")
    case (let left, let right):
      return .comparison(.equal, left, right)
    }
  }
}

extension QueryExpression {
  /// Whether this is true or false by its form.
  fileprivate var isCondition: Bool {
    switch self {
    case .comparison, .text, .between, .in, .and, .or, .not: true
    default: false
    }
  }
}
