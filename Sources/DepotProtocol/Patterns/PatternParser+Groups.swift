extension PatternParser {
  /// Reads the rest of a group; `nil` if it only sets flags or is a comment.
  mutating func group(at start: Int) throws(PatternFailure) -> PatternNode? {
    let outer = flags
    if peek == "*" {
      throw .notRegular("a verb", at: start).hint("Write \\* for the character itself.")
    }
    if take("?") {
      guard try isPlain(start) else { return nil }
    }
    try descend(at: start)
    let node = try alternation()
    guard take(")") else {
      throw PatternFailure("The group isn't closed that begins", at: start)
        .hint("Add the ), or write \\( for the character itself.")
    }
    depth -= 1
    flags = outer
    return node
  }

  /// Reads the text after `(?` and tells whether a group's content follows.
  private mutating func isPlain(_ start: Int) throws(PatternFailure) -> Bool {
    switch peek {
    case ":":
      position += 1
      return true
    case "#":
      while let scalar = next() { if scalar == ")" { return false } }
      throw PatternFailure("The comment isn't closed that begins", at: start).hint("Add the ).")
    case "<" where peekSecond == "=" || peekSecond == "!":
      throw .notRegular("a look-behind", at: start)
        .hint("Write a second condition instead, as in a MATCHES '…' AND NOT a MATCHES '…'.")
    case "=", "!":
      throw .notRegular("a look-ahead", at: start)
        .hint("Write a second condition instead, as in a MATCHES '…' AND NOT a MATCHES '…'.")
    case "<", "'":
      let end: Unicode.Scalar = next() == "<" ? ">" : "'"
      try skipName(until: end, start)
      return true
    case "P" where peekSecond == "<":
      position += 2
      try skipName(until: ">", start)
      return true
    case "P" where peekSecond == "=":
      throw Self.backReference(start)
    case ">":
      throw .notRegular("an atomic group", at: start)
        .hint("Write (?:…): no group takes longer for being tried again.")
    case "|":
      throw .notRegular("a branch reset", at: start).hint("Write (?:…): nothing is captured.")
    case "(":
      throw .notRegular("a conditional", at: start)
        .hint("Write the alternatives out, as in (?:a…|b…).")
    case "R", "&", "P", "+", .some("0"..."9"):
      throw .notRegular("a recursion", at: start)
        .hint("Write the group's content again, as deep as it is needed.")
    default: return try isFlagsOfGroup(start)
    }
  }

  static func backReference(_ start: Int) -> PatternFailure {
    .notRegular("a back reference", at: start)
      .hint("Write the alternatives out, as in '(?:\"[^\"]*\"|`[^`]*`)'.")
  }

  private mutating func skipName(
    until end: Unicode.Scalar,
    _ start: Int
  ) throws(PatternFailure) {
    var isEmpty = true
    while let scalar = next() {
      if scalar == end, !isEmpty { return }
      guard ScalarProperty.isWord(scalar) else { break }
      isEmpty = false
    }
    throw PatternFailure("There is no name of a group, as in (?<name>…),", at: start)
      .hint("Names are letters, digits, and _.")
  }

  /// Reads flags as in `(?i)` and `(?i-s:…)`.
  private mutating func isFlagsOfGroup(_ start: Int) throws(PatternFailure) -> Bool {
    var isOn = true
    while let scalar = next() {
      switch scalar {
      case "-" where isOn: isOn = false
      case "i": flags.ignoresCase = isOn
      case "s": flags.dotIsAny = isOn
      case "m": flags.isMultiline = isOn
      case "x" where peek != "x": flags.isExtended = isOn
      // Nothing is captured, and patterns are about scalars anyway.
      case "n", "u": break
      case ":": return true
      case ")": return false
      default:
        throw PatternFailure("There is no flag or kind of group (?\(scalar)", at: start)
          .hint("The flags are i, s, m, and x, as in (?i) and (?i-s:…).")
      }
    }
    throw PatternFailure("The group isn't closed that begins", at: start).hint("Add the ).")
  }
}
