package import FoundationEssentials

/// The stored form of a decimal: bytes in the order of the numbers.
///
/// Equal decimals have equal bytes. A number ±0.d1d2d3… × 10^e, with d1 not zero, is a byte for its
/// sign, e as a biased big-endian integer, and its digits in pairs. The bytes of a negative number
/// are complemented and followed by 0xFF, so that a longer one sorts before its prefix.
package enum DecimalKey {
  private enum Sign {
    static let nan: UInt8 = 0
    static let negative: UInt8 = 1
    static let zero: UInt8 = 2
    static let positive: UInt8 = 3
  }

  private static let bias = 1000

  /// Returns the stored form of a decimal.
  package static func encode(_ value: Decimal) -> [UInt8] {
    if value.isNaN { return [Sign.nan] }
    if value.isZero { return [Sign.zero] }
    // The significand is an integer of up to 39 digits.
    var digits = value.significand.description.utf8.map { $0 &- 0x30 }
    var exponent = value.exponent
    while digits.last == 0 {
      digits.removeLast()
      exponent += 1
    }
    let biased = UInt16(digits.count + exponent + bias)
    var bytes = [UInt8(biased >> 8), UInt8(biased & 0xFF)]
    for index in stride(from: 0, to: digits.count, by: 2) {
      let second = index + 1 < digits.count ? digits[index + 1] : 0
      bytes.append(digits[index] * 10 + second + 1)
    }
    if value.sign == .plus { return [Sign.positive] + bytes }
    return [Sign.negative] + bytes.map { ~$0 } + [0xFF]
  }

  /// Returns the decimal of a stored form, or `nil` if the bytes are invalid.
  package static func decode(_ bytes: UnsafeBufferPointer<UInt8>) -> Decimal? {
    guard let sign = bytes.first else { return nil }
    switch sign {
    case Sign.nan where bytes.count == 1: return .nan
    case Sign.zero where bytes.count == 1: return Decimal(0)
    case Sign.positive: return number(bytes.dropFirst(), isNegative: false)
    case Sign.negative where bytes.last == 0xFF:
      return number(bytes.dropFirst().dropLast(), isNegative: true)
    default: return nil
    }
  }

  private static func number(
    _ body: Slice<UnsafeBufferPointer<UInt8>>,
    isNegative: Bool
  ) -> Decimal? {
    let bytes = body.map { isNegative ? ~$0 : $0 }
    guard 3...22 ~= bytes.count else { return nil }
    var mantissa: UInt128 = 0
    var digitCount = 2 * (bytes.count - 2)
    for (index, byte) in bytes.enumerated().dropFirst(2) {
      guard 1...100 ~= byte else { return nil }
      // The zero that fills the last pair isn't a digit; with it there could be more than 39
      // digits.
      let isHalf = index == bytes.count - 1 && (byte - 1) % 10 == 0
      if isHalf { digitCount -= 1 }
      let (product, overflow) = mantissa.multipliedReportingOverflow(by: isHalf ? 10 : 100)
      let (sum, carry) = product.addingReportingOverflow(
        UInt128(isHalf ? (byte - 1) / 10 : byte - 1)
      )
      if overflow || carry { return nil }
      mantissa = sum
    }
    var exponent = (Int(bytes[0]) << 8 | Int(bytes[1])) - bias - digitCount
    while mantissa > 0, mantissa % 10 == 0 {
      mantissa /= 10
      exponent += 1
    }
    while exponent > 127 {
      let (product, overflow) = mantissa.multipliedReportingOverflow(by: 10)
      if overflow { return nil }
      mantissa = product
      exponent -= 1
    }
    guard exponent >= -128 else { return nil }
    return Decimal(string: "\(isNegative ? "-" : "")\(mantissa)e\(exponent)")
  }
}
