extension PredicateBuilder {
  /// The sum of two numbers.
  public static func add<L: Part, R: Part>(
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.Arithmetic<L, R> where L.Output == R.Output, L.Output: Numeric {
    PredicateExpressions.Arithmetic(lhs: left, rhs: right, op: .add)
  }

  /// Two strings, one after the other.
  public static func add<L: Part<String>, R: Part<String>>(
    _ left: L,
    _ right: R
  ) -> Concatenation<L, R> {
    Concatenation(left, right)
  }

  /// Whether a number is a multiple of another.
  public static func isMultiple<L: Part, R: Part>(
    _ value: L,
    _ divisor: R
  )
    -> PredicateExpressions.Equal<
      PredicateExpressions.IntRemainder<L, R>, PredicateExpressions.Value<L.Output>
    > where L.Output == R.Output, L.Output: BinaryInteger & Codable
  {
    PredicateExpressions.Equal(
      lhs: PredicateExpressions.IntRemainder(lhs: value, rhs: divisor),
      rhs: PredicateExpressions.Value(0)
    )
  }

  /// A number as a `Double`.
  public static func double<P: Part>(
    _ part: P
  ) -> ValueConversion<P, Double> where P.Output: BinaryInteger {
    ValueConversion(part)
  }

  /// A number as a `Double`.
  public static func double<P: Part<Double>>(_ part: P) -> P { part }

  /// A number as an `Int`.
  public static func int<P: Part>(
    _ part: P
  ) -> ValueConversion<P, Int> where P.Output: BinaryInteger {
    ValueConversion(part)
  }

  /// A number as an `Int`.
  public static func int<P: Part<Double>>(_ part: P) -> ValueConversion<P, Int> {
    ValueConversion(part)
  }
}
