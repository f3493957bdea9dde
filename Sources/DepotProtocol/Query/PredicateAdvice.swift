/// What to tell people who wrote something that isn't available or misspelt.
enum PredicateAdvice {
  /// The operators that are words.
  static let operators: [String: PredicateOperator] = [
    "AND": .and, "OR": .or, "BETWEEN": .between, "IN": .in, "CONTAINS": .text(.contains),
    "BEGINSWITH": .text(.begins), "ENDSWITH": .text(.ends), "LIKE": .text(.like),
    "MATCHES": .text(.matches),
  ]

  /// The words that can't name an attribute unless `#` stands before them.
  static let reserved: Set<String> = Set(operators.keys).union([
    "NOT", "TRUEPREDICATE", "FALSEPREDICATE", "NULL", "NIL", "TRUE", "YES", "FALSE", "NO", "SELF",
    "ANY", "SOME", "ALL", "NONE",
  ])

  /// The words before a collection, for which there are no collections yet.
  static let quantifiers: Set<String> = ["ANY", "SOME", "ALL", "NONE"]

  private static let synonyms = [
    "IS": "==", "EQUALS": "==", "EQ": "==", "NE": "!=", "LT": "<", "LE": "<=", "GT": ">",
    "GE": ">=", "STARTSWITH": "BEGINSWITH", "STARTS": "BEGINSWITH", "BEGINS": "BEGINSWITH",
    "ENDS": "ENDSWITH", "HAS": "CONTAINS", "INCLUDES": "CONTAINS", "REGEXP": "MATCHES",
    "ILIKE": "LIKE[c]", "ADN": "AND",
  ]

  /// Returns the failure at `token`, which stands where an operator should.
  static func noOperator(_ token: PredicateToken) -> PredicateFailure {
    let advice: (message: String, hint: String?) =
      switch token.kind {
      case .word(let word): self.word(word)
      case .sign(let sign): self.sign(sign)
      default: ("Expected an operator, found \(token.description).", nil)
      }
    return PredicateFailure(advice.message, hint: advice.hint, at: token.offset)
  }

  private static func word(_ word: String) -> (String, String?) {
    let keyword = word.uppercased()
    if keyword == "NOT" {
      return ("NOT can't stand here.", "Write NOT before the whole comparison: NOT a IN {1, 2}.")
    }
    let nearest = synonyms[keyword] ?? Spelling.nearest(to: keyword, in: operators.keys.sorted())
    return ("There is no operator \"\(word)\".", nearest.map { "Did you mean \($0)?" })
  }

  private static func sign(_ sign: PredicateToken.Sign) -> (String, String?) {
    let instead: String? =
      switch sign {
      case .tripleEqual: "=="
      case .bangAfterEqual: "!="
      case .equalTilde: "MATCHES"
      case .ampersand: "&&"
      case .bar: "||"
      default: nil
      }
    if let instead {
      return ("There is no operator \"\(sign.rawValue)\".", "Did you mean \(instead)?")
    }
    switch sign {
    case .power, .percent, .assign:
      return ("The operator \(sign.rawValue) isn't available yet.", nil)
    case .dot, .at:
      return (
        "Key paths and collection operators such as @count aren't available yet.",
        "An attribute is named by itself."
      )
    case .openBracket:
      return ("Indexes in brackets aren't available yet.", nil)
    case .openParenthesis:
      return ("Only now() and CAST() take parentheses.", nil)
    case .closeParenthesis:
      return ("There is no \"(\" for this \")\".", nil)
    default:
      return ("Expected an operator, found \"\(sign.rawValue)\".", nil)
    }
  }

  /// Returns the failure at `token`, which stands where a value should.
  static func noValue(_ token: PredicateToken) -> PredicateFailure {
    let hint: String? =
      switch token.kind {
      case .sign(.openBrace): "A list stands only after IN and BETWEEN."
      case .sign(.percent): "Write the value itself; arguments such as %@ aren't available."
      case .sign(.at): "Collection operators such as @count aren't available yet."
      case .sign(.dot): "Write a digit before the point."
      case .sign(.not): "Put a negated operand in parentheses."
      case .word(let word) where word.uppercased() == "NOT":
        "Put a negated operand in parentheses."
      case .word(let word): "For an attribute of that name, write #\(word)."
      default: nil
      }
    return PredicateFailure(
      "Expected a value, found \(token.description).",
      hint: hint,
      at: token.offset
    )
  }

  /// Returns the failure that `word` can't be called as a function.
  static func noFunction(_ word: String, at offset: Int) -> PredicateFailure {
    switch word.uppercased() {
    case "SUBQUERY", "TERNARY", "FUNCTION", "FETCH":
      PredicateFailure("\(word.uppercased()) isn't available yet.", at: offset)
    default:
      PredicateFailure(
        "There is no function \"\(word)\".",
        hint: "The functions are now() and CAST().",
        at: offset
      )
    }
  }
}
