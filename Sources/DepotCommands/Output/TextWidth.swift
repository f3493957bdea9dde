/// How many columns of a terminal text takes, approximately.
///
/// Characters of East Asia and most emoji take two, marks that combine take none.
enum TextWidth {
  /// Returns the columns that `text` takes.
  static func columns(_ text: String) -> Int {
    var text = text
    let ascii = text.withUTF8 { bytes in bytes.allSatisfy { $0 < 0x80 } ? bytes.count : nil }
    return ascii ?? text.unicodeScalars.reduce(0) { $0 + columns($1) }
  }

  /// Returns the columns that a scalar takes.
  static func columns(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.value {
    case ..<0x300: 1
    case 0x300...0x36F, 0x483...0x489, 0x591...0x5BD, 0x610...0x61A, 0x64B...0x65F,
      0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x2064,
      0x20D0...0x20FF, 0xFE00...0xFE0F, 0xFE20...0xFE2F, 0xFEFF, 0xE0100...0xE01EF:
      0
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97C,
      0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
      0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x1FA70...0x1FAFF,
      0x20000...0x3FFFD:
      2
    default: 1
    }
  }

  /// Returns `text` in exactly `width` columns: padded, or cut with an ellipsis.
  static func fit(_ text: String, to width: Int, alignsRight: Bool = false) -> String {
    let columns = columns(text)
    if columns > width { return cut(text, to: width) }
    let padding = String(repeating: " ", count: width - columns)
    return alignsRight ? padding + text : text + padding
  }

  private static func cut(_ text: String, to width: Int) -> String {
    var result = String.UnicodeScalarView()
    var used = 0
    for scalar in text.unicodeScalars {
      let columns = columns(scalar)
      if used + columns > width - 1 { break }
      result.append(scalar)
      used += columns
    }
    return String(result) + "…" + String(repeating: " ", count: max(0, width - 1 - used))
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
