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
    case .equal, .doubleEqual: self = .comparison(.equal)
    case .notEqual, .angles: self = .comparison(.notEqual)
    case .less: self = .comparison(.less)
    case .lessOrEqual, .equalLess: self = .comparison(.lessOrEqual)
    case .greater: self = .comparison(.greater)
    case .greaterOrEqual, .equalGreater: self = .comparison(.greaterOrEqual)
    case .plus: self = .arithmetic(.add)
    case .minus: self = .arithmetic(.subtract)
    case .star: self = .arithmetic(.multiply)
    case .slash: self = .arithmetic(.divide)
    case .percent: self = .arithmetic(.modulo)
    case .power: self = .arithmetic(.power)
    default: return nil
    }
  }

  /// How tightly it binds.
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

/// How tightly the parts of a predicate bind, loosest first.
enum PredicateLevel: Int, Comparable {
  case or
  case and
  case not
  case comparison
  case sum
  case product
  /// `**`, from left to right; a minus before its first operand belongs to that.
  case power
  case prefix
  case primary

  /// The next tighter level.
  var tighter: PredicateLevel { PredicateLevel(rawValue: rawValue + 1) ?? .primary }

  static func < (left: PredicateLevel, right: PredicateLevel) -> Bool {
    left.rawValue < right.rawValue
  }
}
