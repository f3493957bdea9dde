package import DepotClientCore
package import DepotProtocol

/// The order of two strings.
@Memberwise("order", "left", "right")
public struct TextComparison<Left: StandardPredicateExpression, Right: StandardPredicateExpression>:
  StandardPredicateExpression
where Left.Output: StringProtocol, Right.Output: StringProtocol {
  /// The kind of order.
  public let order: Order
  /// The first string.
  public let left: Left
  /// The second string.
  public let right: Right

  /// The kinds of order.
  public enum Order: String, Codable, Sendable {
    /// By code points.
    case plain
    /// Without regard to case.
    case caseInsensitive
    /// In the usual order for people; by code points where that makes no difference.
    case localized
    /// In the usual order for people; by letters and marks where that makes no difference.
    case localizedCaseInsensitive
  }

  public func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult {
    let sides = (
      QueryExpression.value(.string(String(try left.evaluate(bindings)))),
      QueryExpression.value(.string(String(try right.evaluate(bindings))))
    )
    if ConstantQuery.isTrue(test(.orderedAscending, sides)) { return .orderedAscending }
    return ConstantQuery.isTrue(test(.orderedSame, sides)) ? .orderedSame : .orderedDescending
  }

  /// The options of a comparison, and then of strings that are equal with these.
  private var options: [QueryExpression.TextOptions] {
    switch order {
    case .plain: [[]]
    case .caseInsensitive: [.caseInsensitive]
    case .localized: [.localized, []]
    case .localizedCaseInsensitive: [.localized, .caseInsensitive]
    }
  }

  /// Returns the question whether two strings are in an order.
  private func test(
    _ result: ComparisonResult,
    _ sides: (QueryExpression, QueryExpression)
  ) -> QueryExpression {
    let options = options
    let last = options[options.count - 1]
    guard result != .orderedSame else {
      return .comparison(.equal, sides.0, sides.1, options: last)
    }
    let comparison: QueryExpression.Comparison = result == .orderedAscending ? .less : .greater
    let strict = QueryExpression.comparison(comparison, sides.0, sides.1, options: options[0])
    guard options.count > 1 else { return strict }
    return .or([
      strict,
      .and([
        .comparison(.equal, sides.0, sides.1, options: options[0]),
        .comparison(comparison, sides.0, sides.1, options: last),
      ]),
    ])
  }
}

extension TextComparison: LowerableExpression, ConstantExpression, EqualityLowering {
  package func lower(in lowering: inout PredicateLowering) throws(DepotError) -> QueryExpression {
    let sides = (try lowering.value(left), try lowering.value(right))
    return .conditional(
      test(.orderedAscending, sides),
      .value(.int64(-1)),
      .conditional(test(.orderedSame, sides), .value(.int64(0)), .value(.int64(1)))
    )
  }

  package func lowerEquality(
    to constant: Any,
    in lowering: inout PredicateLowering
  ) throws(DepotError) -> QueryExpression? {
    guard let result = constant as? ComparisonResult else { return nil }
    return test(result, (try lowering.value(left), try lowering.value(right)))
  }

  package var parts: [any PredicateExpression] { [left, right] }
}
