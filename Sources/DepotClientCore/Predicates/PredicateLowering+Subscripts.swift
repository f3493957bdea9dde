package import DepotProtocol
package import FoundationEssentials

extension PredicateExpressions.CollectionIndexSubscript: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    guard let position = Constant(index)?.value as? Int else {
      throw lowering.refusal("a subscript that isn't a constant position")
    }
    return .element(try lowering.contents(of: wrapped), position)
  }
}

extension PredicateExpressions.CollectionRangeSubscript: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let variable = (range as? any PositionRange)?.positions
    guard let positions = Constant(range)?.value as? Swift.Range<Int> ?? variable,
      positions.lowerBound >= 0
    else { throw lowering.refusal("a subscript that isn't a constant range of positions") }
    return .slice(try lowering.contents(of: wrapped), positions)
  }
}

extension PredicateExpressions.DictionaryKeySubscript: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    try lowering.member(of: wrapped, key)
  }
}

extension PredicateExpressions.DictionaryKeyDefaultValueSubscript: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let member = try lowering.member(of: wrapped, key).converted(to: Default.Output.self)
    return .coalesce([member, try lowering.value(`default`)])
  }
}

extension PredicateLowering {
  fileprivate mutating func member(
    of dictionary: any PredicateExpression,
    _ key: any PredicateExpression
  ) throws(DepotError) -> QueryExpression {
    if Constant(dictionary) != nil {
      throw refusal("a subscript of a dictionary that is a constant")
    }
    return .function(.json, [try value(dictionary), try value(key)])
  }
}

extension QueryExpression {
  /// Returns a member of a JSON value as one of the type that it has in Swift; anything else as it is.
  func converted(to type: Any.Type) -> QueryExpression {
    guard case .function(.json, _) = self, let type = type as? any AttributeValue.Type else {
      return self
    }
    return .convert(self, type.attributeType)
  }
}

/// A range node of any bounds.
private protocol PositionRange {
  var positions: Swift.Range<Int>? { get }
}

extension PredicateExpressions.Range: PositionRange {
  fileprivate var positions: Swift.Range<Int>? {
    guard let lower = Constant(lower)?.value as? Int, let upper = Constant(upper)?.value as? Int,
      lower <= upper
    else { return nil }
    return lower..<upper
  }
}
