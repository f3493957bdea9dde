extension PredicateBuilder {
  // Two properties may be compared even if one is optional.

  /// Whether two values are equal; one may be optional.
  public static func equalMixed<L: Part, R: Part>(
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.Equal<L, R> where L.Output == R.Output, L.Output: Equatable {
    PredicateExpressions.Equal(lhs: left, rhs: right)
  }

  /// Whether two values are equal; one may be optional.
  public static func equalMixed<L: Part, R: Part>(
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.Equal<L, OptionalPromotion<R>>
  where L.Output == R.Output?, R.Output: Equatable {
    PredicateExpressions.Equal(lhs: left, rhs: OptionalPromotion(right))
  }

  /// Whether two values are equal; one may be optional.
  public static func equalMixed<L: Part, R: Part>(
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.Equal<OptionalPromotion<L>, R>
  where R.Output == L.Output?, L.Output: Equatable {
    PredicateExpressions.Equal(lhs: OptionalPromotion(left), rhs: right)
  }

  /// Whether two values differ; one may be optional.
  public static func notEqualMixed<L: Part, R: Part>(
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.NotEqual<L, R> where L.Output == R.Output, L.Output: Equatable {
    PredicateExpressions.NotEqual(lhs: left, rhs: right)
  }

  /// Whether two values differ; one may be optional.
  public static func notEqualMixed<L: Part, R: Part>(
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.NotEqual<L, OptionalPromotion<R>>
  where L.Output == R.Output?, R.Output: Equatable {
    PredicateExpressions.NotEqual(lhs: left, rhs: OptionalPromotion(right))
  }

  /// Whether two values differ; one may be optional.
  public static func notEqualMixed<L: Part, R: Part>(
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.NotEqual<OptionalPromotion<L>, R>
  where R.Output == L.Output?, L.Output: Equatable {
    PredicateExpressions.NotEqual(lhs: OptionalPromotion(left), rhs: right)
  }

  /// Whether there is no value.
  public static func isNil<Value: Part, Wrapped: Equatable>(
    _ value: Value
  ) -> PredicateExpressions.Equal<Value, PredicateExpressions.NilLiteral<Wrapped>>
  where Value.Output == Wrapped? {
    PredicateExpressions.Equal(lhs: value, rhs: PredicateExpressions.NilLiteral())
  }

  /// Whether there is no value.
  @_disfavoredOverload
  public static func isNil<Value: Part, Wrapped>(
    _ value: Value
  ) -> AbsenceTest<Value, Wrapped> where Value.Output == Wrapped? {
    AbsenceTest(value)
  }

  /// Whether there is a value.
  public static func isNotNil<Value: Part, Wrapped: Equatable>(
    _ value: Value
  ) -> PredicateExpressions.NotEqual<Value, PredicateExpressions.NilLiteral<Wrapped>>
  where Value.Output == Wrapped? {
    PredicateExpressions.NotEqual(lhs: value, rhs: PredicateExpressions.NilLiteral())
  }

  /// Whether there is a value.
  @_disfavoredOverload
  public static func isNotNil<Value: Part, Wrapped>(
    _ value: Value
  ) -> PredicateExpressions.Negation<AbsenceTest<Value, Wrapped>>
  where Value.Output == Wrapped? {
    PredicateExpressions.Negation(AbsenceTest(value))
  }

  // Patterns of `switch` and `~=`.

  /// Whether a value is one that a case of a `switch` takes.
  public static func matches<Pattern: Part, Value: Part>(
    _ pattern: Pattern,
    _ value: Value
  ) -> PredicateExpressions.Equal<Value, Pattern>
  where Pattern.Output == Value.Output, Value.Output: Equatable {
    PredicateExpressions.Equal(lhs: value, rhs: pattern)
  }

  /// Whether a value is one that a case of a `switch` takes.
  public static func matches<Pattern: Part, Value: Part>(
    _ pattern: Pattern,
    _ value: Value
  ) -> PredicateExpressions.RangeExpressionContains<Pattern, Value>
  where Pattern.Output: RangeExpression, Value.Output == Pattern.Output.Bound {
    PredicateExpressions.RangeExpressionContains(range: pattern, element: value)
  }
}
