package import DepotProtocol
package import FoundationEssentials

extension PredicateExpressions.TypeCheck: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let value = try lowering.value(input)
    if let entity = lowering.names.entity(of: Desired.self) { return .is(value, entity: entity) }
    return try lowering.isScalar(input.origin, Desired.self, "is")
      ? .comparison(.notEqual, value, .value(.null)) : .or([])
  }
}

extension PredicateExpressions.ConditionalCast: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let value = try lowering.value(input)
    if let entity = lowering.names.entity(of: Desired.self) { return .cast(value, entity: entity) }
    return try lowering.isScalar(input.origin, Desired.self, "as?") ? value : .value(.null)
  }
}

extension PredicateExpressions.ForceCast: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let value = try lowering.value(input)
    if let entity = lowering.names.entity(of: Desired.self) { return .cast(value, entity: entity) }
    if Desired.self == Any.self { return value }
    guard try lowering.isScalar(input.origin, Desired.self, "as!") else {
      throw lowering.refusal("as! \(Desired.self)")
    }
    return value
  }
}

/// A cast to `Any`, which changes nothing.
private protocol Erasure {
  var origin: Any.Type? { get }
}

extension PredicateExpressions.ForceCast: Erasure {
  fileprivate var origin: Any.Type? { Desired.self == Any.self ? input.origin : nil }
}

extension PredicateExpression {
  /// The type of the node's output, before a cast to `Any`.
  fileprivate var origin: Any.Type { (self as? any Erasure)?.origin ?? Output.self }
}

extension PredicateLowering {
  /// Whether values of the type `given` are values of `wanted`; both must be attribute types.
  fileprivate func isScalar(
    _ given: Any.Type,
    _ wanted: Any.Type,
    _ cast: String
  ) throws(DepotError) -> Bool {
    guard given is any AttributeValue.Type, wanted is any AttributeValue.Type else {
      throw refusal("\(cast) \(wanted)")
    }
    return Self.unwrapped(given) == Self.unwrapped(wanted)
  }

  private static func unwrapped(_ type: Any.Type) -> Any.Type {
    (type as? any OptionalContent.Type)?.wrappedType ?? type
  }
}
