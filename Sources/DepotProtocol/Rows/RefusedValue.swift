/// A placeholder for a value that couldn't be encoded: a text that isn't JSON, with the reason.
///
/// Values are written where nothing can be thrown, so the error is found in the bytes before the
/// request is sent.
package enum RefusedValue {
  /// The first byte of the placeholder, which valid JSON never has.
  private static let mark: UInt8 = 0

  /// Returns the mark in place of a value that couldn't be encoded.
  package static func value(_ reason: String) -> Value {
    .json("\0" + JSONWriter.text { $0.string(reason) })
  }

  /// Returns the error of the first placeholder in JSON text from a position on, or `nil`.
  package static func error(in bytes: [UInt8], from start: Int = 0) -> DepotError? {
    guard let start = position(in: bytes, from: start) else { return nil }
    let text = bytes[(start + 1)...]
    let end = text.indices.dropFirst().first { index in
      text[index] == UInt8(ascii: "\"") && text[index - 1] != UInt8(ascii: "\\")
    }
    let reason = end.flatMap { try? JSONDocument(Array(text[...$0])).root.string() }
    return DepotError(.type, reason ?? "A value can't be encoded as JSON.")
  }

  private static func position(in bytes: [UInt8], from start: Int) -> Int? {
    bytes.withUnsafeBytes { bytes in
      var position = start
      while position + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        if PlainBytes.haveZero(word) { break }
        position += 8
      }
      return bytes[position...].firstIndex(of: mark)
    }
  }
}

extension PlainBytes {
  /// Whether a byte of `word` is zero.
  @inline(__always)
  fileprivate static func haveZero(_ word: UInt64) -> Bool {
    let ones: UInt64 = 0x0101_0101_0101_0101
    return (word &- ones) & ~word & (ones &* 0x80) != 0
  }
}
