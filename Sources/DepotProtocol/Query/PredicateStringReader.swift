/// A reader of one string literal, with JSON's escapes and `\'`.
struct PredicateStringReader {
  private let bytes: [UInt8]
  /// The offset of the next byte; after ``read()``, the offset after the literal.
  private(set) var position: Int

  /// Creates a reader of the literal that begins at `position`, which holds a quotation mark.
  init(_ bytes: [UInt8], at position: Int) {
    self.bytes = bytes
    self.position = position
  }

  /// Returns the characters of the literal.
  mutating func read() throws(PredicateFailure) -> String {
    let start = position
    position += 1
    while position < bytes.count, bytes[position] != bytes[start] {
      if bytes[position] == UInt8(ascii: "\\") { try skipEscape() } else { position += 1 }
    }
    guard position < bytes.count else {
      throw PredicateFailure("The string that begins here doesn't end.", at: start)
    }
    defer { position += 1 }
    return bytes[start + 1..<position].withUnsafeBufferPointer { text in
      String(unsafeUninitializedCapacity: text.count) { JSONText.unescape(text, into: $0) }
    }
  }

  private mutating func skipEscape() throws(PredicateFailure) {
    let start = position
    guard start + 1 < bytes.count, bytes[start + 1] != UInt8(ascii: "'") else {
      position = min(start + 2, bytes.count)
      return
    }
    do {
      position = try bytes.withUnsafeBufferPointer { (bytes) throws(JSONError) in
        var end = start
        try StringCheck.skipEscape(bytes, from: &end)
        return end
      }
    } catch {
      if error.reason == .loneSurrogate {
        throw PredicateFailure("A surrogate must be half of a pair.", at: start)
      }
      guard bytes[start + 1] != UInt8(ascii: "u") else {
        let place = error.reason == .unexpectedEnd ? start : error.offset
        throw PredicateFailure("Four hexadecimal digits must follow \\u.", at: place)
      }
      throw PredicateFailure("There is no such escape.", at: start)
        .hint("A backslash is written twice, also in patterns of LIKE and MATCHES.")
    }
  }
}
