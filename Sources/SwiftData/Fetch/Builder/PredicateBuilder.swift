/// The functions that `#Predicate` and `#Expression` expand to calls of where Foundation has none; there is
/// no need to call them by hand.
public enum PredicateBuilder {
  /// A part of a predicate.
  public typealias Part = StandardPredicateExpression

  /// Returns the predicate that a closure builds.
  public static func predicate<each Input>(
    _ build: (repeat PredicateExpressions.Variable<each Input>) -> any Part<Bool>
  ) -> Predicate<repeat each Input> {
    Predicate(build)
  }

  /// Returns the expression that a closure builds.
  public static func expression<each Input, Output>(
    _ build: (repeat PredicateExpressions.Variable<each Input>) -> any Part<Output>
  ) -> Expression<repeat each Input, Output> {
    Expression(build)
  }

  /// A value that doesn't depend on the model.
  public static func arg<T: Codable>(_ value: T) -> PredicateExpressions.Value<T> {
    PredicateExpressions.Value(value)
  }

  /// A value that can't be encoded, such as a model.
  @_disfavoredOverload
  public static func arg<T>(_ value: T) -> CapturedValue<T> { CapturedValue(value) }

  /// A regular expression.
  @_disfavoredOverload
  public static func arg(
    _ regex: some RegexComponent
  ) -> PredicateExpressions.Value<PredicateExpressions.PredicateRegex> {
    PredicateExpressions.build_Arg(regex)
  }

  /// A part whose type is written down.
  public static func typed<Value: Part, T>(
    _ value: Value,
    as _: T.Type
  ) -> Value where Value.Output == T {
    value
  }

  /// Whether a value is of a type: `is`.
  public static func isKind<Value: Part, T>(
    _ value: Value,
    _: T.Type
  ) -> PredicateExpressions.TypeCheck<Value, T> {
    PredicateExpressions.TypeCheck(value)
  }

  /// A value as one of another type, or `nil`: `as?`.
  public static func cast<Value: Part, T>(
    _ value: Value,
    as _: T.Type
  ) -> PredicateExpressions.ConditionalCast<Value, T> {
    PredicateExpressions.ConditionalCast(value)
  }

  /// A value as one of another type: `as!`.
  public static func forceCast<Value: Part, T>(
    _ value: Value,
    as _: T.Type
  ) -> PredicateExpressions.ForceCast<Value, T> {
    PredicateExpressions.ForceCast(value)
  }

  /// The result of another predicate for values.
  public static func evaluate<each Input: Part>(
    _ predicate: Predicate<repeat (each Input).Output>,
    _ input: repeat each Input
  ) -> NestedPredicate<repeat each Input> {
    NestedPredicate(predicate, repeat each input)
  }

  /// The result of another expression for values.
  public static func evaluate<each Input: Part, Output>(
    _ expression: Expression<repeat (each Input).Output, Output>,
    _ input: repeat each Input
  ) -> NestedExpression<repeat each Input, Output> {
    NestedExpression(expression, repeat each input)
  }
}
