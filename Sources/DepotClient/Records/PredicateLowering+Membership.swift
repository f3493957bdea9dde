package import DepotProtocol
package import FoundationEssentials

extension PredicateExpressions.SequenceContains: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let element = try lowering.operand(element)
    guard let constant = Constant(sequence) else {
      let sequence = try lowering.value(sequence)
      return LHS.Output.self is any StringProtocol.Type
        ? .text(.contains, sequence, element) : .contains(sequence, element)
    }
    if let bounds = constant.value as? any BoundedRange {
      return try bounds.membership(of: element, lowering)
    }
    guard let sequence = constant.value as? any Sequence else {
      throw lowering.refusal("contains(_:) of \(type(of: constant.value))")
    }
    return .in(element, try lowering.list(sequence))
  }
}

extension PredicateExpressions.RangeExpressionContains: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let element = try lowering.operand(element)
    if let constant = Constant(range) {
      guard let bounds = constant.value as? any BoundedRange else {
        throw lowering.refusal("contains(_:) of \(type(of: constant.value))")
      }
      return try bounds.membership(of: element, lowering)
    }
    guard let range = range as? any RangeNode else {
      throw lowering.refusal(OperatorName.of(range))
    }
    return try range.membership(of: element, &lowering)
  }
}

extension PredicateLowering {
  fileprivate func list(_ sequence: some Sequence) throws(DepotError) -> [QueryExpression] {
    var list: [QueryExpression] = []
    for element in sequence {
      guard let value = constant(element) else {
        throw refusal("a list of \(type(of: element))")
      }
      list.append(.value(value))
    }
    return list
  }

  fileprivate func bound(_ bound: Any) throws(DepotError) -> QueryExpression {
    guard let value = constant(bound) else {
      throw refusal("a range of \(type(of: bound))")
    }
    return .value(value)
  }
}

/// A range whose bounds depend on the record.
private protocol RangeNode {
  func membership(
    of element: QueryExpression,
    _ lowering: inout PredicateLowering
  ) throws(DepotError) -> QueryExpression
}

extension PredicateExpressions.ClosedRange: RangeNode {
  fileprivate func membership(
    of element: QueryExpression,
    _ lowering: inout PredicateLowering
  ) throws(DepotError) -> QueryExpression {
    .between(element, try lowering.value(lower), try lowering.value(upper))
  }
}

extension PredicateExpressions.Range: RangeNode {
  fileprivate func membership(
    of element: QueryExpression,
    _ lowering: inout PredicateLowering
  ) throws(DepotError) -> QueryExpression {
    .and([
      .comparison(.greaterOrEqual, element, try lowering.value(lower)),
      .comparison(.less, element, try lowering.value(upper)),
    ])
  }
}

/// A range that is a constant.
private protocol BoundedRange {
  func membership(
    of element: QueryExpression,
    _ lowering: PredicateLowering
  ) throws(DepotError) -> QueryExpression
}

extension Swift.ClosedRange: BoundedRange {
  fileprivate func membership(
    of element: QueryExpression,
    _ lowering: PredicateLowering
  ) throws(DepotError) -> QueryExpression {
    .between(element, try lowering.bound(lowerBound), try lowering.bound(upperBound))
  }
}

extension Swift.Range: BoundedRange {
  fileprivate func membership(
    of element: QueryExpression,
    _ lowering: PredicateLowering
  ) throws(DepotError) -> QueryExpression {
    .and([
      .comparison(.greaterOrEqual, element, try lowering.bound(lowerBound)),
      .comparison(.less, element, try lowering.bound(upperBound)),
    ])
  }
}

extension PartialRangeFrom: BoundedRange {
  fileprivate func membership(
    of element: QueryExpression,
    _ lowering: PredicateLowering
  ) throws(DepotError) -> QueryExpression {
    .comparison(.greaterOrEqual, element, try lowering.bound(lowerBound))
  }
}

extension PartialRangeThrough: BoundedRange {
  fileprivate func membership(
    of element: QueryExpression,
    _ lowering: PredicateLowering
  ) throws(DepotError) -> QueryExpression {
    .comparison(.lessOrEqual, element, try lowering.bound(upperBound))
  }
}

extension PartialRangeUpTo: BoundedRange {
  fileprivate func membership(
    of element: QueryExpression,
    _ lowering: PredicateLowering
  ) throws(DepotError) -> QueryExpression {
    .comparison(.less, element, try lowering.bound(upperBound))
  }
}
