/// A reader of one string literal and its escapes.
struct PredicateStringReader {
  private let bytes: [UInt8]
  /// The offset of the byte that is read next; after ``read()``, of the one after the literal.
  private(set) var position: Int
  private var result: [UInt8] = []

  /// Creates a reader of the literal that begins at `position`, which holds a quotation mark.
  init(_ bytes: [UInt8], at position: Int) {
    self.bytes = bytes
    self.position = position
  }

  /// Returns the characters of the literal.
  mutating func read() throws(PredicateFailure) -> String {
    let start = position
    let quote = bytes[position]
    position += 1
    while position < bytes.count {
      let byte = bytes[position]
      if byte == quote {
        position += 1
        return String(decoding: result, as: UTF8.self)
      }
      if byte == UInt8(ascii: "\\") {
        try escape()
      } else {
        result.append(byte)
        position += 1
      }
    }
    throw PredicateFailure("The string that begins here doesn't end.", at: start)
  }

  private mutating func escape() throws(PredicateFailure) {
    guard position + 1 < bytes.count else {
      position += 1
      return
    }
    let byte = bytes[position + 1]
    switch byte {
    case UInt8(ascii: "u"): return try unicode()
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "f"): result.append(0x0C)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "'"), UInt8(ascii: "\""):
      result.append(byte)
    default:
      throw PredicateFailure(
        "There is no such escape.",
        hint: "A backslash is written twice, also in patterns of LIKE and MATCHES.",
        at: position
      )
    }
    position += 2
  }

  /// Reads `\uXXXX`, or two of them that are a surrogate pair.
  private mutating func unicode() throws(PredicateFailure) {
    let start = position
    var value = UInt32(try unit())
    if value & 0xFC00 == 0xD800, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    {
      let low = UInt32(try unit())
      guard low & 0xFC00 == 0xDC00 else { throw Self.lone(start) }
      value = 0x10000 + (value & 0x3FF) << 10 + low & 0x3FF
    }
    guard let scalar = Unicode.Scalar(value) else { throw Self.lone(start) }
    result.append(contentsOf: String(scalar).utf8)
  }

  private mutating func unit() throws(PredicateFailure) -> UInt16 {
    let digits = bytes[min(position + 2, bytes.count)...].prefix(4)
    var value: UInt16 = 0
    for digit in digits {
      guard let digit = HexDigit.value(digit) else { break }
      value = value << 4 | UInt16(digit)
    }
    guard digits.count == 4, digits.allSatisfy({ HexDigit.value($0) != nil }) else {
      throw PredicateFailure("Four hexadecimal digits must follow \\u.", at: position)
    }
    position += 6
    return value
  }

  private static func lone(_ offset: Int) -> PredicateFailure {
    PredicateFailure("A surrogate must be half of a pair.", at: offset)
  }
}
