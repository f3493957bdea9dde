/// Bytes whose order is the order in which people expect texts, and which are equal only if the
/// folded texts are.
///
/// Case, marks, and widths don't matter, and a run of digits counts as a number: `9` is before `10`.
package enum LocalizedKey {
  package static func make(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    TextFolding.with(text, QueryExpression.TextOptions.localized.effective, encode)
  }

  private static func encode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var key: [UInt8] = []
    var zeros: [UInt8] = []
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte &- 0x30 < 10 {
        let start = index
        while index < text.count, text[index] &- 0x30 < 10 { index += 1 }
        number(text[start..<index], to: &key, &zeros)
        continue
      }
      key.append(byte)
      // What is behind the text begins with two zeros, so that a shorter text is before a longer.
      if byte == 0 { key.append(1) }
      index += 1
    }
    return zeros.isEmpty ? key : key + [0, 0] + zeros
  }

  /// Appends the place of digits, how many there are without the zeros before, and these; how many
  /// zeros there were matters last.
  private static func number(
    _ digits: Slice<UnsafeBufferPointer<UInt8>>,
    to key: inout [UInt8],
    _ zeros: inout [UInt8]
  ) {
    let significant = digits.drop { $0 == 0x30 }
    key.append(0x30)
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
