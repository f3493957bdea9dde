/// Reads the text of tokens that the scanner has checked.
package enum JSONText {
  /// Returns the characters of a string token, its escapes undone.
  package static func string(
    _ token: JSONToken,
    in bytes: UnsafeBufferPointer<UInt8>
  ) -> String {
    let text = UnsafeBufferPointer(rebasing: bytes[Int(token.start)..<Int(token.end)])
    guard token.isComplex else { return String(decoding: text, as: UTF8.self) }
    return String(unsafeUninitializedCapacity: text.count) { unescape(text, into: $0) }
  }

  /// Writes the UTF-8 of a checked string without its escapes, which is never longer than `text`.
  ///
  /// - Returns: The number of bytes written.
  static func unescape(
    _ text: UnsafeBufferPointer<UInt8>,
    into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Int {
    var written = 0
    var index = 0
    while index < text.count {
      guard text[index] == UInt8(ascii: "\\") else {
        output[written] = text[index]
        written += 1
        index += 1
        continue
      }
      guard text[index + 1] == UInt8(ascii: "u") else {
        output[written] = simpleEscape(text[index + 1])
        written += 1
        index += 2
        continue
      }
      var scalar = UInt32(unit(text, at: index + 2))
      index += 6
      if scalar & 0xFC00 == 0xD800 {
        scalar = 0x10000 + (scalar & 0x3FF) << 10 + UInt32(unit(text, at: index + 2)) & 0x3FF
        index += 6
      }
      written += encode(scalar, into: output, at: written)
    }
    return written
  }

  private static func simpleEscape(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: byte
    }
  }

  private static func unit(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> UInt16 {
    (index..<index + 4).reduce(0) { $0 << 4 | UInt16(HexDigit.value(text[$1]) ?? 0) }
  }

  private static func encode(
    _ scalar: UInt32,
    into output: UnsafeMutableBufferPointer<UInt8>,
    at position: Int
  ) -> Int {
    guard let scalar = Unicode.Scalar(scalar) else { return 0 }
    var count = 0
    for byte in UTF8.encode(scalar).unsafelyUnwrapped {
      output[position + count] = byte
      count += 1
    }
    return count
  }
}
