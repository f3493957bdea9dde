/// The check of one JSON number.
enum NumberCheck {
  /// Moves `position` from the sign or the first digit of a number to the byte after it.
  ///
  /// - Returns: Whether the number has a fraction or an exponent.
  /// - Throws: ``JSONError`` if a digit is missing.
  @inline(__always)
  static func skip(
    _ bytes: UnsafeBufferPointer<UInt8>,
    from position: inout Int
  ) throws(JSONError) -> Bool {
    var isComplex = false
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
    if bytes[position] == UInt8(ascii: "0") {
      position += 1
    } else {
      try digits(bytes, from: &position)
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      isComplex = true
      position += 1
      try digits(bytes, from: &position)
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      isComplex = true
      position += 1
      if position < bytes.count,
        bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
      {
        position += 1
      }
      try digits(bytes, from: &position)
    }
    return isComplex
  }

  @inline(__always)
  private static func digits(
    _ bytes: UnsafeBufferPointer<UInt8>,
    from position: inout Int
  ) throws(JSONError) {
    let start = position
    while position < bytes.count, bytes[position] &- 0x30 < 10 { position += 1 }
    guard position > start else {
      throw JSONError(position < bytes.count ? .invalidNumber : .unexpectedEnd, at: position)
    }
  }
}
