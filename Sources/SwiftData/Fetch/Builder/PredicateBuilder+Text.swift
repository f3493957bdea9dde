extension PredicateBuilder {
  /// Whether a string or sequence begins with another.
  public static func starts<Base: Part, Prefix: Part>(
    _ base: Base,
    _ prefix: Prefix
  ) -> PredicateExpressions.SequenceStartsWith<Base, Prefix>
  where
    Base.Output: Sequence,
    Prefix.Output: Sequence,
    Base.Output.Element: Equatable,
    Base.Output.Element == Prefix.Output.Element
  {
    PredicateExpressions.SequenceStartsWith(base: base, prefix: prefix)
  }

  /// Whether a string ends with another.
  public static func ends<Base: Part, Suffix: Part>(
    _ base: Base,
    _ suffix: Suffix
  ) -> TextTest<Base, Suffix> where Base.Output: StringProtocol, Suffix.Output: StringProtocol {
    TextTest(.ends, base, suffix)
  }

  /// Whether a string contains another, without regard to case, marks, and widths.
  public static func localizedStandardContains<Base: Part, Other: Part>(
    _ base: Base,
    _ other: Other
  ) -> TextTest<Base, Other> where Base.Output: StringProtocol, Other.Output: StringProtocol {
    TextTest(.containsLocalized, base, other)
  }

  /// Whether a string contains another, without regard to case.
  public static func localizedCaseInsensitiveContains<Base: Part, Other: Part>(
    _ base: Base,
    _ other: Other
  ) -> TextTest<Base, Other> where Base.Output: StringProtocol, Other.Output: StringProtocol {
    TextTest(.containsInAnyCase, base, other)
  }

  /// The order of two strings by code points.
  public static func compare<L: Part, R: Part>(
    _ left: L,
    _ right: R
  ) -> TextComparison<L, R> where L.Output: StringProtocol, R.Output: StringProtocol {
    TextComparison(.plain, left, right)
  }

  /// The order of two strings without regard to case.
  public static func caseInsensitiveCompare<L: Part, R: Part>(
    _ left: L,
    _ right: R
  ) -> TextComparison<L, R> where L.Output: StringProtocol, R.Output: StringProtocol {
    TextComparison(.caseInsensitive, left, right)
  }

  /// The order of two strings as people expect it.
  public static func localizedCompare<L: Part, R: Part>(
    _ left: L,
    _ right: R
  ) -> TextComparison<L, R> where L.Output: StringProtocol, R.Output: StringProtocol {
    TextComparison(.localized, left, right)
  }

  /// The order of two strings as people expect it, without regard to case.
  public static func localizedCaseInsensitiveCompare<L: Part, R: Part>(
    _ left: L,
    _ right: R
  ) -> TextComparison<L, R> where L.Output: StringProtocol, R.Output: StringProtocol {
    TextComparison(.localizedCaseInsensitive, left, right)
  }

  /// A string in lower case.
  public static func lowercased<Base: Part>(
    _ base: Base
  ) -> LetterCase<Base> where Base.Output: StringProtocol {
    LetterCase(base, isUpper: false)
  }

  /// A string in upper case.
  public static func uppercased<Base: Part>(
    _ base: Base
  ) -> LetterCase<Base> where Base.Output: StringProtocol {
    LetterCase(base, isUpper: true)
  }

  /// A value as text, in an interpolation.
  public static func text<P: Part<String>>(_ part: P) -> P { part }

  /// A number as text.
  public static func text<P: Part>(
    _ part: P
  ) -> ValueConversion<P, String> where P.Output: BinaryInteger {
    ValueConversion(part)
  }

  /// A part of a string literal.
  public static func interpolation<P: Part<String>>(_ part: P) -> P { part }

  /// The string that parts make, one after the other.
  public static func interpolation<P: Part<String>>(
    _ first: P,
    _ second: any Part<String>,
    _ others: any Part<String>...
  ) -> Interpolation {
    Interpolation([first, second] + others)
  }
}
