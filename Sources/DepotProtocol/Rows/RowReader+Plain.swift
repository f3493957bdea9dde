/// Values in the form that nearly all have, which are read in one pass.
///
/// Each function reads the next value of the row; it returns `nil` if that has another form, and
/// nothing was read then.
extension RowReader {
  /// The place of the next value, unless white space is before it.
  private var plainStart: Int? {
    if index == 0 { return position }
    return position < bytes.count && bytes[position] == UInt8(ascii: ",") ? position + 1 : nil
  }

  /// Moves behind a value.
  private mutating func advance(to end: Int) {
    position = end
    index += 1
  }

  /// Reads a text of ASCII without escapes, which isn't at the very end of the frame.
  mutating func plainText() -> String? {
    guard let base = bytes.baseAddress, let quote = plainStart, quote < bytes.count,
      bytes[quote] == UInt8(ascii: "\"")
    else { return nil }
    var end = quote + 1
    while end + 8 <= bytes.count {
      let word = UnsafeRawPointer(base).loadUnaligned(fromByteOffset: end, as: UInt64.self)
      let count = PlainBytes.plainCount(word.littleEndian)
      end += count
      if count == 8 { continue }
      guard bytes[end] == UInt8(ascii: "\"") else { return nil }
      advance(to: end + 1)
      return String(
        decoding: UnsafeBufferPointer(rebasing: bytes[quote + 1..<end]),
        as: UTF8.self
      )
    }
    return nil
  }

  /// Reads a number of few digits, without an exponent.
  mutating func plainDouble() -> Double? {
    guard var end = plainStart,
      let number = JSONNumber.shortDecimal(bytes, from: &end), end < bytes.count,
      bytes[end] == UInt8(ascii: ",") || bytes[end] == UInt8(ascii: "]")
    else { return nil }
    advance(to: end)
    return number
  }

  mutating func plainTruth() -> Bool? {
    guard let start = plainStart, start + 5 < bytes.count else { return nil }
    let isTrue = bytes[start] == UInt8(ascii: "t")
    let rest: StaticString = isTrue ? "rue" : "alse"
    guard isTrue || bytes[start] == UInt8(ascii: "f") else { return nil }
    for offset in 0..<rest.utf8CodeUnitCount
    where bytes[start + 1 + offset] != rest.utf8Start[offset] {
      return nil
    }
    advance(to: start + 1 + rest.utf8CodeUnitCount)
    return isTrue
  }
}
