/// The usual forms of the wide and narrow letters and signs of East Asian text.
enum WidthFolding {
  static func fold(_ text: String) -> String {
    guard text.unicodeScalars.contains(where: { isCandidate($0) }) else { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { result.append(fold(scalar)) }
    return String(result)
  }

  private static func isCandidate(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value == 0x3000 || 0xFF01...0xFFE6 ~= scalar.value
  }

  private static func fold(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0x3000: " "
    case 0xFF01...0xFF5E: Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar
    case 0xFF61...0xFF9F: katakana[Int(scalar.value - 0xFF61)]
    case 0xFFE0...0xFFE6: signs[Int(scalar.value - 0xFFE0)]
    default: scalar
    }
  }

  /// The wide forms of U+FF61 to U+FF9F; voicing marks become marks on the letter before.
  private static let katakana = Array(
    ("。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン"
      + "\u{3099}\u{309A}").unicodeScalars
  )

  private static let signs = Array("¢£¬\u{AF}¦¥₩".unicodeScalars)
}

extension QueryExpression.TextOptions {
  /// The options with implied ones included: localized text also ignores case and marks.
  package var effective: Self {
    contains(.localized)
      ? [.caseInsensitive, .diacriticInsensitive, .localized] : subtracting(.normalized)
  }
}
