/// A condition of a regular expression on one scalar: `\w`, `\p{Lu}`, `[:punct:]`, and the like.
enum ScalarProperty: Hashable, Sendable {
  case category([Unicode.GeneralCategory])
  case binary(Binary)

  /// A property that a scalar has or hasn't, by its name in small letters only.
  enum Binary: String, Sendable {
    case alphabetic
    case lowercase
    case uppercase
    case whitespace
    case cased
    case math
    case emoji
    case emojiPresentation = "emojipresentation"
    case hexDigit = "hexdigit"
    case asciiHexDigit = "asciihexdigit"
    case ideographic
    case idStart = "idstart"
    case idContinue = "idcontinue"
    case xidStart = "xidstart"
    case xidContinue = "xidcontinue"
    case dash
    case diacritic
    case quotationMark = "quotationmark"
    case patternWhitespace = "patternwhitespace"
    case ascii
    case any
    case assigned
    case word
    case newline
    case blank
    case graph
    case print
  }

  func holds(_ scalar: Unicode.Scalar) -> Bool {
    switch self {
    case .category(let categories): categories.contains(scalar.properties.generalCategory)
    case .binary(let property): property.holds(scalar)
    }
  }
}

extension ScalarProperty.Binary {
  func holds(_ scalar: Unicode.Scalar) -> Bool {
    let properties = scalar.properties
    switch self {
    case .alphabetic: return properties.isAlphabetic
    case .lowercase: return properties.isLowercase
    case .uppercase: return properties.isUppercase
    case .whitespace: return properties.isWhitespace
    case .cased: return properties.isCased
    case .math: return properties.isMath
    case .emoji: return properties.isEmoji
    case .emojiPresentation: return properties.isEmojiPresentation
    case .hexDigit: return properties.isHexDigit
    case .asciiHexDigit: return properties.isASCIIHexDigit
    case .ideographic: return properties.isIdeographic
    case .idStart: return properties.isIDStart
    case .idContinue: return properties.isIDContinue
    case .xidStart: return properties.isXIDStart
    case .xidContinue: return properties.isXIDContinue
    case .dash: return properties.isDash
    case .diacritic: return properties.isDiacritic
    case .quotationMark: return properties.isQuotationMark
    case .patternWhitespace: return properties.isPatternWhitespace
    case .ascii: return scalar.isASCII
    case .any: return true
    case .assigned: return properties.generalCategory != .unassigned
    case .word: return Self.isWord(scalar)
    case .newline: return Self.isNewline(scalar)
    case .blank: return scalar == "\t" || properties.generalCategory == .spaceSeparator
    case .graph: return Self.isGraphic(scalar)
    case .print:
      return Self.isGraphic(scalar) || properties.generalCategory == .spaceSeparator
    }
  }

  /// Letters, marks, digits, connectors such as `_`, and the two joiners.
  static func isWord(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return (scalar.value | 0x20) &- 0x61 < 26 || scalar.value &- 0x30 < 10 || scalar == "_"
    }
    if scalar.value == 0x200C || scalar.value == 0x200D { return true }
    return switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark, .decimalNumber, .connectorPunctuation: true
    default: scalar.properties.isAlphabetic
    }
  }

  /// The line terminators, which `.` isn't.
  static func isNewline(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xA...0xD, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }

  private static func isGraphic(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.properties.isWhitespace { return false }
    return switch scalar.properties.generalCategory {
    case .control, .surrogate, .unassigned: false
    default: true
    }
  }
}
