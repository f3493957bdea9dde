/// Hints for users who wrote an unsupported or misspelled word.
enum PredicateAdvice {
  /// The operators that are words.
  static let operators: [String: PredicateOperator] = {
    let tests = QueryExpression.TextTest.allCases.map { ($0.word, PredicateOperator.text($0)) }
    return Dictionary(uniqueKeysWithValues: tests).merging([
      "AND": .and, "OR": .or, "BETWEEN": .between, "IN": .in, "IS": .is,
    ]) { $1 }
  }()

  /// The words before a collection.
  static let quantifiers: [String: QueryExpression.Quantifier] = [
    "ANY": .any, "SOME": .any, "ALL": .all, "NONE": .none,
  ]

  /// The constants that are words.
  static let constants: [String: QueryExpression] = [
    "TRUEPREDICATE": .and([]), "FALSEPREDICATE": .or([]), "NULL": .value(.null),
    "NIL": .value(.null), "TRUE": .value(.bool(true)), "YES": .value(.bool(true)),
    "FALSE": .value(.bool(false)), "NO": .value(.bool(false)), "SELF": .variable("SELF"),
  ]

  /// The words that can name an attribute only after `#`.
  static let reserved = Set(operators.keys).subtracting(["IS"]).union(quantifiers.keys)
    .union(constants.keys).union(["NOT"])

  private static let synonyms = [
    "EQUALS": "==", "EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">",
    "GE": ">=", "STARTSWITH": "BEGINSWITH", "STARTS": "BEGINSWITH", "BEGINS": "BEGINSWITH",
    "ENDS": "ENDSWITH", "HAS": "CONTAINS", "INCLUDES": "CONTAINS", "REGEXP": "MATCHES",
    "ILIKE": "LIKE[c]", "ADN": "AND", "===": "==", "=!": "!=", "=~": "MATCHES", "&": "&&",
    "|": "||",
  ]

  /// Returns the failure at `token`, where an operator is expected.
  static func noOperator(_ token: PredicateToken) -> PredicateFailure {
    let advice: (message: String, hint: String?) =
      switch token.kind {
      case .word(let word): self.word(word)
      case .sign(let sign): self.sign(sign)
      default: ("Expected an operator, found \(token.description).", nil)
      }
    return token.failure(advice.message).hint(advice.hint)
  }

  private static func word(_ word: String) -> (String, String?) {
    let keyword = NameSyntax.keyword(word)
    if keyword == "NOT" {
      return ("NOT can't stand here.", "Write NOT before the whole comparison: NOT a IN {1, 2}.")
    }
    let nearest = synonyms[keyword] ?? Spelling.nearest(to: keyword, in: operators.keys.sorted())
    return ("There is no operator \"\(word)\".", nearest.map { "Did you mean \($0)?" })
  }

  private static func sign(_ sign: PredicateToken.Sign) -> (String, String?) {
    if let instead = synonyms[sign.rawValue] {
      return ("There is no operator \"\(sign.rawValue)\".", "Did you mean \(instead)?")
    }
    switch sign {
    case .assign:
      return ("A predicate can't assign.", "To compare, write ==; to change rows, see update.")
    case .openParenthesis:
      return (
        "Only functions take parentheses.", "A function is called by its name: uppercase(name)."
      )
    case .closeParenthesis:
      return ("There is no \"(\" for this \")\".", nil)
    default:
      return ("Expected an operator, found \"\(sign.rawValue)\".", nil)
    }
  }

  /// Returns the failure at `token`, where a value is expected.
  static func noValue(_ token: PredicateToken) -> PredicateFailure {
    let hint: String? =
      switch token.kind {
      case .sign(.percent):
        "Write the value or path itself, or a variable such as $name that is bound to a value."
      case .sign(.at): "Write the collection before it, as in items.@count."
      case .sign(.dot): "Write a digit before the point."
      case .sign(.not): "Put a negated operand in parentheses."
      case .word(let word) where NameSyntax.keyword(word) == "NOT":
        "Put a negated operand in parentheses."
      case .word(let word): "For an attribute of that name, write #\(word)."
      default: nil
      }
    return token.failure("Expected a value, found \(token.description).")
      .hint(hint)
  }

  /// Returns the failure that `word` can't be called as a function.
  static func noFunction(_ word: String, at offset: Int) -> PredicateFailure {
    switch NameSyntax.keyword(word) {
    case "FUNCTION":
      return PredicateFailure(
        "FUNCTION can't be used: the service has no methods to call.",
        at: offset
      ).hint("Call one of the functions by its name, such as uppercase(name).")
    case "FETCH":
      return PredicateFailure("FETCH can't be used in a predicate.", at: offset)
        .hint("Follow a relationship: SUBQUERY(items, $item, …).")
    case "DISTANCETOLOCATION:FROMLOCATION:":
      return PredicateFailure("There are no locations to measure between.", at: offset)
        .hint("Compare the coordinates: lat BETWEEN {47, 48} AND lon BETWEEN {8, 9}.")
    default:
      return PredicateFailure("There is no function \"\(word)\".", at: offset)
        .hint(
          Spelling.hint(for: word, in: PredicateFunction.names) { "\($0)()" }
            ?? "See the functions in describe, such as uppercase(), length(), sum(), and CAST()."
        )
    }
  }
}

extension QueryExpression.TextTest {
  /// The word for the test.
  var word: String {
    switch self {
    case .begins: "BEGINSWITH"
    case .ends: "ENDSWITH"
    case .contains, .like, .matches: rawValue.uppercased()
    }
  }
}
