/// A sort key: bytes ordered as people expect texts to be, equal only if the folded texts are.
///
/// Case, marks, and widths don't matter, and a run of digits counts as a number: `9` is before
/// `10`. As in Unicode's root collation, white space, punctuation, symbols, and currencies precede
/// digits, and digits precede letters.
package enum LocalizedKey {
  package static func make(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    TextFolding.with(text, QueryExpression.TextOptions.localized.effective, encode)
  }

  /// The first byte for each character that isn't a letter; most are followed by the character.
  private enum Group {
    static let control: UInt8 = 0x01
    static let space: UInt8 = 0x11
    static let punctuation: UInt8 = 0x30
    static let symbol: UInt8 = 0x40
    static let currency: UInt8 = 0x42
    static let number: UInt8 = 0x50
    static let otherNumber: UInt8 = 0x51
    /// Letters without a lowercase form; there should be none.
    static let capital: UInt8 = 0x60
  }

  /// The bytes for ASCII characters: lowercase letters are unchanged.
  ///
  /// Other characters have bytes between those of their groups, in the order of Unicode's root
  /// collation.
  private static let bytes: [UInt8] = {
    var bytes = Array(repeating: UInt8(0), count: 0x80)
    func place(_ characters: StaticString, from first: UInt8) {
      characters.withUTF8Buffer { characters in
        for (offset, character) in characters.enumerated() {
          bytes[Int(character)] = first + UInt8(offset)
        }
      }
    }
    place(" ", from: Group.space - 1)
    place(#"_-,;:!?.'"()[]{}@*/\&#%"#, from: Group.space + 1)
    place("`^+<=>|~", from: Group.punctuation + 1)
    place("$", from: Group.currency - 1)
    place("abcdefghijklmnopqrstuvwxyz", from: 0x61)
    return bytes
  }()

  private static func encode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var key: [UInt8] = []
    var zeros: [UInt8] = []
    var index = 0
    while index < text.count {
      let byte = text[index]
      let start = index
      if byte &- 0x30 < 10 {
        while index < text.count, text[index] &- 0x30 < 10 { index += 1 }
        number(text[start..<index], to: &key, &zeros)
      } else if byte < 0x80 {
        index += 1
        ascii(byte, to: &key)
      } else {
        repeat { index += 1 } while index < text.count && text[index] & 0xC0 == 0x80
        if let group = group(of: text[start..<index]) { key.append(group) }
        key += text[start..<index]
      }
    }
    // The suffix begins with a zero byte, so that a shorter text sorts before a longer one.
    return zeros.isEmpty ? key : key + [0] + zeros
  }

  private static func ascii(_ byte: UInt8, to key: inout [UInt8]) {
    let own = bytes[Int(byte)]
    if own != 0 { return key.append(own) }
    let isCapital = byte &- 0x41 < 26
    key.append(isCapital ? Group.capital : Group.control)
    key.append(byte + 1)
  }

  /// Returns the group of a character, given as UTF-8; `nil` for letters and their companions.
  private static func group(of utf8: Slice<UnsafeBufferPointer<UInt8>>) -> UInt8? {
    guard let scalar = String(decoding: utf8, as: UTF8.self).unicodeScalars.first else {
      return nil
    }
    switch scalar.properties.generalCategory {
    case .control: return Group.control
    case .spaceSeparator, .lineSeparator, .paragraphSeparator: return Group.space
    case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
      .initialPunctuation, .finalPunctuation, .otherPunctuation:
      return Group.punctuation
    case .mathSymbol, .modifierSymbol, .otherSymbol: return Group.symbol
    // Format characters join emoji or select their presentation.
    case .format, .enclosingMark: return Group.symbol
    case .nonspacingMark where scalar.properties.isVariationSelector: return Group.symbol
    case .currencySymbol: return Group.currency
    case .decimalNumber, .otherNumber: return Group.otherNumber
    default: return nil
    }
  }

  /// Appends the group of digits, their number without leading zeros, and the digits.
  ///
  /// The number of leading zeros decides last.
  private static func number(
    _ digits: Slice<UnsafeBufferPointer<UInt8>>,
    to key: inout [UInt8],
    _ zeros: inout [UInt8]
  ) {
    let significant = digits.drop { $0 == 0x30 }
    key.append(Group.number)
    append(significant.count, to: &key)
    key += significant
    append(digits.count - significant.count, to: &zeros)
  }

  private static func append(_ count: Int, to bytes: inout [UInt8]) {
    if count < 0xFF {
      bytes.append(UInt8(count))
    } else {
      bytes.append(0xFF)
      for shift in stride(from: 24, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: count >> shift))
      }
    }
  }
}
