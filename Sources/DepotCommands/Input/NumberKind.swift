internal import DepotProtocol

/// The types that can hold a number, judging by its text.
enum NumberKind: Equatable {
  /// An integer of 64 bits; `isWide` if a double may only hold the nearest one.
  case integer(isWide: Bool)
  /// A number of up to 38 digits that a double can't hold exactly.
  case decimal
  /// A number that a double holds exactly; `isDecimal` if a decimal does too.
  case double(isDecimal: Bool)

  /// The number of significant digits that every double keeps.
  private static let doubleDigits = 15
  /// Integers up to this one are exact doubles.
  private static let wide = 1 << 53
  /// The powers of ten that the digits of a decimal must be in.
  private static let decimalPowers = -100...100

  /// Recognizes a number in JSON's grammar; `nil` if it isn't one, or if no type holds it.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    guard let first = text.first, first == UInt8(ascii: "-") || first &- 0x30 < 10,
      let digits = SignificantDigitsOfNumber(text)
    else { return nil }
    if digits.isWhole, let number = Self.integer(text) {
      self = .integer(isWide: abs(number.clamped) > Self.wide)
      return
    }
    let isShort = digits.count <= Self.doubleDigits
    if isShort, abs(digits.firstPower) < 300 {
      self = .double(isDecimal: digits.areWithin(Self.decimalPowers))
      return
    }
    let string = String(decoding: text, as: UTF8.self)
    if let value = Double(string), value.isFinite, Self.isWritten(string, value) {
      self = .double(isDecimal: digits.areWithin(Self.decimalPowers))
    } else if DecimalText.parse(string) != nil {
      self = .decimal
    } else {
      return nil
    }
  }

  private static func integer(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
    if text.count > 20 { return nil }
    return Int64(String(decoding: text, as: UTF8.self))
  }

  /// Whether a double has all the digits of a text.
  private static func isWritten(_ text: String, _ value: Double) -> Bool {
    var (text, shortest) = (text, "\(value)")
    return text.withUTF8 { text in
      shortest.withUTF8 { shortest in
        SignificantDigitsOfNumber(text)?.equal(SignificantDigitsOfNumber(shortest)) == true
      }
    }
  }
}

extension Int64 {
  /// The number, or the nearest one with a magnitude.
  fileprivate var clamped: Int64 { Swift.max(self, -Int64.max) }
}

/// The digits of a number in JSON's grammar, from the first to the last that isn't 0.
private struct SignificantDigitsOfNumber {
  let isNegative: Bool
  /// Whether there is neither a fraction nor an exponent.
  private(set) var isWhole = true
  private(set) var digits: [UInt8] = []
  /// The power of ten of the first digit.
  private(set) var firstPower = 0

  var count: Int { digits.count }

  /// Returns `nil` if the text isn't in JSON's grammar.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    isNegative = text.first == UInt8(ascii: "-")
    let start = isNegative ? 1 : 0
    var position = start
    var point = -1
    while position < text.count {
      let byte = text[position]
      if byte &- 0x30 < 10 {
        if byte != 0x30 || !digits.isEmpty { digits.append(byte) }
        if digits.count == 1, byte != 0x30 { firstPower = position }
      } else if byte == UInt8(ascii: "."), point < 0, position > start {
        point = position
      } else {
        break
      }
      position += 1
    }
    let end = position
    isWhole = point < 0 && end == text.count
    let wholeEnd = point < 0 ? end : point
    guard wholeEnd > start, point != end - 1,
      text[start] != 0x30 || wholeEnd == start + 1
    else { return nil }
    var exponent = 0
    if end < text.count {
      guard let power = Self.exponent(text[end...]) else { return nil }
      exponent = power
    }
    // The position of the first digit becomes its power.
    let distance = wholeEnd - firstPower
    firstPower = digits.isEmpty ? 0 : (distance > 0 ? distance - 1 : distance) + exponent
    while digits.last == 0x30 { digits.removeLast() }
  }

  private static func exponent(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    guard let letter = text.first, letter | 0x20 == UInt8(ascii: "e") else { return nil }
    var digits = text.dropFirst()
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
    guard !digits.isEmpty, digits.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
    let value = digits.reduce(0) { min($0 * 10 + Int($1 &- 0x30), 1 << 40) }
    return isNegative ? -value : value
  }

  func equal(_ other: Self?) -> Bool {
    guard let other else { return false }
    return isNegative == other.isNegative && digits == other.digits
      && firstPower == other.firstPower
  }

  /// Whether the powers of ten of all digits are in a range.
  func areWithin(_ powers: ClosedRange<Int>) -> Bool {
    powers.contains(firstPower) && powers.contains(firstPower - max(0, count - 1))
  }
}
