/// An operator between two operands.
enum PredicateOperator: Hashable {
  case and
  case or
  case comparison(QueryExpression.Comparison)
  case text(QueryExpression.TextTest)
  case between
  case `in`
  case `is`
  case arithmetic(QueryExpression.Arithmetic)

  init?(_ token: PredicateToken) {
    if let keyword = token.keyword {
      guard let found = PredicateAdvice.operators[keyword] else { return nil }
      self = found
      return
    }
    guard case .sign(let sign) = token.kind else { return nil }
    switch sign {
    case .and: self = .and
    case .or: self = .or
    case .equal: self = .comparison(.equal)
    case .angles: self = .comparison(.notEqual)
    case .equalLess: self = .comparison(.lessOrEqual)
    case .equalGreater: self = .comparison(.greaterOrEqual)
    default:
      if let comparison = QueryExpression.Comparison(rawValue: sign.rawValue) {
        self = .comparison(comparison)
      } else if let arithmetic = QueryExpression.Arithmetic(rawValue: sign.rawValue) {
        self = .arithmetic(arithmetic)
      } else {
        return nil
      }
    }
  }

  /// The precedence of the operator.
  var level: PredicateLevel {
    switch self {
    case .or: .or
    case .and: .and
    case .comparison, .text, .between, .in, .is: .comparison
    case .arithmetic(.add), .arithmetic(.subtract): .sum
    case .arithmetic(.power): .power
    case .arithmetic: .product
    }
  }
}

/// The levels of precedence, lowest first.
enum PredicateLevel: Int, Comparable {
  case or
  case and
  case not
  case comparison
  case sum
  case product
  /// `**`, which associates to the left; a minus before its first operand belongs to that operand.
  case power
  case prefix
  case primary

  /// The next higher level.
  var tighter: PredicateLevel { PredicateLevel(rawValue: rawValue + 1) ?? .primary }

  static func < (left: PredicateLevel, right: PredicateLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}
