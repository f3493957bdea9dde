@_spi(_Unicode) internal import Swift

/// The form of the names of entities, attributes, and relationships.
///
/// Names consist of letters, digits, and underscores as in Unicode's annex 31: an XID_Start scalar
/// or an underscore, then XID_Continue scalars. Schemas have them in normal form C. Elsewhere names
/// may have any form, since Swift's strings are equal if they are canonically equivalent.
package enum NameSyntax {
  /// Whether `text` is letters, digits, and underscores, and doesn't begin with a digit.
  package static func isName(_ text: some StringProtocol) -> Bool {
    guard let first = text.utf8.first, first &- 0x30 >= 10 else { return false }
    for byte in text.utf8 {
      if byte >= 0x80 { return isUnicodeName(text) }
      guard isPlain(byte) else { return false }
    }
    return true
  }

  private static func isUnicodeName(_ text: some StringProtocol) -> Bool {
    guard let first = text.unicodeScalars.first, begins(first) else { return false }
    return text.unicodeScalars.allSatisfy { continues($0) }
  }

  /// Whether a letter, a digit, or an underscore of ASCII.
  @inline(__always)
  private static func isPlain(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "_")
  }

  /// Whether a name can begin with a scalar.
  static func begins(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isXIDStart
  }

  /// Whether a scalar may follow in a name.
  static func continues(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isXIDContinue }

  /// Whether a character may follow in a name.
  package static func continues(_ character: Character) -> Bool {
    character.unicodeScalars.allSatisfy { continues($0) }
  }

  /// Returns a name in normal form C.
  package static func normalized(_ name: String) -> String {
    guard !isASCII(name) else { return name }
    var composed = String.UnicodeScalarView()
    composed.append(contentsOf: name._nfc)
    return String(composed)
  }

  static func isNormalized(_ name: String) -> Bool {
    isASCII(name) || name.unicodeScalars.elementsEqual(name._nfc)
  }

  static let normalForm =
    "Write it in Unicode's normal form C, in which letters and their marks are one."

  /// Returns the lowercase form, which is the same for names that count as equal.
  ///
  /// SQLite treats names as equal that differ only in the case of ASCII letters; these are equal
  /// here too.
  package static func folded(_ name: String) -> String { name.lowercased() }

  /// Returns a word in upper case, to look keywords up.
  ///
  /// Keywords are ASCII. Other letters whose upper case is ASCII don't count: `ın` isn't `IN`.
  package static func keyword(_ word: some StringProtocol) -> String {
    isASCII(word) ? word.uppercased() : String(word)
  }

  private static func isASCII(_ text: some StringProtocol) -> Bool {
    text.utf8.allSatisfy { $0 < 0x80 }
  }

  /// Whether a name is allowed in a schema.
  package static func isUsable(_ name: String) -> Bool { problem(with: name) == nil }

  /// Returns a hint why a name isn't allowed in a schema; `nil` if it is.
  static func problem(with name: String) -> String? {
    guard 1...Limits.nameBytes ~= name.utf8.count else {
      return name.isEmpty
        ? "A name has at least one letter or underscore."
        : "A name has at most \(Limits.nameBytes) bytes of UTF-8; this one has \(name.utf8.count)."
    }
    guard isName(name) else { return stranger(in: name) }
    if isASCII(name) { return nil }
    guard isNormalized(name) else { return normalForm }
    // The characters before and after a name in a path or a statement must stay separate
    // characters.
    let path = ".\(name)."
    guard path.first == ".", path.last == "." else {
      return "A letter at its end joins with what stands beside it; add another letter."
    }
    return nil
  }

  /// Returns a hint about the first scalar that a name can't have.
  private static func stranger(in name: String) -> String {
    let rule = "A name has letters, digits and underscores, and no digit first"
    guard let first = name.unicodeScalars.first, begins(first) else {
      let symbol = name.prefix(1)
      return isName("_" + symbol)
        ? rule + "." : rule + "; \(symbol.debugDescription) is none of them."
    }
    let symbol = name.first { !continues($0) }
    return rule + (symbol.map { "; \(String($0).debugDescription) is none of them." } ?? ".")
  }
}
