package import DepotClientCore
package import DepotProtocol

/// Whether a string ends with another, or contains it without regard to case or marks.
@Memberwise("test", "text", "other")
public struct TextTest<Text: StandardPredicateExpression, Other: StandardPredicateExpression>:
  StandardPredicateExpression
where Text.Output: StringProtocol, Other.Output: StringProtocol {
  /// The test.
  public let test: Kind
  /// The string that is tested.
  public let text: Text
  /// The string that it is tested for.
  public let other: Other

  /// The tests.
  public enum Kind: String, Codable, Sendable {
    /// Whether the string ends with the other.
    case ends
    /// Without regard to case, marks, and widths.
    case containsLocalized
    /// Without regard to case.
    case containsInAnyCase
  }

  public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
    ConstantQuery.isTrue(
      query(
        .value(.string(String(try text.evaluate(bindings)))),
        .value(.string(String(try other.evaluate(bindings))))
      )
    )
  }

  private func query(_ text: QueryExpression, _ other: QueryExpression) -> QueryExpression {
    switch test {
    case .ends: .text(.ends, text, other)
    case .containsLocalized: contains(text, other, .localized)
    case .containsInAnyCase: contains(text, other, .caseInsensitive)
    }
  }

  /// Returns whether a string contains another; none contains the empty one, as in Foundation.
  private func contains(
    _ text: QueryExpression,
    _ other: QueryExpression,
    _ options: QueryExpression.TextOptions
  ) -> QueryExpression {
    let found = QueryExpression.text(.contains, text, other, options: options)
    let empty = QueryExpression.value(.string(""))
    if other == empty { return .or([]) }
    if case .value = other { return found }
    return .and([.comparison(.notEqual, other, empty), found])
  }
}

extension TextTest: LowerableExpression, ConstantExpression {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    query(try lowering.value(text), try lowering.value(other))
  }

  package var parts: [any PredicateExpression] { [text, other] }
}
