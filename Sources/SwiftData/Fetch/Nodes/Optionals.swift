package import DepotClientCore
package import DepotProtocol

/// A value where there may be none, to be compared with one that is optional.
@Memberwise("base")
public struct OptionalPromotion<Base: StandardPredicateExpression>: StandardPredicateExpression {
  /// The value.
  public let base: Base

  public func evaluate(_ bindings: PredicateBindings) throws -> Base.Output? {
    try base.evaluate(bindings)
  }
}

extension OptionalPromotion: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    try lowering.operand(base)
  }
}

/// Whether there is no value, of a type whose values can't be compared.
@Memberwise("base")
public struct AbsenceTest<Base: StandardPredicateExpression, Wrapped>: StandardPredicateExpression
where Base.Output == Wrapped? {
  /// The value that may be missing.
  public let base: Base

  public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    try base.evaluate(bindings) == nil
  }
}

extension AbsenceTest: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    .comparison(.equal, try lowering.value(base), .value(.null))
  }
}
