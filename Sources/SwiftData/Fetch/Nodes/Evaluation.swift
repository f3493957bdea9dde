package import DepotClientCore
package import DepotProtocol

/// The result of another predicate for values.
public struct NestedPredicate<each Input: StandardPredicateExpression>: UnencodedPart {
  /// The predicate.
  public let predicate: Predicate<repeat (each Input).Output>
  /// The values that it is evaluated for.
  public let input: (repeat each Input)

  /// Creates the answer of a predicate.
  public init(_ predicate: Predicate<repeat (each Input).Output>, _ input: repeat each Input) {
    self.predicate = predicate
    self.input = (repeat each input)
  }

  public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    try predicate.evaluate(repeat (each input).evaluate(bindings))
  }
}

extension NestedPredicate: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    for (variable, input) in repeat (each predicate.variable, each input) {
      lowering.bindings[variable.key] = try lowering.value(input)
    }
    return try lowering.predicate(predicate.expression)
  }
}

/// The result of another expression for values.
public struct NestedExpression<each Input: StandardPredicateExpression, Output>: UnencodedPart {
  /// The expression.
  public let expression: Expression<repeat (each Input).Output, Output>
  /// The arguments of the evaluation.
  public let input: (repeat each Input)

  /// Creates the result of an expression.
  public init(
    _ expression: Expression<repeat (each Input).Output, Output>,
    _ input: repeat each Input
  ) {
    self.expression = expression
    self.input = (repeat each input)
  }

  public func evaluate(_ bindings: PredicateBindings) throws -> Output {
    try expression.evaluate(repeat (each input).evaluate(bindings))
  }
}

extension NestedExpression: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    for (variable, input) in repeat (each expression.variable, each input) {
      lowering.bindings[variable.key] = try lowering.value(input)
    }
    return try lowering.value(expression.expression)
  }
}
