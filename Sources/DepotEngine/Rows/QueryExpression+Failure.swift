internal import DepotProtocol

extension QueryExpression {
  /// The condition that this is null although nothing that it is computed from is null.
  ///
  /// That happens when an integer overflows, for example. It is `nil` if it can't happen.
  var failure: QueryExpression? {
    switch self {
    case .conditional(let test, let first, let second):
      let parts = [
        first.failure.map { Self.and([test, $0]) },
        second.failure.map { Self.and([.not(test), $0]) },
      ]
      return Self.any(parts.compactMap(\.self))
    case .coalesce(let parts):
      return Self.any(parts.compactMap(\.failure)).map { .and([isNull, $0]) }
    case .aggregate(.sum, _): return isNull
    default:
      guard let inputs else { return nil }
      let isWhole = !inputs.contains(.value(.null))
      let present = inputs.filter { if case .value = $0 { false } else { true } }
        .map { Self.not($0.isNull) }
      let reasons = (isWhole ? [Self.and(present)] : []) + inputs.compactMap(\.failure)
      return Self.any(reasons).map { .and([isNull, $0]) }
    }
  }

  private var isNull: QueryExpression { .comparison(.equal, self, .value(.null)) }

  private static func any(_ parts: [QueryExpression]) -> QueryExpression? {
    parts.isEmpty ? nil : .or(parts)
  }

  /// The inputs of a chain of operations, if only a failure makes its result null.
  private var inputs: [QueryExpression]? {
    switch self {
    case .arithmetic(_, let left, let right):
      return (left.inputs ?? [left]) + (right.inputs ?? [right])
    case .negate(let part), .convert(let part, _), .narrow(let part, _):
      return part.inputs ?? [part]
    case .function(.json, _), .function(.rank, _), .function(.random, _), .function(.randomn, _):
      return nil
    case .function(_, let parts): return parts.flatMap { $0.inputs ?? [$0] }
    default: return nil
    }
  }
}
