/// A parser of regular expressions.
struct PatternParser {
  /// The maximal nesting of groups and classes.
  static let depthLimit = 100
  /// The maximal count of a repetition.
  static let countLimit = 10_000

  let scalars: [Unicode.Scalar]
  var position = 0
  var flags: PatternFlags
  var depth = 0
  /// Whether the position is between `\Q` and `\E`.
  private var isQuoting = false

  private init(_ pattern: String, _ flags: PatternFlags) {
    scalars = Array(pattern.unicodeScalars)
    self.flags = flags
  }

  /// Reads a whole pattern.
  ///
  /// - Throws: ``PatternFailure`` if it isn't well formed or isn't regular.
  static func parse(
    _ pattern: String,
    _ flags: PatternFlags = PatternFlags()
  ) throws(PatternFailure) -> PatternNode {
    var parser = PatternParser(pattern, flags)
    let node = try parser.alternation()
    guard parser.peek == nil else {
      throw PatternFailure("There is a ) without its (", at: parser.position)
        .hint("Write \\) for a bracket that is meant as text.")
    }
    return node
  }

  var peek: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  /// The scalar after the next one.
  var peekSecond: Unicode.Scalar? {
    position + 1 < scalars.count ? scalars[position + 1] : nil
  }

  /// Skips a scalar if it is the next one.
  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard peek == scalar else { return false }
    position += 1
    return true
  }

  mutating func next() -> Unicode.Scalar? {
    defer { position += 1 }
    return peek
  }

  /// Enters one level of nesting; the caller leaves it.
  mutating func descend(at offset: Int) throws(PatternFailure) {
    depth += 1
    guard depth <= Self.depthLimit else {
      throw PatternFailure(
        "There are over \(Self.depthLimit) groups or classes in each other",
        at: offset
      ).hint("Leave out brackets that aren't needed.")
    }
  }

  mutating func alternation() throws(PatternFailure) -> PatternNode {
    var branches = [try sequence()]
    while take("|") { branches.append(try sequence()) }
    return branches.count == 1 ? branches[0] : .alternation(branches)
  }

  private mutating func sequence() throws(PatternFailure) -> PatternNode {
    var parts: [PatternNode] = []
    while true {
      skipIgnored()
      guard let scalar = peek else { break }
      if !isQuoting, scalar == "|" || scalar == ")" { break }
      if let atom = try atom() { parts.append(try repeated(atom)) }
    }
    return parts.count == 1 ? parts[0] : .sequence(parts)
  }

  /// Skips white space and comments where they are ignored.
  private mutating func skipIgnored() {
    guard flags.isExtended, !isQuoting else { return }
    while let scalar = peek {
      if scalar == "#" {
        while let scalar = next(), scalar != "\n" {}
        position = min(position, scalars.count)
      } else if scalar.properties.isPatternWhitespace {
        position += 1
      } else {
        return
      }
    }
  }

  /// Reads an element that can be repeated; `nil` after an item that matches nothing.
  private mutating func atom() throws(PatternFailure) -> PatternNode? {
    let start = position
    guard let scalar = next() else { return nil }
    if scalar == "\\", take("E") {
      isQuoting = false
      return nil
    }
    if isQuoting {
      let node = PatternNode.set(literal(scalar))
      if peek == "\\", peekSecond == "E" {
        position += 2
        isQuoting = false
      }
      return node
    }
    switch scalar {
    case "\\":
      if take("Q") {
        isQuoting = true
        return nil
      }
      return try escape(at: start)
    case "(": return try group(at: start)
    case "[": return .set(try classSet(at: start))
    case ".": return .set(flags.dotIsAny ? .any : .complement(.property(.newline)))
    case "^": return .assertion(flags.isMultiline ? .lineStart : .textStart)
    case "$": return .assertion(flags.isMultiline ? .lineEnd : .textEnd)
    case "*", "+", "?", "{":
      throw PatternFailure("There is nothing to repeat before \(scalar)", at: start)
        .hint("Write \\\(scalar) for the character itself.")
    default: return .set(literal(scalar))
    }
  }

  func literal(_ scalar: Unicode.Scalar) -> ScalarSet {
    .literal(scalar, ignoresCase: flags.ignoresCase)
  }

  /// Reads the count of a repeated part.
  private mutating func repeated(_ atom: PatternNode) throws(PatternFailure) -> PatternNode {
    skipIgnored()
    let start = position
    guard !isQuoting, let (least, most) = try count() else { return atom }
    // Greedy and lazy repetitions make no difference if the whole text must match.
    if !take("?"), peek == "+" {
      throw .notRegular("a possessive repetition", at: start)
        .hint("Leave out the + behind it: no repetition takes longer for being greedy.")
    }
    skipIgnored()
    if let scalar = peek, "*+?{".unicodeScalars.contains(scalar) {
      throw PatternFailure("A repetition follows a repetition", at: position)
        .hint("Put the first one into brackets, as in (?:a{2})*.")
    }
    return .repetition(atom, least: least, most: most, offset: start)
  }

  private mutating func count() throws(PatternFailure) -> (Int, Int?)? {
    let start = position
    if take("*") { return (0, nil) }
    if take("+") { return (1, nil) }
    if take("?") { return (0, 1) }
    guard take("{") else { return nil }
    let least = try number(start)
    var most = least
    let isOpen = take(",")
    if isOpen { most = try number(start) }
    guard take("}"), least != nil || most != nil else {
      throw PatternFailure("There is a { that begins no count", at: start)
        .hint("Counts are {2}, {2,}, {,3}, and {2,3}. Write \\{ for the character itself.")
    }
    if let least, let most, most < least {
      throw PatternFailure("The least count is above the greatest", at: start).hint("Swap them.")
    }
    return (least ?? 0, most)
  }

  private mutating func number(_ start: Int) throws(PatternFailure) -> Int? {
    var result: Int?
    while let digit = peek, digit.value &- 0x30 < 10 {
      result = (result ?? 0) * 10 + Int(digit.value - 0x30)
      position += 1
      if let result, result > Self.countLimit {
        throw PatternFailure("A count is above \(Self.countLimit)", at: start)
          .hint("Write * or {1,} for a part that may occur any number of times.")
      }
    }
    return result
  }
}
