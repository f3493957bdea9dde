/// Functions for Foundation's own `#Predicate`, which has them on Apple's systems only.
///
/// The compiler takes that macro even for a model where an optional is compared with a non-optional
/// value, unless the closure states the type of its parameter.
extension PredicateExpressions {
  /// Whether a string contains another, without regard to case, marks, and widths.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static func build_localizedStandardContains<
    Base: StandardPredicateExpression,
    Other: StandardPredicateExpression
  >(
    _ base: Base,
    _ other: Other
  ) -> TextTest<Base, Other> where Base.Output: StringProtocol, Other.Output: StringProtocol {
    TextTest(.containsLocalized, base, other)
  }

  /// The order of two strings as people expect it.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static func build_localizedCompare<
    Base: StandardPredicateExpression,
    Other: StandardPredicateExpression
  >(
    _ base: Base,
    _ other: Other
  ) -> TextComparison<Base, Other>
  where Base.Output: StringProtocol, Other.Output: StringProtocol {
    TextComparison(.localized, base, other)
  }

  /// The order of two strings without regard to case.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public static func build_caseInsensitiveCompare<
    Base: StandardPredicateExpression,
    Other: StandardPredicateExpression
  >(
    _ base: Base,
    _ other: Other
  ) -> TextComparison<Base, Other>
  where Base.Output: StringProtocol, Other.Output: StringProtocol {
    TextComparison(.caseInsensitive, base, other)
  }
}
