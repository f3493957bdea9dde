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
  /// Whether the expression is one value where there should be a collection.
  package var isScalarConstant: Bool {
    switch self {
    case .value(.list): false
    case .value: true
    default: false
    }
  }
}
