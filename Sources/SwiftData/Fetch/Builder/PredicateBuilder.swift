/// What `#Predicate` and `#Expression` expand to calls of; there is no need to call it by hand.
///
/// The parts are Foundation's wherever Foundation has them.
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

  /// The property of a part.
  public static func keyPath<Root: Part, Value>(
    _ root: Root,
    _ keyPath: any KeyPath<Root.Output, Value> & Sendable
  ) -> PredicateExpressions.KeyPath<Root, Value> {
    PredicateExpressions.KeyPath(root: root, keyPath: keyPath)
  }

  /// A part whose type is written down.
  public static func typed<Value: Part, T>(
    _ value: Value,
    as _: T.Type
  ) -> Value where Value.Output == T {
    value
  }
}

// MARK: - Logic

extension PredicateBuilder {
  /// Whether both are true.
  public static func and<L: Part<Bool>, R: Part<Bool>>(
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.Conjunction<L, R> {
    PredicateExpressions.Conjunction(lhs: left, rhs: right)
  }

  /// Whether one or both are true.
  public static func or<L: Part<Bool>, R: Part<Bool>>(
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.Disjunction<L, R> {
    PredicateExpressions.Disjunction(lhs: left, rhs: right)
  }

  /// Whether a part is false.
  public static func not<P: Part<Bool>>(_ part: P) -> PredicateExpressions.Negation<P> {
    PredicateExpressions.Negation(part)
  }

  /// One of two parts, as a test decides.
  public static func conditional<Test: Part<Bool>, Then: Part, Else: Part>(
    _ test: Test,
    _ then: Then,
    _ otherwise: Else
  ) -> PredicateExpressions.Conditional<Test, Then, Else> where Then.Output == Else.Output {
    PredicateExpressions.Conditional(test: test, trueBranch: then, falseBranch: otherwise)
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

  /// What another predicate says of values.
  public static func evaluate<each Input: Part>(
    _ predicate: Predicate<repeat (each Input).Output>,
    _ input: repeat each Input
  ) -> NestedPredicate<repeat each Input> {
    NestedPredicate(predicate, repeat each input)
  }

  /// What another expression comes to for values.
  public static func evaluate<each Input: Part, Output>(
    _ expression: Expression<repeat (each Input).Output, Output>,
    _ input: repeat each Input
  ) -> NestedExpression<repeat each Input, Output> {
    NestedExpression(expression, repeat each input)
  }
}
