package import DepotClientCore
package import DepotProtocol

/// A string in lower or upper case.
@Memberwise("base")
public struct LetterCase<Base: StandardPredicateExpression>: StandardPredicateExpression
where Base.Output: StringProtocol {
  /// The string.
  public let base: Base
  /// Whether it's in upper case.
  public let isUpper: Bool

  public func evaluate(_ bindings: PredicateBindings) throws -> String {
    let text = try base.evaluate(bindings)
    return isUpper ? text.uppercased() : text.lowercased()
  }
}

extension LetterCase: LowerableExpression, ConstantExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    .function(isUpper ? .uppercase : .lowercase, [try lowering.value(base)])
  }

  package var parts: [any PredicateExpression] { [base] }
}

/// A string with another after it.
@Memberwise("left", "right")
public struct Concatenation<
  Left: StandardPredicateExpression<String>,
  Right: StandardPredicateExpression<String>
>: StandardPredicateExpression {
  /// The string that comes first.
  public let left: Left
  /// The string after it.
  public let right: Right

  public func evaluate(_ bindings: PredicateBindings) throws -> String {
    try left.evaluate(bindings) + right.evaluate(bindings)
  }
}

extension Concatenation: LowerableExpression, ConstantExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    .function(.concatenate, [try lowering.value(left), try lowering.value(right)])
  }

  package var parts: [any PredicateExpression] { [left, right] }
}
