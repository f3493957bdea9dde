/// The words of a text, as a search compares them.
///
/// They are the tokens of SQLite's tokenizer `unicode61 remove_diacritics 2`: runs of letters,
/// digits, and marks, without case and diacritics. The two can differ for letters that are newer
/// than SQLite's table, Unicode 6.1.
package enum SearchWords {
  /// Returns the words of a text in their order.
  package static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    func finish() {
      if !word.isEmpty { words.append(String(word)) }
      word = String.UnicodeScalarView()
    }
    for scalar in text.unicodeScalars {
      if isDiacritic(scalar) {
        // A mark belongs to the word before it; at the beginning of a text it belongs to none.
        continue
      }
      guard isLetterOrDigit(scalar) else {
        finish()
        continue
      }
      word.append(contentsOf: folded(scalar))
    }
    finish()
    return words
  }

  /// Returns whether words contain a phrase.
  package static func contain(_ words: [String], _ phrase: [String], isPrefix: Bool) -> Bool {
    guard let last = phrase.last, words.count >= phrase.count else { return false }
    return (0...words.count - phrase.count).contains { start in
      let end = start + phrase.count - 1
      guard phrase.dropLast().elementsEqual(words[start..<end], by: same) else { return false }
      return isPrefix
        ? words[end].unicodeScalars.starts(with: last.unicodeScalars) : same(words[end], last)
    }
  }

  /// Words are equal only if their scalars are.
  private static func same(_ left: String, _ right: String) -> Bool {
    left.unicodeScalars.elementsEqual(right.unicodeScalars)
  }

  private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .privateUse:
      return true
    default: return false
    }
  }

  /// The combining marks that the tokenizer leaves out.
  private static func isDiacritic(_ scalar: Unicode.Scalar) -> Bool {
    guard 768...817 ~= scalar.value else { return false }
    let masks: (UInt32, UInt32) = (0x0802_9FDF, 0x0003_61F8)
    return scalar.value < 768 + 32
      ? masks.0 & (1 << (scalar.value - 768)) != 0
      : masks.1 & (1 << (scalar.value - 768 - 32)) != 0
  }

  /// The letter in lower case and without marks.
  private static func folded(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView {
    let lower = scalar.properties.lowercaseMapping.unicodeScalars
    guard lower.count == 1, let letter = lower.first, !letter.isASCII else { return lower }
    let base = String(String.UnicodeScalarView([letter])).decomposedBase
    return base.map { String.UnicodeScalarView([$0]) } ?? lower
  }
}

extension String {
  /// The base letter of a Latin letter with marks.
  fileprivate var decomposedBase: Unicode.Scalar? {
    let parts = Array(TextFolding.fold(self, .diacriticInsensitive).unicodeScalars)
    return parts.count == 1 ? parts[0] : nil
  }
}
