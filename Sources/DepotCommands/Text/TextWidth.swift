/// The approximate width of text on a terminal, in columns.
///
/// A grapheme cluster is measured and cut as a whole: a letter with its marks, a syllable of Hangul
/// letters, a flag, or a family of joined emoji.
enum TextWidth {
  /// Returns the columns that `text` takes.
  static func columns(_ text: String) -> Int {
    var text = text
    let ascii = text.withUTF8 { bytes in bytes.allSatisfy { $0 < 0x80 } ? bytes.count : nil }
    return ascii ?? text.reduce(0) { $0 + columns($1) }
  }

  /// Returns the columns that a character takes.
  ///
  /// Terminals add up the columns of its scalars, except for emoji, which take two columns in
  /// total, however they are joined or colored.
  static func columns(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if scalars.count == 1 { return ScalarWidth.columns(first) }
    // A carriage return and a line feed are one character.
    if first == "\r" { return 2 }
    if first.properties.isEmoji {
      let isTextual = scalars.contains("\u{FE0E}")
      let isPicture = scalars.dropFirst().contains {
        $0 == "\u{FE0F}" || $0 == "\u{200D}" || $0.properties.isEmojiModifier
          || ScalarWidth.isRegionalIndicator($0)
      }
      if isTextual { return 1 }
      if isPicture { return 2 }
    }
    return scalars.reduce(0) { $0 + ScalarWidth.columns($1) }
  }

  /// Returns `text` in exactly `width` columns: padded, or cut with an ellipsis.
  static func fit(_ text: String, to width: Int, alignsRight: Bool = false) -> String {
    let columns = columns(text)
    if columns > width { return cut(text, to: width) }
    let padding = String(repeating: " ", count: width - columns)
    return alignsRight ? padding + text : text + padding
  }

  private static func cut(_ text: String, to width: Int) -> String {
    var result = ""
    var used = 0
    for character in text {
      let columns = columns(character)
      if used + columns > width - 1 { break }
      result.append(character)
      used += columns
    }
    return result + "…" + String(repeating: " ", count: max(0, width - 1 - used))
  }

  /// Returns `text` with control characters as symbols, so that it can't move the cursor.
  static func printable(_ text: String) -> String {
    var text = text
    let isPlain = text.withUTF8 { $0.allSatisfy { $0 >= 0x20 && $0 < 0x7F } }
    if isPlain { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? " ")
      case 0x7F: result.append("\u{2421}")
      case 0x80..<0xA0, 0x202A...0x202E, 0x2066...0x2069: result.append("\u{FFFD}")
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}

extension String {
  /// Returns the text in a color of the terminal, or in another style, if wanted.
  func painted(_ look: String, if isWanted: Bool) -> String {
    isWanted && !isEmpty ? "\u{1B}[\(look)m\(self)\u{1B}[0m" : self
  }
}

/// The width of a Unicode scalar on a terminal, in columns.
///
/// East Asian characters and emoji take two, combining marks and invisible characters take none.
enum ScalarWidth {
  /// Returns the columns that a scalar takes.
  static func columns(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case ..<0x300: return 1
    // Vowels and final consonants of Hangul share the columns of the first consonant.
    case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
    default: break
    }
    let properties = scalar.properties
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return isWide(scalar.value) || isPicture(scalar) ? 2 : 1
    }
  }

  /// Whether a scalar is half of a flag.
  static func isRegionalIndicator(_ scalar: Unicode.Scalar) -> Bool {
    0x1F1E6...0x1F1FF ~= scalar.value
  }

  /// Whether a scalar alone is an emoji; half a flag isn't one.
  private static func isPicture(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isEmojiPresentation && !isRegionalIndicator(scalar)
  }

  /// Whether a scalar is wide (East_Asian_Width W or F) without being an emoji.
  private static func isWide(_ value: UInt32) -> Bool {
    switch value {
    case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF,
      0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
      0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18CFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265,
      0x20000...0x3FFFD:
      true
    default: false
    }
  }
}
