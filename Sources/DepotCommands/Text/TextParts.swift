extension StringProtocol {
  /// Splits the text at each separator outside of quotation marks, and optionally of brackets.
  func parts(
    at separator: Character,
    brackets: Bool = false
  ) -> [String] {
    var parts = [""]
    var depth = 0
    var quote: Character?
    for character in self {
      if let open = quote {
        if character == open { quote = nil }
      } else if "'\"".contains(character) {
        quote = character
      } else if brackets, "([{".contains(character) {
        depth += 1
      } else if brackets, ")]}".contains(character) {
        depth -= 1
      } else if character == separator, depth <= 0 {
        parts.append("")
        continue
      }
      parts[parts.count - 1].append(character)
    }
    return parts
  }

  /// Returns the text without the spaces around it.
  func trimmed() -> String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
