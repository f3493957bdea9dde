/// Reads numbers from checked JSON text, exactly or not at all.
package enum JSONNumber {
  /// Returns the integer that `text` writes, or `nil` if it has none that fits.
  ///
  /// `5.0` and `5e0` are integers too, within ±2^53.
  package static func int64(_ text: UnsafeBufferPointer<UInt8>, isComplex: Bool) -> Int64? {
    if isComplex {
      guard let value = double(text), value.magnitude <= 0x1p53 else { return nil }
      return Int64(exactly: value)
    }
    let isNegative = text[0] == UInt8(ascii: "-")
    var magnitude: UInt64 = 0
    for byte in text.dropFirst(isNegative ? 1 : 0) {
      let (product, overflow) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(UInt64(byte &- 0x30))
      if overflow || carry { return nil }
      magnitude = sum
    }
    if isNegative {
      return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil
    }
    return Int64(exactly: magnitude)
  }

  /// Returns the finite double nearest to the number that `text` writes, or `nil` if it overflows.
  package static func double(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    if let value = shortDecimal(text) { return value }
    guard let value = Double(String(decoding: text, as: UTF8.self)), value.isFinite else {
      return nil
    }
    return value
  }

  /// Reads up to 15 digits without an exponent: one exact division, so the result is exact too.
  private static func shortDecimal(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
    guard text.count <= 17 else { return nil }
    var mantissa: Int64 = 0
    var digits = 0
    var fraction = 0
    var seenPoint = false
    let isNegative = text[0] == UInt8(ascii: "-")
    for byte in text.dropFirst(isNegative ? 1 : 0) {
      if byte == UInt8(ascii: "."), !seenPoint {
        seenPoint = true
        continue
      }
      guard byte &- 0x30 < 10 else { return nil }
      mantissa = mantissa &* 10 &+ Int64(byte &- 0x30)
      digits += 1
      if seenPoint { fraction += 1 }
    }
    guard digits <= 15 else { return nil }
    let magnitude = Double(mantissa) / powersOfTen[fraction]
    return isNegative ? -magnitude : magnitude
  }

  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
  ]
}
