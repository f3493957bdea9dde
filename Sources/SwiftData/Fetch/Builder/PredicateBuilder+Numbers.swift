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

  /// The difference of two numbers.
  public static func subtract<L: Part, R: Part>(
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.Arithmetic<L, R> where L.Output == R.Output, L.Output: Numeric {
    PredicateExpressions.Arithmetic(lhs: left, rhs: right, op: .subtract)
  }

  /// The product of two numbers.
  public static func multiply<L: Part, R: Part>(
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.Arithmetic<L, R> where L.Output == R.Output, L.Output: Numeric {
    PredicateExpressions.Arithmetic(lhs: left, rhs: right, op: .multiply)
  }

  /// The quotient of two numbers.
  public static func divide<L: Part, R: Part>(
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.IntDivision<L, R>
  where L.Output == R.Output, L.Output: BinaryInteger {
    PredicateExpressions.IntDivision(lhs: left, rhs: right)
  }

  /// The quotient of two numbers.
  public static func divide<L: Part, R: Part>(
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.FloatDivision<L, R>
  where L.Output == R.Output, L.Output: FloatingPoint {
    PredicateExpressions.FloatDivision(lhs: left, rhs: right)
  }

  /// The remainder of a division.
  public static func remainder<L: Part, R: Part>(
    _ left: L,
    _ right: R
  ) -> PredicateExpressions.IntRemainder<L, R>
  where L.Output == R.Output, L.Output: BinaryInteger {
    PredicateExpressions.IntRemainder(lhs: left, rhs: right)
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

  /// A number with the other sign.
  public static func negative<P: Part>(
    _ part: P
  ) -> PredicateExpressions.UnaryMinus<P> where P.Output: SignedNumeric {
    PredicateExpressions.UnaryMinus(part)
  }

  /// A number without its sign.
  public static func abs<P: Part>(
    _ part: P
  ) -> Magnitude<P> where P.Output: SignedNumeric & Comparable {
    Magnitude(part)
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
