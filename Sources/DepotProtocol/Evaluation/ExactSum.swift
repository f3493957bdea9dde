/// A sum of doubles without rounding, so that the order of the values doesn't matter.
///
/// The sum is a multiple of 2^-1074, the least double, in digits of 32 bits; these may be negative
/// or too large until they are settled.
package struct ExactSum {
  private var digits: [Int64] = []
  /// The number of values that can still be added before a digit may overflow.
  private var room = 1 << 29
  /// The sum of the values that aren't finite.
  private var special: Double?

  package init() {}

  package mutating func add(_ value: Double) {
    guard value.isFinite else {
      special = (special ?? 0) + value
      return
    }
    guard value != 0 else { return }
    if digits.isEmpty { digits = Array(repeating: 0, count: 68) }
    let position = max(Int(value.exponentBitPattern), 1) - 1
    let hidden: UInt64 = value.isSubnormal ? 0 : 1 << 52
    let (index, shift) = (position >> 5, position & 31)
    let wide = UInt128(value.significandBitPattern | hidden) << UInt128(shift)
    let sign: Int64 = value < 0 ? -1 : 1
    digits[index] += sign * Int64(truncatingIfNeeded: wide & 0xFFFF_FFFF)
    digits[index + 1] += sign * Int64(truncatingIfNeeded: wide >> 32 & 0xFFFF_FFFF)
    digits[index + 2] += sign * Int64(truncatingIfNeeded: wide >> 64)
    room -= 1
    if room == 0 { settle() }
  }

  /// Brings all digits but the last into the range from 0 to 2^32.
  private mutating func settle() {
    var carry: Int64 = 0
    for index in digits.indices.dropLast() {
      let value = digits[index] + carry
      digits[index] = value & 0xFFFF_FFFF
      carry = value >> 32
    }
    digits[digits.count - 1] += carry
    room = 1 << 29
  }

  /// The double that is nearest to the sum; `nil` if the sum of finite values is too great for one.
  package var value: Double? {
    if let special { return special }
    let value = scaled(by: 0)
    return value.isFinite ? value : nil
  }

  /// Returns a double near the sum divided by `count`.
  package func mean(of count: Int) -> Double {
    if let value { return value / Double(count) }
    // The sum may be too great for a double, but the mean isn't.
    return Double(sign: .plus, exponent: 64, significand: scaled(by: -64) / Double(count))
  }

  /// Returns the double that is nearest to the sum of the finite values, times a power of 2.
  private func scaled(by power: Int) -> Double {
    if digits.isEmpty { return 0 }
    var copy = self
    copy.settle()
    let isNegative = (copy.digits.last ?? 0) < 0
    if isNegative {
      for index in copy.digits.indices { copy.digits[index] = -copy.digits[index] }
      copy.settle()
    }
    let magnitude = copy.magnitude(power)
    return isNegative ? -magnitude : magnitude
  }

  /// Returns the value of settled, non-negative digits times a power of 2, rounded once.
  ///
  /// The highest 64 bits are exact, and one bit below them stands for all others.
  private func magnitude(_ power: Int) -> Double {
    guard let top = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
    var bits: UInt128 = 0
    for index in stride(from: top, to: top - 4, by: -1) where index >= 0 {
      bits |= UInt128(digits[index]) << UInt128(32 * (index - top + 3))
    }
    if digits.prefix(max(top - 3, 0)).contains(where: { $0 != 0 }) { bits |= 1 }
    let exponent = 32 * (top - 3) - 1074 + power
    // A subnormal result has no bits below its last one, so nothing is rounded twice.
    let trailing = bits.trailingZeroBitCount
    let width = 128 - bits.leadingZeroBitCount
    if width - trailing <= 53 {
      return Double(
        sign: .plus,
        exponent: exponent + trailing,
        significand: Double(bits >> UInt128(trailing))
      )
    }
    return Double(sign: .plus, exponent: exponent, significand: Double(bits))
  }
}
