/// A condition of a regular expression on one scalar: `\w`, `\p{Lu}`, `[:punct:]`, and the like.
@Memberwise("name", "holds")
struct ScalarProperty: Sendable {
  /// The unique name in lowercase letters.
  private let name: String
  let holds: @Sendable (Unicode.Scalar) -> Bool

  static let digit = category("nd", [.decimalNumber])
  static let word = ScalarProperty("word", isWord)
  static let whitespace = ScalarProperty("whitespace") { $0.properties.isWhitespace }
  static let newline = ScalarProperty("newline", isNewline)
  static let blank = ScalarProperty("blank") { $0 == "\t" || isSpace($0) }

  private static func category(
    _ name: String,
    _ categories: [Unicode.GeneralCategory]
  ) -> ScalarProperty {
    ScalarProperty("gc=" + name) { categories.contains($0.properties.generalCategory) }
  }
}

extension ScalarProperty: Hashable {
  static func == (left: Self, right: Self) -> Bool { left.name == right.name }

  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension ScalarProperty {
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

  /// The line terminators, which `.` doesn't match.
  static func isNewline(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xA...0xD, 0x85, 0x2028, 0x2029: true
    default: false
    }
  }

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.generalCategory == .spaceSeparator
  }

  private static func isGraphic(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.properties.isWhitespace { return false }
    return switch scalar.properties.generalCategory {
    case .control, .surrogate, .unassigned: false
    default: true
    }
  }
}

/// Names.
extension ScalarProperty {
  /// Finds the property that `\p{…}` names: a general category or a property.
  ///
  /// Case, spaces, `-`, and `_` don't matter.
  init?(name: String) {
    var name = name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " }
    for prefix in ["gc=", "generalcategory="] where name.hasPrefix(prefix) {
      guard let found = Self.category(named: String(name.dropFirst(prefix.count))) else {
        return nil
      }
      self = found
      return
    }
    if name.hasPrefix("is") { name.removeFirst(2) }
    guard let found = Self.category(named: name) ?? Self.binary(named: name) else { return nil }
    self = found
  }

  /// Finds the set for `[:name:]`.
  static func posix(_ name: String) -> ScalarSet? {
    let names =
      switch name {
      case "punct": ["punctuation"]
      case "alnum": ["alphabetic", "digit"]
      case "xdigit": ["hexdigit", "digit"]
      default: [name]
      }
    let sets = names.compactMap(ScalarProperty.init(name:)).map(ScalarSet.property)
    return sets.count > 1 ? .union(sets) : sets.first
  }

  /// Finds a binary property.
  private static func binary(named name: String) -> ScalarProperty? {
    let name = shortNames[name] ?? name
    return binaries[name].map { ScalarProperty(name, $0) }
  }

  private static let binaries: [String: @Sendable (Unicode.Scalar) -> Bool] = [
    "alphabetic": { $0.properties.isAlphabetic },
    "lowercase": { $0.properties.isLowercase },
    "uppercase": { $0.properties.isUppercase },
    "whitespace": whitespace.holds,
    "cased": { $0.properties.isCased },
    "math": { $0.properties.isMath },
    "emoji": { $0.properties.isEmoji },
    "emojipresentation": { $0.properties.isEmojiPresentation },
    "hexdigit": { $0.properties.isHexDigit },
    "asciihexdigit": { $0.properties.isASCIIHexDigit },
    "ideographic": { $0.properties.isIdeographic },
    "idstart": { $0.properties.isIDStart },
    "idcontinue": { $0.properties.isIDContinue },
    "xidstart": { $0.properties.isXIDStart },
    "xidcontinue": { $0.properties.isXIDContinue },
    "dash": { $0.properties.isDash },
    "diacritic": { $0.properties.isDiacritic },
    "quotationmark": { $0.properties.isQuotationMark },
    "patternwhitespace": { $0.properties.isPatternWhitespace },
    "ascii": { $0.isASCII },
    "any": { _ in true },
    "assigned": { $0.properties.generalCategory != .unassigned },
    "word": word.holds,
    "newline": newline.holds,
    "blank": blank.holds,
    "graph": isGraphic,
    "print": { isGraphic($0) || isSpace($0) },
  ]

  private static let shortNames = [
    "alpha": "alphabetic", "lower": "lowercase", "upper": "uppercase", "space": "whitespace",
    "wspace": "whitespace", "hex": "hexdigit", "ahex": "asciihexdigit", "ideo": "ideographic",
    "ids": "idstart", "idc": "idcontinue", "xids": "xidstart", "xidc": "xidcontinue",
    "qmark": "quotationmark", "dia": "diacritic",
  ]

  /// Finds a general category by its short or long name, or a group of categories by its name.
  private static func category(named name: String) -> ScalarProperty? {
    let short = groups[name] ?? name
    let found = categories.filter { code, category in
      code == short || code.prefix(1) == short || "\(category)".lowercased() == name
        || short == "l&" && ["lu", "ll", "lt"].contains(code)
    }
    return found.isEmpty ? nil : category(short, found.map(\.category))
  }

  /// The codes of categories and groups; a group's code is the first letter of its categories.
  private static let groups = [
    "lc": "l&", "casedletter": "l&", "letter": "l", "mark": "m", "combiningmark": "m",
    "number": "n", "punctuation": "p", "symbol": "s", "separator": "z", "other": "c",
    "digit": "nd", "cntrl": "cc",
  ]

  private static let categories: [(code: String, category: Unicode.GeneralCategory)] = [
    ("lu", .uppercaseLetter), ("ll", .lowercaseLetter), ("lt", .titlecaseLetter),
    ("lm", .modifierLetter), ("lo", .otherLetter), ("mn", .nonspacingMark), ("mc", .spacingMark),
    ("me", .enclosingMark), ("nd", .decimalNumber), ("nl", .letterNumber), ("no", .otherNumber),
    ("pc", .connectorPunctuation), ("pd", .dashPunctuation), ("ps", .openPunctuation),
    ("pe", .closePunctuation), ("pi", .initialPunctuation), ("pf", .finalPunctuation),
    ("po", .otherPunctuation), ("sm", .mathSymbol), ("sc", .currencySymbol),
    ("sk", .modifierSymbol), ("so", .otherSymbol), ("zs", .spaceSeparator),
    ("zl", .lineSeparator), ("zp", .paragraphSeparator), ("cc", .control), ("cf", .format),
    ("cs", .surrogate), ("co", .privateUse), ("cn", .unassigned),
  ]
}
