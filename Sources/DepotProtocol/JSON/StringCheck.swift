/// The check of one JSON string: UTF-8, control characters, escapes, and surrogates.
enum StringCheck {
  /// Moves `position` from the first byte of a string to its closing quotation mark.
  ///
  /// - Returns: Whether the string holds an escape.
  /// - Throws: ``JSONError`` if the string can't be accepted or doesn't end.
  static func skip(
    _ bytes: UnsafeBufferPointer<UInt8>,
    from position: inout Int
  ) throws(JSONError) -> Bool {
    var isComplex = false
    while true {
      skipPlainWords(bytes, from: &position)
      guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
      switch bytes[position] {
      case UInt8(ascii: "\""):
        return isComplex
      case UInt8(ascii: "\\"):
        isComplex = true
        try skipEscape(bytes, from: &position)
      case 0..<0x20:
        throw JSONError(.controlCharacter, at: position)
      case 0x20..<0x80:
        position += 1
      default:
        guard let count = UTF8Sequence.length(bytes, at: position) else {
          throw JSONError(.invalidUTF8, at: position)
        }
        position += count
      }
    }
  }

  /// Skips eight bytes at a time up to the first that needs a closer look.
  @inline(__always)
  private static func skipPlainWords(
    _ bytes: UnsafeBufferPointer<UInt8>,
    from position: inout Int
  ) {
    guard let base = bytes.baseAddress else { return }
    let raw = UnsafeRawPointer(base)
    while position + 8 <= bytes.count {
      let word = raw.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      let count = PlainBytes.plainCount(word.littleEndian)
      position += count
      if count < 8 { return }
    }
  }

  /// Moves `position` from a backslash past the end of its escape.
  static func skipEscape(
    _ bytes: UnsafeBufferPointer<UInt8>,
    from position: inout Int
  ) throws(JSONError) {
    guard position + 1 < bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
    switch bytes[position + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position += 2
    case UInt8(ascii: "u"):
      let unit = try hexUnit(bytes, at: position)
      guard unit & 0xF800 == 0xD800 else {
        position += 6
        return
      }
      guard unit < 0xDC00, position + 7 < bytes.count, bytes[position + 6] == UInt8(ascii: "\\"),
        bytes[position + 7] == UInt8(ascii: "u")
      else { throw JSONError(.loneSurrogate, at: position) }
      guard try hexUnit(bytes, at: position + 6) & 0xFC00 == 0xDC00 else {
        throw JSONError(.loneSurrogate, at: position)
      }
      position += 12
    default:
      throw JSONError(.invalidEscape, at: position)
    }
  }

  /// Returns the code unit of the `\uXXXX` at `position`.
  private static func hexUnit(
    _ bytes: UnsafeBufferPointer<UInt8>,
    at position: Int
  ) throws(JSONError) -> UInt16 {
    guard position + 6 <= bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
    var unit: UInt16 = 0
    for index in position + 2..<position + 6 {
      guard let digit = HexDigit.value(bytes[index]) else {
        throw JSONError(.invalidEscape, at: position)
      }
      unit = unit << 4 | UInt16(digit)
    }
    return unit
  }
}

/// Tests of eight bytes at once.
enum PlainBytes {
  /// Returns how many low bytes of `word` are plain.
  ///
  /// Quotation marks, backslashes, controls, and bytes beyond ASCII aren't.
  @inline(__always)
  static func plainCount(_ word: UInt64) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quotes = word ^ (ones &* 0x22)
    let slashes = word ^ (ones &* 0x5C)
    let special =
      (word &- ones &* 0x20) | (quotes &- ones) | (slashes &- ones) | word
    // A special byte changes only the bits of higher bytes.
    return (special & (ones &* 0x80)).trailingZeroBitCount / 8
  }
}

/// Hexadecimal digits.
enum HexDigit {
  /// Returns the value of a digit in either case, or `nil`.
  @inline(__always)
  static func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

/// Well-formed UTF-8 (RFC 3629, table 3-7 of the Unicode standard).
package enum UTF8Sequence {
  /// Returns how many bytes the character at `position` has, or `nil` if it is ill-formed.
  package static func length(_ bytes: UnsafeBufferPointer<UInt8>, at position: Int) -> Int? {
    let first = bytes[position]
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0..<0x80: return 1
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF: length = 3
    case 0xF0...0xF4: length = 4
    default: return nil
    }
    switch first {
    case 0xE0: second = 0xA0...0xBF
    case 0xED: second = 0x80...0x9F
    case 0xF0: second = 0x90...0xBF
    case 0xF4: second = 0x80...0x8F
    default: break
    }
    guard position + length <= bytes.count, second.contains(bytes[position + 1]) else { return nil }
    for index in position + 2..<max(position + 2, position + length)
    where bytes[index] & 0xC0 != 0x80 {
      return nil
    }
    return length
  }

  /// Whether all of `bytes` are well-formed.
  package static func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    var position = 0
    while position < bytes.count {
      if position + 8 <= bytes.count,
        UnsafeRawPointer(base).loadUnaligned(fromByteOffset: position, as: UInt64.self)
          & 0x8080_8080_8080_8080 == 0
      {
        position += 8
        continue
      }
      if bytes[position] < 0x80 {
        position += 1
        continue
      }
      guard let count = length(bytes, at: position) else { return false }
      position += count
    }
    return true
  }
}
