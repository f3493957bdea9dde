/// A word, literal, or sign of a predicate's text.
struct PredicateToken: Hashable {
  enum Kind: Hashable {
    /// A keyword, a function, or an attribute, whichever its place makes it.
    case word(String)
    /// A name after `#`, which is never a keyword.
    case name(String)
    /// A name after `$`, with it; `$#1` is the element of a collection that has no name.
    case variable(String)
    case string(String)
    /// A whole number without its sign, so that the smallest one can be read.
    case integer(UInt64)
    case double(Double)
    case sign(Sign)
    case end
  }

  /// The signs, longest first where one begins another.
  ///
  /// Some are known only to be refused with advice.
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
  /// The number of bytes before the token.
  var offset: Int

  /// The word in upper case, or `nil` if this isn't one.
  var keyword: String? {
    if case .word(let text) = kind { NameSyntax.keyword(text) } else { nil }
  }

  /// The constant that the token is if it is a keyword that stands for one.
  var constant: QueryExpression? { keyword.flatMap { PredicateAdvice.constants[$0] } }

  /// The name that the token is where a keyword means nothing, or `nil`.
  var name: String? {
    switch kind {
    case .word(let text), .name(let text): text
    default: nil
    }
  }

  /// Returns the failure that something is wrong with the token.
  func failure(_ message: String) -> PredicateFailure { PredicateFailure(message, at: offset) }

  /// The token as an error names it.
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
