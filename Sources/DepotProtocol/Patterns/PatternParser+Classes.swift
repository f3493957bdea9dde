extension PatternParser {
  /// Reads the rest of a class in brackets.
  mutating func classSet(at start: Int) throws(PatternFailure) -> ScalarSet {
    try descend(at: start)
    defer { depth -= 1 }
    let isNegated = take("^")
    var result = try members(start)
    while !take("]") {
      let isDifference = isNext("--")
      guard isDifference || isNext("&&") else {
        throw PatternFailure("The class isn't closed that begins", at: start)
          .hint("Add the ], or write \\[ for the character itself.")
      }
      position += 2
      let right = try members(start)
      result = .intersection(result, isDifference ? .complement(right) : right)
    }
    return isNegated ? .complement(result) : result
  }

  private func isNext(_ text: StaticString) -> Bool {
    text.withUTF8Buffer { bytes in
      position + bytes.count <= scalars.count
        && bytes.indices.allSatisfy { scalars[position + $0].value == UInt32(bytes[$0]) }
    }
  }

  /// Reads members up to an operation or the end.
  private mutating func members(_ start: Int) throws(PatternFailure) -> ScalarSet {
    var sets: [ScalarSet] = []
    while let scalar = peek, scalar != "]", !isNext("&&"), !isNext("--") {
      let place = position
      switch try member() {
      case .set(let set): sets.append(set)
      case .scalar(let first): sets.append(try range(from: first, place))
      }
    }
    guard !sets.isEmpty else {
      throw PatternFailure(
        peek == nil ? "The class isn't closed that begins" : "A class or a part of it is empty",
        at: peek == nil ? start : position
      ).hint("Write \\] and \\- for the characters themselves.")
    }
    return sets.count == 1 ? sets[0] : .union(sets)
  }

  /// Reads the end of a range, if it is one.
  private mutating func range(
    from first: Unicode.Scalar,
    _ place: Int
  ) throws(PatternFailure) -> ScalarSet {
    guard peek == "-", let second = peekSecond, second != "]", second != "-" else {
      return literal(first)
    }
    position += 1
    guard case .scalar(let last) = try member() else {
      throw PatternFailure("A range has no last character", at: place)
        .hint("Write \\- for a hyphen, and -- for a difference as in [a-z--[aeiou]].")
    }
    guard first <= last else {
      throw PatternFailure("The first character of a range comes after the last", at: place)
        .hint("Swap them; the order is that of code points.")
    }
    let set = ScalarSet.range(first, last)
    return flags.ignoresCase ? .anyCase(set) : set
  }

  private mutating func member() throws(PatternFailure) -> Item {
    let start = position
    guard let scalar = next() else {
      throw PatternFailure("The class isn't closed", at: start).hint("Add the ].")
    }
    switch scalar {
    case "\\": return try item(at: start, isInClass: true)
    case "[": return .set(try peek == ":" ? posixSet(start) : classSet(at: start))
    case "-" where peek == "[":
      throw PatternFailure("A hyphen before [ isn't clear", at: start)
        .hint("Write -- for a difference, as in [a-z--[aeiou]], and \\- for the character itself.")
    default: return .scalar(scalar)
    }
  }

  /// Reads the rest of `[:name:]` or `[:^name:]`.
  private mutating func posixSet(_ start: Int) throws(PatternFailure) -> ScalarSet {
    position += 1
    let isNegated = take("^")
    var name = ""
    while let scalar = next(), scalar != ":" { name.unicodeScalars.append(scalar) }
    guard take("]"), let set = ScalarProperty.posix(name) else {
      throw PatternFailure("There is no class [:\(name):]", at: start)
        .hint(
          "There are alpha, digit, alnum, upper, lower, space, blank, punct, cntrl, graph, print, "
            + "xdigit, word, and ascii."
        )
    }
    return isNegated ? .complement(set) : set
  }
}
