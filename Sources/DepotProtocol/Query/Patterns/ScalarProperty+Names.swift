extension ScalarProperty {
  static let digit = ScalarProperty.category([.decimalNumber])

  /// Finds what `\p{…}` names: a general category or a property, in any case, spaces and `_` left out.
  init?(name: String) {
    var name = Self.plain(name)
    for prefix in ["gc=", "generalcategory="] where name.hasPrefix(prefix) {
      guard let categories = Self.categories(String(name.dropFirst(prefix.count))) else {
        return nil
      }
      self = .category(categories)
      return
    }
    if name.hasPrefix("is") { name.removeFirst(2) }
    if let categories = Self.categories(name) {
      self = .category(categories)
    } else if let binary = Binary(rawValue: name) ?? Self.shortNames[name] {
      self = .binary(binary)
    } else {
      return nil
    }
  }

  /// Finds the set that `[:name:]` stands for.
  static func posix(_ name: String) -> ScalarSet? {
    let binary: Binary
    switch name {
    case "alpha": binary = .alphabetic
    case "lower": binary = .lowercase
    case "upper": binary = .uppercase
    case "space": binary = .whitespace
    case "blank": binary = .blank
    case "graph": binary = .graph
    case "print": binary = .print
    case "word": binary = .word
    case "ascii": binary = .ascii
    case "digit": return .property(digit)
    case "cntrl": return .property(.category([.control]))
    case "punct": return categories("p").map { .property(.category($0)) }
    case "alnum": return .union([.property(.binary(.alphabetic)), .property(digit)])
    case "xdigit": return .union([.property(.binary(.hexDigit)), .property(digit)])
    default: return nil
    }
    return .property(.binary(binary))
  }

  private static func plain(_ name: String) -> String {
    String(name.lowercased().filter { $0 != "_" && $0 != "-" && $0 != " " })
  }

  private static let shortNames: [String: Binary] = [
    "alpha": .alphabetic, "lower": .lowercase, "upper": .uppercase, "space": .whitespace,
    "wspace": .whitespace, "hex": .hexDigit, "ahex": .asciiHexDigit, "ideo": .ideographic,
    "ids": .idStart, "idc": .idContinue, "xids": .xidStart, "xidc": .xidContinue,
    "qmark": .quotationMark, "dia": .diacritic,
  ]

  /// Finds a general category by its short or long name, or several by the name of their group.
  private static func categories(_ name: String) -> [Unicode.GeneralCategory]? {
    switch name {
    case "l&", "lc", "casedletter": return cased
    case "l", "letter": return cased + [.modifierLetter, .otherLetter]
    case "m", "mark", "combiningmark": return [.nonspacingMark, .spacingMark, .enclosingMark]
    case "n", "number": return [.decimalNumber, .letterNumber, .otherNumber]
    case "p", "punctuation":
      return [
        .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
        .initialPunctuation, .finalPunctuation, .otherPunctuation,
      ]
    case "s", "symbol": return [.mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol]
    case "z", "separator": return [.spaceSeparator, .lineSeparator, .paragraphSeparator]
    case "c", "other": return [.control, .format, .surrogate, .privateUse, .unassigned]
    default: return single[name].map { [$0] }
    }
  }

  private static let cased: [Unicode.GeneralCategory] = [
    .uppercaseLetter, .lowercaseLetter, .titlecaseLetter,
  ]

  private static let single: [String: Unicode.GeneralCategory] = [
    "lu": .uppercaseLetter, "uppercaseletter": .uppercaseLetter, "ll": .lowercaseLetter,
    "lowercaseletter": .lowercaseLetter, "lt": .titlecaseLetter,
    "titlecaseletter": .titlecaseLetter, "lm": .modifierLetter, "modifierletter": .modifierLetter,
    "lo": .otherLetter, "otherletter": .otherLetter, "mn": .nonspacingMark,
    "nonspacingmark": .nonspacingMark, "mc": .spacingMark, "spacingmark": .spacingMark,
    "me": .enclosingMark, "enclosingmark": .enclosingMark, "nd": .decimalNumber,
    "decimalnumber": .decimalNumber, "digit": .decimalNumber, "nl": .letterNumber,
    "letternumber": .letterNumber, "no": .otherNumber, "othernumber": .otherNumber,
    "pc": .connectorPunctuation, "connectorpunctuation": .connectorPunctuation,
    "pd": .dashPunctuation, "dashpunctuation": .dashPunctuation, "ps": .openPunctuation,
    "openpunctuation": .openPunctuation, "pe": .closePunctuation,
    "closepunctuation": .closePunctuation, "pi": .initialPunctuation,
    "initialpunctuation": .initialPunctuation, "pf": .finalPunctuation,
    "finalpunctuation": .finalPunctuation, "po": .otherPunctuation,
    "otherpunctuation": .otherPunctuation, "sm": .mathSymbol, "mathsymbol": .mathSymbol,
    "sc": .currencySymbol, "currencysymbol": .currencySymbol, "sk": .modifierSymbol,
    "modifiersymbol": .modifierSymbol, "so": .otherSymbol, "othersymbol": .otherSymbol,
    "zs": .spaceSeparator, "spaceseparator": .spaceSeparator, "zl": .lineSeparator,
    "lineseparator": .lineSeparator, "zp": .paragraphSeparator,
    "paragraphseparator": .paragraphSeparator, "cc": .control, "control": .control,
    "cntrl": .control, "cf": .format, "format": .format, "cs": .surrogate,
    "surrogate": .surrogate, "co": .privateUse, "privateuse": .privateUse, "cn": .unassigned,
    "unassigned": .unassigned,
  ]
}
