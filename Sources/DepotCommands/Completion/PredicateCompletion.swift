internal import DepotProtocol

/// The completion of predicates.
enum PredicateCompletion {
  private static let comparisons = [
    "==", "!=", "<", "<=", ">", ">=", "BEGINSWITH", "CONTAINS", "ENDSWITH", "LIKE", "MATCHES", "IN",
    "BETWEEN", "IS",
  ]
  private static let links = ["AND", "OR"]
  private static let beginnings = [
    "NOT", "ANY", "ALL", "NONE", "SUBQUERY(", "SELF", "TRUEPREDICATE", "FALSEPREDICATE",
  ]
  private static let values = ["NULL", "TRUE", "FALSE", "now()", "CAST("]
  private static let functions = ["uppercase(", "lowercase(", "length(", "abs(", "TERNARY("]

  /// Returns `text` with each possible word at its end.
  static func candidates(_ text: String, of entity: Entity, _ schema: Schema) -> [Candidate] {
    guard let (before, word) = split(text) else { return [] }
    let state = Expectation(before)
    var words: [Candidate] = []
    switch state {
    case .comparison: words = matching(word, comparisons + links)
    case .link: words = matching(word, links)
    case .entity: words = matching(word, schema.entities.map(\.name))
    case .operand(let isValue):
      words = PathCompletion.candidates(word, of: entity, schema)
      // Before anything is typed, not every word of the language is shown.
      if !word.isEmpty || words.isEmpty {
        words += matching(word, isValue ? values : beginnings)
        words += matching(word, functions)
      } else if !isValue {
        words += beginnings.prefix(4).map { Candidate(text: $0) }
      }
    }
    return words.map { $0.following(before) }
  }

  private static func matching(_ word: Substring, _ candidates: [String]) -> [Candidate] {
    let isLower = word.first?.isLowercase ?? false
    return candidates.filter { $0.lowercased().hasPrefix(word.lowercased()) }.map { candidate in
      // The typed beginning keeps its case.
      let rest = candidate.dropFirst(word.count)
      return Candidate(text: word + (isLower ? rest.lowercased() : String(rest)))
    }
  }

  /// Splits a text before its last word; `nil` if it ends within a string.
  private static func split(_ text: String) -> (before: String, word: Substring)? {
    var quote: Character?
    var isEscaped = false
    for character in text {
      if isEscaped {
        isEscaped = false
      } else if character == "\\", quote != nil {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      }
    }
    guard quote == nil else { return nil }
    var start = text.endIndex
    while start > text.startIndex {
      let before = text.index(before: start)
      guard NameSyntax.continues(text[before]) || ".@$".contains(text[before]) else { break }
      start = before
    }
    if start < text.endIndex, text[start].isNumber { return nil }
    if start == text.endIndex, let sign = text.last, "=!<>".contains(sign) {
      return signs(text)
    }
    return (String(text[..<start]), text[start...])
  }

  /// Splits a text before the operator at its end.
  private static func signs(_ text: String) -> (before: String, word: Substring) {
    let count = text.reversed().prefix { "=!<>".contains($0) }.count
    let start = text.index(text.endIndex, offsetBy: -count)
    return (String(text[..<start]), text[start...])
  }

  /// The kind of the next word in a predicate.
  private enum Expectation {
    case operand(isValue: Bool)
    case comparison
    case link
    case entity

    init(_ text: String) {
      var isCompared = false
      var last = ""
      for token in Self.tokens(text) {
        switch token.uppercased() {
        case "AND", "OR", "&&", "||", "(", ",", "NOT", "!": isCompared = false
        case let word where PredicateCompletion.comparisons.contains(word) || word == "=":
          isCompared = true
        default: break
        }
        last = token.uppercased()
      }
      switch last {
      case "IS", "AS": self = .entity
      case "", "AND", "OR", "&&", "||", "(", ",", "NOT", "!", "{", "ANY", "ALL", "NONE", "SOME":
        self = .operand(isValue: false)
      case let word where PredicateCompletion.comparisons.contains(word) || word == "=":
        self = .operand(isValue: true)
      case "+", "-", "*", "/", "%": self = .operand(isValue: isCompared)
      default: self = isCompared ? .link : .comparison
      }
    }

    /// Returns the words, strings, and signs of a text, roughly.
    private static func tokens(_ text: String) -> [String] {
      var tokens: [String] = []
      var rest = text[...]
      while let first = rest.first {
        if first.isWhitespace {
          rest.removeFirst()
        } else if first == "'" || first == "\"" {
          let end = rest.dropFirst().firstIndex(of: first) ?? rest.index(before: rest.endIndex)
          tokens.append("\"\"")
          rest = rest[rest.index(after: end)...]
        } else if first == "[" {
          rest = rest.drop { $0 != "]" }.dropFirst()
        } else {
          let isWord: (Character) -> Bool = { NameSyntax.continues($0) || ".@$".contains($0) }
          let isSign: (Character) -> Bool = { "=!<>&|".contains($0) }
          var token = rest.prefix(while: isWord(first) ? isWord : isSign)
          if token.isEmpty { token = rest.prefix(1) }
          tokens.append(String(token))
          rest = rest.dropFirst(token.count)
        }
      }
      return tokens
    }
  }
}
