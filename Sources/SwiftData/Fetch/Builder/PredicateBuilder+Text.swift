extension PredicateBuilder {
  /// A value as text, in an interpolation.
  public static func text<P: Part<String>>(_ part: P) -> P { part }

  /// A number as text.
  public static func text<P: Part>(
    _ part: P
  ) -> ValueConversion<P, String> where P.Output: BinaryInteger {
    ValueConversion(part)
  }
}
