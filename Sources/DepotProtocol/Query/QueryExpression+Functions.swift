extension QueryExpression.Function {
  /// The kinds of the arguments and the type of the result; `nil` for the first argument's type.
  package var kind: (arguments: [ArgumentKind], result: AttributeType?) {
    switch self {
    case .uppercase, .lowercase, .canonical: ([.text], .string)
    case .length: ([.textOrData], .int64)
    case .concatenate: ([.scalar, .scalar], .string)
    case .abs, .floor, .ceiling, .trunc, .round: ([.number], nil)
    case .sqrt, .exp, .ln, .log: ([.number], .double)
    case .randomn, .onesComplement: ([.whole], .int64)
    case .bitwiseAnd, .bitwiseOr, .bitwiseXor, .leftshift, .rightshift: ([.whole, .whole], .int64)
    case .random, .rank: ([], .double)
    case .json: ([.json, .text], .json)
    }
  }

  /// The number of arguments of the function.
  package var arity: Int { kind.arguments.count }

  package enum ArgumentKind {
    case text
    case textOrData
    case scalar
    case number
    case whole
    case json

    /// The type to which a JSON argument is converted; `nil` if the function takes JSON itself.
    package var readType: AttributeType? {
      switch self {
      case .number: .double
      case .whole: .int64
      case .json: nil
      case .text, .textOrData, .scalar: .string
      }
    }
  }
}
