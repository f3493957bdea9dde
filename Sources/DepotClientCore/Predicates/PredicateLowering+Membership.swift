package import DepotProtocol
package import FoundationEssentials

extension PredicateExpressions.SequenceContains: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let element = try lowering.operand(element)
    guard let constant = Constant(sequence) else {
      let sequence = try lowering.contents(of: sequence)
      return LHS.Output.self is any StringProtocol.Type
        ? .text(.contains, sequence, element) : .contains(sequence, element)
    }
    if let bounds = constant.value as? any BoundedRange {
      return try lowering.membership(of: element, in: bounds)
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
      return try lowering.membership(of: element, in: bounds)
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

  /// Returns whether an element is in a range that is a constant.
  fileprivate func membership(
    of element: QueryExpression,
    in range: any BoundedRange
  ) throws(DepotError) -> QueryExpression {
    let (lower, upper, isClosed) = range.bounds
    switch (try lower.map(bound), try upper.map(bound)) {
    case (let lower?, let upper?) where isClosed: return .between(element, lower, upper)
    case (let lower?, let upper?):
      return .and([
        .comparison(.greaterOrEqual, element, lower), .comparison(.less, element, upper),
      ])
    case (let lower?, nil): return .comparison(.greaterOrEqual, element, lower)
    case (nil, let upper?): return .comparison(isClosed ? .lessOrEqual : .less, element, upper)
    case (nil, nil): return .and([])
    }
  }

  private func bound(_ bound: Any) throws(DepotError) -> QueryExpression {
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
  /// Its bounds, and whether the upper one belongs to it.
  var bounds: (lower: Any?, upper: Any?, isClosed: Bool) { get }
}

extension Swift.ClosedRange: BoundedRange {
  fileprivate var bounds: (lower: Any?, upper: Any?, isClosed: Bool) {
    (lowerBound, upperBound, true)
  }
}

extension Swift.Range: BoundedRange {
  fileprivate var bounds: (lower: Any?, upper: Any?, isClosed: Bool) {
    (lowerBound, upperBound, false)
  }
}

extension PartialRangeFrom: BoundedRange {
  fileprivate var bounds: (lower: Any?, upper: Any?, isClosed: Bool) { (lowerBound, nil, true) }
}

extension PartialRangeThrough: BoundedRange {
  fileprivate var bounds: (lower: Any?, upper: Any?, isClosed: Bool) { (nil, upperBound, true) }
}

extension PartialRangeUpTo: BoundedRange {
  fileprivate var bounds: (lower: Any?, upper: Any?, isClosed: Bool) { (nil, upperBound, false) }
}
