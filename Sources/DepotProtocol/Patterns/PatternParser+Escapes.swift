extension PatternParser {
  /// The scalars that an escape or a part of a class names.
  enum Item {
    case scalar(Unicode.Scalar)
    case set(ScalarSet)
  }

  /// Reads the rest of an escape outside of classes, after its backslash.
  mutating func escape(at start: Int) throws(PatternFailure) -> PatternNode {
    switch peek {
    case "b": return assertion(.wordBoundary)
    case "B": return assertion(.noWordBoundary)
    case "A": return assertion(.textStart)
    case "z": return assertion(.textEnd)
    case "Z": return assertion(.lastLineEnd)
    case "R":
      position += 1
      let newline = PatternNode.set(.property(.newline))
      return .alternation([.sequence([.set(.one("\r")), .set(.one("\n"))]), newline])
    case .some("1"..."9"), "k": throw Self.backReference(start)
    case "g":
      throw .notRegular("a reference to a group", at: start)
        .hint("Write the group's content again, or the alternatives out.")
    case "X":
      throw .notRegular("\\X", at: start)
        .hint("Write (?:\\P{M}\\p{M}*) for a letter with its marks.")
    case "G", "K", "C":
      throw .notRegular("\\\(scalars[position])", at: start)
        .hint("The whole text is matched, so leave it out.")
    default: break
    }
    switch try item(at: start, isInClass: false) {
    case .scalar(let scalar): return .set(literal(scalar))
    case .set(let set): return .set(set)
    }
  }

  private mutating func assertion(_ assertion: PatternAssertion) -> PatternNode {
    position += 1
    return .assertion(assertion)
  }

  /// The sets by their letters; an uppercase letter is the complement.
  private static let sets: [String: ScalarProperty] = [
    "d": .digit, "w": .word, "s": .whitespace, "h": .blank, "v": .newline,
  ]

  private static let characters: [Unicode.Scalar: Unicode.Scalar] = [
    "n": "\n", "t": "\t", "r": "\r", "f": "\u{C}", "e": "\u{1B}", "a": "\u{7}",
  ]

  /// Reads the rest of an escape that stands for one scalar of the text.
  mutating func item(at start: Int, isInClass: Bool) throws(PatternFailure) -> Item {
    guard let scalar = next() else {
      throw PatternFailure("There is a backslash at the end", at: start)
        .hint("Write \\\\ for the character itself.")
    }
    if let property = Self.sets[String(scalar).lowercased()] {
      let set = ScalarSet.property(property)
      return .set(scalar.properties.isUppercase ? .complement(set) : set)
    }
    if let character = Self.characters[scalar] { return .scalar(character) }
    switch scalar {
    case "N" where peek != "{": return .set(.complement(.property(.newline)))
    case "p", "P":
      let set = try property(start)
      return .set(scalar == "P" ? .complement(set) : set)
    case "b" where isInClass: return .scalar("\u{8}")
    case "0": return .scalar(try code(radix: 8, 0...3, start))
    case "x":
      return .scalar(try peek == "{" ? bracedCode(start) : code(radix: 16, 1...2, start))
    case "u":
      return .scalar(try peek == "{" ? bracedCode(start) : code(radix: 16, 4...4, start))
    case "U": return .scalar(try code(radix: 16, 8...8, start))
    case "c":
      if let control = next(), control.isASCII, (control.value | 0x20) &- 0x61 < 26 {
        return .scalar(Unicode.Scalar(UInt8(control.value & 0x1F)))
      }
      throw PatternFailure("There is no letter behind \\c", at: start)
    default: break
    }
    let isLetterOrDigit =
      scalar.isASCII && ((scalar.value | 0x20) &- 0x61 < 26 || scalar.value &- 0x30 < 10)
    if isLetterOrDigit {
      throw PatternFailure(
        "There is no escape \\\(scalar)" + (isInClass ? " in a class" : ""),
        at: start
      ).hint("Write \(scalar) for the character itself, and \\\\ for a backslash.")
    }
    return .scalar(scalar)
  }

  private mutating func bracedCode(_ start: Int) throws(PatternFailure) -> Unicode.Scalar {
    position += 1
    let scalar = try code(radix: 16, 1...8, start)
    guard take("}") else { throw Self.noCode(start) }
    return scalar
  }

  private mutating func code(
    radix: UInt64,
    _ lengths: ClosedRange<Int>,
    _ start: Int
  ) throws(PatternFailure) -> Unicode.Scalar {
    var value: UInt64 = 0
    var count = 0
    while count < lengths.upperBound, let digit = peek.flatMap({ Character($0).hexDigitValue }),
      digit < radix
    {
      value = value * radix + UInt64(digit)
      count += 1
      position += 1
    }
    guard count >= lengths.lowerBound,
      let scalar = UInt32(exactly: value).flatMap(Unicode.Scalar.init)
    else { throw Self.noCode(start) }
    return scalar
  }

  private static func noCode(_ start: Int) -> PatternFailure {
    PatternFailure("There is no code point in the escape", at: start)
      .hint("Write two digits as in \\xE9, four as in \\u00E9, or any number as in \\x{1F600}.")
  }

  private mutating func property(_ start: Int) throws(PatternFailure) -> ScalarSet {
    var name = ""
    if take("{") {
      while let scalar = next(), scalar != "}" { name.unicodeScalars.append(scalar) }
      guard position <= scalars.count else {
        throw PatternFailure("The } is missing of the property", at: start)
      }
    } else if let scalar = next() {
      name.unicodeScalars.append(scalar)
    }
    let isNegated = name.hasPrefix("^")
    if isNegated { name.removeFirst() }
    guard let property = ScalarProperty(name: name) else {
      throw PatternFailure("There is no property \(name.debugDescription)", at: start)
        .hint(
          "General categories are known, as in \\p{L} and \\p{Lu}, and properties such as "
            + "\\p{Alphabetic}; write ranges for scripts, as in [\\u0400-\\u04FF]."
        )
    }
    let set = ScalarSet.property(property)
    return isNegated ? .complement(set) : set
  }
}
