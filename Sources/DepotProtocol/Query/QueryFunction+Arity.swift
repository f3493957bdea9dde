extension QueryExpression.Function {
  /// How many values it takes.
  package var arity: Int {
    switch self {
    case .random, .rank: 0
    case .uppercase, .lowercase, .canonical, .length, .abs, .floor, .ceiling, .trunc, .round, .sqrt,
      .exp, .ln, .log, .randomn, .onesComplement:
      1
    case .concatenate, .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftshift, .rightshift, .json: 2
    }
  }
}

extension QueryExpression {
  /// Returns a collection of what parts are; of constants alone it is a constant.
  package static func collection(of parts: [QueryExpression]) -> QueryExpression {
    var values: [Value] = []
    for part in parts {
      guard case .value(let value) = part else { return .list(parts) }
      values.append(value)
    }
    return .value(.list(values))
  }

  /// Whether the expression is one value where there should be a collection.
  package var isScalarConstant: Bool {
    switch self {
    case .value(.list): false
    case .value: true
    default: false
    }
  }
}
