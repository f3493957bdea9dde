internal import FoundationEssentials

/// Reads numbers from checked JSON text, exactly or not at all.
package enum JSONNumber {
  /// A number as a 64-bit integer.
  package enum Whole: Hashable, Sendable {
    case value(Int64)
    /// It isn't whole.
    case fraction
    /// It is whole and doesn't fit.
    case tooGreat
  }

  /// Returns the integer that `text` writes, or `nil` if it has none that fits.
  ///
  /// `5.0` and `5e3` are integers too.
  package static func int64(_ text: UnsafeBufferPointer<UInt8>, isComplex: Bool) -> Int64? {
    if isComplex {
      guard case .value(let value) = whole(text) else { return nil }
      return value
    }
    let isNegative = text[0] == UInt8(ascii: "-")
    var magnitude: UInt64 = 0
    for byte in text.dropFirst(isNegative ? 1 : 0) {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(byte &- 0x30))
      if overflow || carry { return nil }
      magnitude = sum
    }
    return signed(magnitude, isNegative)
  }

  /// Reads a number with or without a fraction and an exponent as an integer, digit by digit; `nil` if it
  /// isn't one in JSON's grammar.
  package static func whole(_ text: UnsafeBufferPointer<UInt8>) -> Whole? {
    guard let digits = SignificantDigits(text) else { return nil }
    guard let first = digits.first, let last = digits.last else { return .value(0) }
    if last.power < 0 { return .fraction }
    if first.power > 18 { return .tooGreat }
    var magnitude: UInt64 = 0
    for byte in text[first.index...last.index] where byte != UInt8(ascii: ".") {
      magnitude = magnitude * 10 + UInt64(byte &- 0x30)
    }
    for _ in 0..<last.power { magnitude *= 10 }
    return signed(magnitude, digits.isNegative).map(Whole.value) ?? .tooGreat
  }

  private static func signed(_ magnitude: UInt64, _ isNegative: Bool) -> Int64? {
    guard isNegative else { return Int64(exactly: magnitude) }
    return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
  }

  /// Whether rounding a number to its nearest double gave a different whole number.
  ///
  /// The shortest text of the double counts as that double, so reading it back isn't rounding.
  package static func isRounded(
    _ text: UnsafeBufferPointer<UInt8>,
    to double: Double
  ) -> Bool {
    guard double.isFinite, double == double.rounded() else { return false }
    switch whole(text) {
    case .fraction?: return true
    case .value(let value)?:
      if Double(exactly: value) != nil { return false }
      var shortest = double.description
      return shortest.withUTF8 { whole($0) } != .value(value)
    case .tooGreat?:
      // Digits beyond a decimal's can't be kept in any type.
      guard let exact = DecimalText.parse(String(decoding: text, as: UTF8.self)) else {
        return false
      }
      let whole = UInt128(exactly: double.magnitude).flatMap { DecimalText.parse("\($0)") }
      return whole != exact.magnitude && DecimalText.parse(double.description) != exact
    case nil: return false
    }
  }

  /// Returns the finite double nearest to the number that `text` writes, or `nil` if it overflows.
  package static func double(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    var end = 0
    if let value = shortDecimal(text, from: &end), end == text.count { return value }
    guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
      return nil
    }
    return value
  }

  /// Reads up to 19 digits without an exponent, which is the division of two whole numbers.
  ///
  /// - Parameters:
  ///   - text: The text; anything may follow the number.
  ///   - position: The place of the number; afterwards, the place behind it.
  /// - Returns: The nearest double; `nil` if there is no number, or it has more digits.
  static func shortDecimal(
    _ text: UnsafeBufferPointer<UInt8>,
    from position: inout Int
  ) -> Double? {
    var next = position
    let isNegative = next < text.count && text[next] == UInt8(ascii: "-")
    if isNegative { next += 1 }
    var digits: UInt64 = 0
    let start = next
    var point: Int?
    while next < text.count, next - start <= 20 {
      let digit = text[next] &- UInt8(ascii: "0")
      if digit < 10 {
        digits = digits &* 10 &+ UInt64(digit)
      } else if text[next] == UInt8(ascii: "."), point == nil, next > start {
        point = next
      } else {
        break
      }
      next += 1
    }
    let count = next - start - (point == nil ? 0 : 1)
    guard 1...19 ~= count else { return nil }
    position = next
    let divisor = powersOfTen[point.map { next - $0 - 1 } ?? 0]
    // A division of numbers that doubles hold is rounded once.
    let magnitude =
      count <= 15 ? Double(digits) / Double(divisor) : quotient(digits, divisor)
    return isNegative ? -magnitude : magnitude
  }

  /// Returns the double nearest to a quotient.
  private static func quotient(_ dividend: UInt64, _ divisor: UInt64) -> Double {
    if dividend == 0 { return 0 }
    let (scale, divisorScale) = (dividend.leadingZeroBitCount, divisor.leadingZeroBitCount)
    let scaled = dividend << UInt64(scale)
    let (quotient, rest) = (divisor << UInt64(divisorScale))
      .dividingFullWidth((scaled >> 1, scaled << 63))
    // The quotient has at least 63 bits; the lowest one stands for the rest when it is rounded.
    let rounded = Double(rest == 0 ? quotient : quotient | 1)
    let exponent = divisorScale - scale - 63
    return rounded * Double(sign: .plus, exponent: exponent, significand: 1)
  }

  private static let powersOfTen: [UInt64] = [
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
    10_000_000_000, 100_000_000_000, 1_000_000_000_000, 10_000_000_000_000, 100_000_000_000_000,
    1_000_000_000_000_000, 10_000_000_000_000_000, 100_000_000_000_000_000,
    1_000_000_000_000_000_000, 10_000_000_000_000_000_000,
  ]
}

/// The significant digits of a number, without leading and trailing zeros.
struct SignificantDigits {
  var isNegative: Bool
  /// The first and the last digit, each with its power of ten; `nil` if the number is 0.
  var first: (index: Int, power: Int)?
  var last: (index: Int, power: Int)?

  /// The number of digits from the first to the last.
  var count: Int {
    guard let first, let last else { return 0 }
    return first.power - last.power + 1
  }

  init?(_ text: String) {
    var text = text
    guard let digits = text.withUTF8({ Self($0) }) else { return nil }
    self = digits
  }

  /// Returns `nil` if `text` isn't digits with an optional minus, fraction, and exponent.
  init?(_ text: UnsafeBufferPointer<UInt8>) {
    let end = text.firstIndex { $0 | 0x20 == UInt8(ascii: "e") } ?? text.count
    isNegative = text.first == UInt8(ascii: "-")
    let start = isNegative ? 1 : 0
    guard start < end, let exponent = Self.exponent(text[end...]) else { return nil }
    let point = text[start..<end].firstIndex(of: UInt8(ascii: ".")) ?? end
    guard point > start, point != end - 1 else { return nil }
    for index in start..<end where index != point {
      guard text[index] &- 0x30 < 10 else { return nil }
      if text[index] == UInt8(ascii: "0") { continue }
      let power = (index < point ? point - index - 1 : point - index) + exponent
      if first == nil { first = (index, power) }
      last = (index, power)
    }
  }

  /// Reads an exponent with its letter; 0 if there is none.
  ///
  /// Absurdly large exponents are cut to 2^40.
  private static func exponent(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    var digits = text.dropFirst()
    if text.isEmpty { return 0 }
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
    guard !digits.isEmpty else { return nil }
    var result = 0
    for byte in digits {
      guard byte &- 0x30 < 10 else { return nil }
      result = min(result * 10 + Int(byte &- 0x30), 1 << 40)
    }
    return isNegative ? -result : result
  }
}
