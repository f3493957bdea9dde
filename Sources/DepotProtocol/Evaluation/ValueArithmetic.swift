internal import FoundationEssentials
internal import Glibc

/// The arithmetic of two numbers; `nil` where there is no result.
///
/// Finite operands give finite results: there is none where it would be NaN or too large. Otherwise
/// the result is defined by IEEE 754.
package enum ValueArithmetic {
  /// Returns the result, of the wider of the two types: int64, double, decimal.
  package static func combine(
    _ operation: QueryExpression.Arithmetic,
    _ left: Value,
    _ right: Value
  ) -> Value? {
    switch (left, right) {
    case (.int64(let left), .int64(let right)):
      combine(operation, left, right).map(Value.int64)
    case (.decimal, _), (_, .decimal):
      decimal(left).flatMap { left in
        decimal(right).flatMap { combine(operation, left, $0).map(Value.decimal) }
      }
    default:
      double(left).flatMap { left in
        double(right).flatMap { right in
          combine(operation, left, right).flatMap { result($0, of: left, right) }
            .map(Value.double)
        }
      }
    }
  }

  /// Returns a result; `nil` if it isn't finite though all operands are.
  package static func result(_ result: Double, of operands: Double...) -> Double? {
    result.isFinite || !operands.allSatisfy(\.isFinite) ? result : nil
  }

  private static func combine(
    _ operation: QueryExpression.Arithmetic,
    _ left: Int64,
    _ right: Int64
  ) -> Int64? {
    let (result, isOverflow) =
      switch operation {
      case .add: left.addingReportingOverflow(right)
      case .subtract: left.subtractingReportingOverflow(right)
      case .multiply: left.multipliedReportingOverflow(by: right)
      case .divide: left.dividedReportingOverflow(by: right)
      // Swift reports an overflow here, but the remainder is 0.
      case .modulo where right == -1: (0, false)
      case .modulo: left.remainderReportingOverflow(dividingBy: right)
      case .power: power(left, right)
      }
    return isOverflow ? nil : result
  }

  private static func combine(
    _ operation: QueryExpression.Arithmetic,
    _ left: Double,
    _ right: Double
  ) -> Double? {
    switch operation {
    case .add: left + right
    case .subtract: left - right
    case .multiply: left * right
    case .divide: right == 0 ? nil : left / right
    case .modulo: right == 0 ? nil : left.truncatingRemainder(dividingBy: right)
    case .power: .some(Glibc.pow(left, right))
    }
  }

  private static func combine(
    _ operation: QueryExpression.Arithmetic,
    _ left: Decimal,
    _ right: Decimal
  ) -> Decimal? {
    if left.isNaN || right.isNaN { return nil }
    switch operation {
    case .add, .subtract:
      let result = operation == .add ? left + right : left - right
      return result.isNaN ? nil : result
    case .multiply: return DecimalParts.product(left, right)
    case .divide: return DecimalParts.quotient(left, right)
    case .modulo:
      return right.isZero ? nil : DecimalParts(left).remainder(by: DecimalParts(right))
    case .power:
      guard let exponent = Int(right.description), 0...1000 ~= exponent else { return nil }
      return DecimalParts.power(left, exponent)
    }
  }

  /// The power of integers; a negative exponent counts as an overflow.
  private static func power(_ base: Int64, _ exponent: Int64) -> (Int64, Bool) {
    guard exponent >= 0 else { return (0, true) }
    var (result, square, rest) = (Int64(1), base, exponent)
    while rest > 0 {
      if rest & 1 == 1 {
        let (product, isOverflow) = result.multipliedReportingOverflow(by: square)
        if isOverflow { return (0, true) }
        result = product
      }
      rest >>= 1
      if rest > 0 {
        let (product, isOverflow) = square.multipliedReportingOverflow(by: square)
        if isOverflow { return (0, true) }
        square = product
      }
    }
    return (result, false)
  }

  /// The number as a double, rounded if necessary; `nil` if it isn't a number.
  package static func double(_ value: Value) -> Double? {
    switch value {
    case .int64(let value): Double(value)
    case .double(let value): value
    case .decimal(let value): Double(value.description)
    default: nil
    }
  }

  static func decimal(_ value: Value) -> Decimal? {
    switch value {
    case .int64(let value): Decimal(value)
    case .double(let value): DecimalText.parse(value.description)
    case .decimal(let value): value
    default: nil
    }
  }
}

/// A decimal taken apart, for exact operations that Decimal lacks.
struct DecimalParts {
  var isNegative: Bool
  var significand: UInt128
  var exponent: Int

  private init(isNegative: Bool, significand: UInt128, exponent: Int) {
    (self.isNegative, self.significand, self.exponent) = (isNegative, significand, exponent)
  }

  init(_ value: Decimal) {
    isNegative = value.sign == .minus
    // The significand's description is digits only, since it is a whole number.
    significand = UInt128(value.significand.magnitude.description) ?? 0
    exponent = value.exponent
  }

  var decimal: Decimal? {
    Decimal(string: "\(isNegative ? "-" : "")\(significand)e\(exponent)")
  }

  /// Returns a product, rounded to the available digits; `nil` if it is too large.
  ///
  /// Foundation's product traps if the exponent is too small.
  static func product(_ left: Decimal, _ right: Decimal) -> Decimal? {
    guard left.exponent + right.exponent < Int(Int8.min) else {
      let result = left * right
      return result.isNaN ? nil : result
    }
    let (left, right) = (DecimalParts(left), DecimalParts(right))
    var (high, low) = left.significand.multipliedFullWidth(by: right.significand)
    var exponent = left.exponent + right.exponent
    var last: UInt128 = 0
    while high > 0 || low > 0 && exponent < Int(Int8.min) {
      let (tenth, rest) = high.quotientAndRemainder(dividingBy: 10)
      high = tenth
      (low, last) = UInt128(10).dividingFullWidth((rest, low))
      exponent += 1
    }
    if last >= 5 { low += 1 }
    guard low > 0 else { return 0 }
    let isNegative = left.isNegative != right.isNegative
    return DecimalParts(isNegative: isNegative, significand: low, exponent: exponent).decimal
  }

  /// Returns a quotient, rounded to the available digits; `nil` if there is none.
  ///
  /// Foundation's quotient has as few correct digits as the divisor leaves room for.
  static func quotient(_ left: Decimal, _ right: Decimal) -> Decimal? {
    let (left, right) = (DecimalParts(left), DecimalParts(right))
    let divisor = right.significand
    guard divisor > 0 else { return nil }
    var (digits, rest) = left.significand.quotientAndRemainder(dividingBy: divisor)
    var exponent = left.exponent - right.exponent
    while rest > 0, digits < mostDigits, exponent > Int(Int8.min) {
      let (digit, next) = divisor.dividingFullWidth(rest.multipliedFullWidth(by: 10))
      (digits, rest) = (digits * 10 + digit, next)
      exponent -= 1
    }
    var isAway = rest >= divisor - rest
    while exponent < Int(Int8.min), digits > 0 {
      isAway = digits % 10 >= 5
      (digits, exponent) = (digits / 10, exponent + 1)
    }
    if isAway { digits += 1 }
    guard digits > 0 else { return 0 }
    let isNegative = left.isNegative != right.isNegative
    return DecimalParts(isNegative: isNegative, significand: digits, exponent: exponent).decimal
  }

  /// The least number with 38 digits.
  private static let mostDigits = UInt128("10000000000000000000000000000000000000") ?? .max

  /// Returns a power; `nil` if it is too large.
  static func power(_ base: Decimal, _ exponent: Int) -> Decimal? {
    var (result, square, rest) = (Decimal(1), base, exponent)
    while rest > 0 {
      if rest & 1 == 1 {
        guard let product = product(result, square) else { return nil }
        result = product
      }
      rest >>= 1
      if rest > 0 {
        guard let product = product(square, square) else { return nil }
        square = product
      }
    }
    return result
  }

  /// Returns the remainder of a division, with the sign of the dividend.
  func remainder(by divisor: DecimalParts) -> Decimal? {
    var rest = self
    var modulus = divisor.significand
    var shift = divisor.exponent - exponent
    while shift > 0 {
      let (product, isOverflow) = modulus.multipliedReportingOverflow(by: 10)
      // The divisor is greater than any number with the dividend's exponent.
      if isOverflow { return decimal }
      modulus = product
      shift -= 1
    }
    rest.significand = significand % modulus
    while shift < 0 {
      rest.significand = multiplyByTen(rest.significand, modulo: modulus)
      shift += 1
    }
    rest.exponent = min(exponent, divisor.exponent)
    return rest.significand == 0 ? Decimal(0) : rest.decimal
  }

  private func multiplyByTen(_ value: UInt128, modulo modulus: UInt128) -> UInt128 {
    let (high, low) = value.multipliedFullWidth(by: 10)
    return modulus.dividingFullWidth((high, low)).remainder
  }

  /// Returns the number rounded to a whole one.
  func rounded(_ rule: FloatingPointRoundingRule) -> Decimal? {
    guard exponent < 0 else { return decimal }
    var whole = significand
    // The last digit that was cut off, and whether any digit after it isn't 0.
    var (last, hasMore) = (UInt128(0), false)
    for _ in 0..<min(-exponent, 45) {
      hasMore = hasMore || last != 0
      (whole, last) = whole.quotientAndRemainder(dividingBy: 10)
    }
    let isInexact = hasMore || last != 0
    let isAway =
      switch rule {
      case .up: isInexact && !isNegative
      case .down: isInexact && isNegative
      case .towardZero: false
      default: last >= 5
      }
    var result = self
    result.significand = isAway ? whole + 1 : whole
    result.exponent = 0
    return result.significand == 0 ? Decimal(0) : result.decimal
  }
}
