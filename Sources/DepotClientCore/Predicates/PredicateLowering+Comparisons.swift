package import DepotProtocol
package import FoundationEssentials

extension PredicateExpressions.Equal: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    try lowering.equality(lhs, rhs)
  }
}

extension PredicateExpressions.NotEqual: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let equality = try lowering.equality(lhs, rhs)
    guard case .comparison(.equal, let left, let right, []) = equality else {
      return equality.negated
    }
    return .comparison(.notEqual, left, right)
  }
}

extension PredicateExpressions.Comparison: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let comparison: QueryExpression.Comparison =
      switch op {
      case .lessThan: .less
      case .lessThanOrEqual: .lessOrEqual
      case .greaterThan: .greater
      case .greaterThanOrEqual: .greaterOrEqual
      @unknown default: throw lowering.refusal("\(op)")
      }
    return .comparison(comparison, try lowering.operand(lhs), try lowering.operand(rhs))
  }
}

extension PredicateLowering {
  /// Translates `==`.
  fileprivate mutating func equality(
    _ left: any PredicateExpression,
    _ right: any PredicateExpression
  ) throws(DepotError) -> QueryExpression {
    for (node, other) in [(left, right), (right, left)] {
      guard let other = Constant(other) else { continue }
      if let node = node as? any EqualityLowering,
        let lowered = try node.lowerEquality(to: other.value, in: &self)
      {
        return lowered
      }
      guard let value = constant(other.value) else { continue }
      guard let condition = node as? any OptionalCondition,
        let lowered = try condition.lowerOptional(in: &self)
      else { continue }
      switch value {
      case .bool(true): return .and([lowered.isPresent, lowered.holds])
      case .bool(false): return .and([lowered.isPresent, .not(lowered.holds)])
      case .null: return lowered.isPresent.negated
      default: continue
      }
    }
    switch (try operand(left), try operand(right)) {
    case (.value(.bool(let isTrue)), let condition) where condition.isCondition,
      (let condition, .value(.bool(let isTrue))) where condition.isCondition:
      return isTrue ? condition : .not(condition)
    case (let left, let right) where left.isCondition || right.isCondition:
      let (left, right) = (left.asCondition, right.asCondition)
      return .or([.and([left, right]), .and([.not(left), .not(right)])])
    case (let left, let right):
      return .comparison(.equal, left, right)
    }
  }
}

extension QueryExpression {
  /// The opposite, in the shortest form that is the same for all values.
  fileprivate var negated: QueryExpression {
    switch self {
    case .comparison(.notEqual, let left, .value(.null), let options):
      .comparison(.equal, left, .value(.null), options: options)
    case .not(let part): part
    default: .not(self)
    }
  }

  fileprivate var asCondition: QueryExpression {
    isCondition ? self : .comparison(.equal, self, .value(.bool(true)))
  }
}
