/// A word, literal, or sign of a predicate's text.
struct PredicateToken: Hashable {
  enum Kind: Hashable {
    /// A keyword, a function, or an attribute, depending on its position.
    case word(String)
    /// A name after `#`, which is never a keyword.
    case name(String)
    /// A variable with its `$`; `$#1` is a generated name for an element.
    case variable(String)
    case string(String)
    /// A whole number without its sign, so that the smallest one can be read.
    case integer(UInt64)
    case double(Double)
    case sign(Sign)
    case end
  }

  /// The signs; a sign comes before its prefixes.
  ///
  /// Some are recognized only for better error messages.
  enum Sign: String, CaseIterable {
    case tripleEqual = "==="
    case doubleEqual = "=="
    case notEqual = "!="
    case bangAfterEqual = "=!"
    case equalTilde = "=~"
    case angles = "<>"
    case lessOrEqual = "<="
    case equalLess = "=<"
    case greaterOrEqual = ">="
    case equalGreater = "=>"
    case and = "&&"
    case or = "||"
    case power = "**"
    case assign = ":="
    case equal = "="
    case not = "!"
    case less = "<"
    case greater = ">"
    case plus = "+"
    case minus = "-"
    case star = "*"
    case slash = "/"
    case openParenthesis = "("
    case closeParenthesis = ")"
    case openBrace = "{"
    case closeBrace = "}"
    case openBracket = "["
    case closeBracket = "]"
    case comma = ","
    case colon = ":"
    case dot = "."
    case at = "@"
    case percent = "%"
    case ampersand = "&"
    case bar = "|"
  }

  var kind: Kind
  /// The offset of the token in bytes.
  var offset: Int

  /// The word in upper case, or `nil` if this isn't one.
  var keyword: String? {
    if case .word(let text) = kind { NameSyntax.keyword(text) } else { nil }
  }

  /// The constant that the keyword stands for, or `nil`.
  var constant: QueryExpression? { keyword.flatMap { PredicateAdvice.constants[$0] } }

  /// The name, where keywords have no meaning, or `nil`.
  var name: String? {
    switch kind {
    case .word(let text), .name(let text): text
    default: nil
    }
  }

  /// Returns a failure at the token.
  func failure(_ message: String) -> PredicateFailure { PredicateFailure(message, at: offset) }

  /// The token in error messages.
  var description: String {
    switch kind {
    case .word(let text): "\"\(text)\""
    case .name(let text): "\"#\(text)\""
    case .variable(let text): "\"\(text)\""
    case .string: "a string"
    case .integer, .double: "a number"
    case .sign(let sign): "\"\(sign.rawValue)\""
    case .end: "the end"
    }
  }
}
