extension QueryExpression {
  /// The value of a constant.
  package var constant: Value? { if case .value(let value) = self { value } else { nil } }

  /// Returns the values of parts; `nil` unless all are constants.
  package static func constants(_ parts: [QueryExpression]) -> [Value]? {
    let values = parts.compactMap(\.constant)
    return values.count == parts.count ? values : nil
  }

  /// Returns a collection of the values of parts, which is a constant if all parts are.
  package static func collection(of parts: [QueryExpression]) -> QueryExpression {
    constants(parts).map { .value(.list($0)) } ?? .list(parts)
  }

  /// Whether the expression is a written collection.
  package var isList: Bool {
    switch self {
    case .value(.list), .list: true
    default: false
    }
  }

  /// Whether the expression is a single constant, where a collection is expected.
  package var isScalarConstant: Bool {
    if case .value(.list) = self { false } else { constant != nil }
  }
}
