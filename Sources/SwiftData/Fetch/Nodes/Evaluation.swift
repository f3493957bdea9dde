package import DepotClient
package import DepotProtocol

/// What another predicate says of values.
public struct NestedPredicate<each Input: StandardPredicateExpression>: StandardPredicateExpression
{
  /// The predicate.
  public let predicate: Predicate<repeat (each Input).Output>
  /// What it is asked of.
  public let input: (repeat each Input)

  /// Creates the answer of a predicate.
  public init(_ predicate: Predicate<repeat (each Input).Output>, _ input: repeat each Input) {
    self.predicate = predicate
    self.input = (repeat each input)
  }

  public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    try predicate.evaluate(repeat (each input).evaluate(bindings))
  }

  /// - Throws: An `EncodingError` always.
  public func encode(to encoder: any Encoder) throws { throw encoder.refusal(of: Self.self) }

  /// - Throws: A `DecodingError` always.
  public init(from decoder: any Decoder) throws { throw decoder.refusal(of: Self.self) }
}

extension NestedPredicate: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    for (variable, input) in repeat (each predicate.variable, each input) {
      lowering.bindings[variable.key] = try lowering.value(input)
    }
    return try lowering.predicate(predicate.expression)
  }
}

/// What another expression comes to for values.
public struct NestedExpression<each Input: StandardPredicateExpression, Output>:
  StandardPredicateExpression
{
  /// The expression.
  public let expression: Expression<repeat (each Input).Output, Output>
  /// What it is evaluated for.
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

  /// - Throws: An `EncodingError` always.
  public func encode(to encoder: any Encoder) throws { throw encoder.refusal(of: Self.self) }

  /// - Throws: A `DecodingError` always.
  public init(from decoder: any Decoder) throws { throw decoder.refusal(of: Self.self) }
}

extension NestedExpression: LowerableExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    for (variable, input) in repeat (each expression.variable, each input) {
      lowering.bindings[variable.key] = try lowering.value(input)
    }
    return try lowering.value(expression.expression)
  }
}
