/// Numbers as decimal text, written into memory of the caller.
enum NumberText {
  /// The most bytes of a number, and the room for it: bytes behind its text are written too.
  static let longest = 32

  /// The numbers up to this one have at most eight digits.
  static let longestShort: UInt64 = 99_999_999

  /// Writes a whole number, and returns the number of its digits.
  static func write(_ value: UInt64, to target: UnsafeMutablePointer<UInt8>) -> Int {
    value <= longestShort ? write(short: value, to: target) : writeLong(value, to: target)
  }

  /// Writes a number up to ``longestShort``, and returns the number of its digits.
  @inline(__always)
  static func write(short value: UInt64, to target: UnsafeMutablePointer<UInt8>) -> Int {
    if value < 10 {
      target[0] = 0x30 + UInt8(truncatingIfNeeded: value)
      return 1
    }
    let digits = digits(value)
    let zeros = digits.trailingZeroBitCount & 0b111000
    store(digits &>> UInt64(zeros), to: target)
    return 8 &- zeros / 8
  }

  private static func writeLong(
    _ value: UInt64,
    to target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    let (head, tail) = value.quotientAndRemainder(dividingBy: 100_000_000)
    let count = write(head, to: target)
    store(digits(tail), to: target + count)
    return count + 8
  }

  /// Writes a whole number, and returns how many bytes it has.
  static func write(_ value: Int64, to target: UnsafeMutablePointer<UInt8>) -> Int {
    guard value < 0 else { return write(value.magnitude, to: target) }
    target[0] = UInt8(ascii: "-")
    return write(value.magnitude, to: target + 1) + 1
  }

  /// Writes the shortest decimal that reads back as a finite number, and returns its size in bytes.
  static func write(_ value: Double, to target: UnsafeMutablePointer<UInt8>) -> Int {
    if value.magnitude < 0x1p53, value != 0, value == Double(Int64(value)) {
      let count = write(Int64(value), to: target)
      target[count] = UInt8(ascii: ".")
      target[count + 1] = UInt8(ascii: "0")
      return count + 2
    }
    guard let decimal = ShortestDecimal(value.magnitude) else {
      var text = Target(start: target)
      value.write(to: &text)
      return text.count
    }
    target[0] = UInt8(ascii: "-")
    let sign = value < 0 ? 1 : 0
    return sign + write(decimal, to: target + sign)
  }

  @inline(__always)
  private static func write(
    _ decimal: ShortestDecimal,
    to target: UnsafeMutablePointer<UInt8>
  ) -> Int {
    let (head, tail) = decimal.digits.quotientAndRemainder(dividingBy: 100_000_000)
    let (first, middle) = head.quotientAndRemainder(dividingBy: 100_000_000)
    let (second, third) = (digits(middle), digits(tail))
    // Zeros at the end are in the highest bytes.
    let zeros = third == 0 ? 64 &+ second.leadingZeroBitCount : third.leadingZeroBitCount
    let whole = 17 &- decimal.power
    // The digits begin behind the point of a number below one; otherwise, those before the point
    // move to make room for it.
    let start = whole > 0 ? 1 : 2 &- whole
    if whole <= 0 { store(0, to: target) }
    target[start] = 0x30 + UInt8(truncatingIfNeeded: first)
    store(second, to: target + (start &+ 1))
    store(third, to: target + (start &+ 9))
    var index = 0
    while index < whole {
      target[index] = target[index &+ 1]
      index &+= 1
    }
    target[max(whole, 1)] = UInt8(ascii: ".")
    return start &+ 17 &- zeros / 8
  }

  /// Returns the eight digits of a number, the first one in the lowest byte.
  @inline(__always)
  private static func digits(_ value: UInt64) -> UInt64 {
    let fours = value / 10_000 | (value % 10_000) << 32
    let hundreds = (fours &* 5243) >> 19 & 0x7F_0000_007F
    let twos = hundreds | (fours &- hundreds &* 100) << 16
    let tens = (twos &* 103) >> 10 & 0x000F_000F_000F_000F
    return tens | (twos &- tens &* 10) << 8
  }

  /// Writes eight digits.
  @inline(__always)
  private static func store(_ digits: UInt64, to target: UnsafeMutablePointer<UInt8>) {
    UnsafeMutableRawPointer(target)
      .storeBytes(of: (digits | 0x3030_3030_3030_3030).littleEndian, as: UInt64.self)
  }

  /// The memory as a stream of text.
  private struct Target: TextOutputStream {
    let start: UnsafeMutablePointer<UInt8>
    var count = 0

    mutating func write(_ text: String) {
      for byte in text.utf8 {
        start[count] = byte
        count += 1
      }
    }

    /// Receives ASCII text without a string; the standard library calls it for numbers.
    // swift-format-ignore: NoLeadingUnderscores
    mutating func _writeASCII(_ text: UnsafeBufferPointer<UInt8>) {
      guard let first = text.baseAddress else { return }
      (start + count).update(from: first, count: text.count)
      count += text.count
    }
  }
}

/// The shortest decimal that reads back as a number with a fraction, and is nearest to it.
///
/// All arithmetic is exact: the products of such numbers and the powers of ten fit into 128 bits.
private struct ShortestDecimal {
  /// Its 17 digits, with zeros at the end.
  let digits: UInt64
  /// The power of ten by which the digits are divided.
  let power: Int

  /// Finds the decimal of a positive number.
  ///
  /// Returns `nil` for a number outside of 0.0001..<2^53, for a power of two, and where two decimals
  /// are equally near, or one is exactly between two numbers.
  @inline(__always)
  init?(_ value: Double) {
    guard value >= 1e-4, value < 0x1p53, value.significandBitPattern != 0 else { return nil }
    let exponent = Int(truncatingIfNeeded: value.exponentBitPattern) &- 1023
    // The value is at least so many tens.
    var tens = (exponent &* 78913) &>> 18
    if value >= Self.powersOfTen[tens &+ 6] { tens &+= 1 }
    power = 16 &- tens
    // All decimals that are nearer than this, in units of 2^-shift, read back as the number.
    let distance = Self.powersOfFive[power]
    let (high, low) = ((value.significandBitPattern | 1 << 52) << 1)
      .multipliedFullWidth(by: distance)
    let shift = UInt64(truncatingIfNeeded: 53 &- exponent &- power)
    let whole = high &<< (64 &- shift) | low &>> shift
    let fraction = low & (1 &<< shift &- 1)

    /// Returns the nearest multiple of a power of ten with its distance, or `nil` if two are nearest.
    @inline(__always)
    func multiple(_ unit: UInt64) -> (value: UInt64, distance: UInt64)? {
      let rest = whole % unit
      let below = rest &<< shift | fraction
      let above = unit &<< shift &- below
      if below == above { return nil }
      return below < above ? (whole &- rest, below) : (whole &- rest &+ unit, above)
    }
    guard let tens = multiple(10), tens.distance != distance else { return nil }
    guard tens.distance < distance else {
      guard let ones = multiple(1) else { return nil }
      digits = ones.value
      return
    }
    guard let hundreds = multiple(100), hundreds.distance != distance else { return nil }
    digits = hundreds.distance < distance ? hundreds.value : tens.value
  }

  private static let powersOfTen: [Double] = [
    1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12,
    1e13, 1e14, 1e15, 1e16,
  ]

  private static let powersOfFive: [UInt64] = [
    1, 5, 25, 125, 625, 3_125, 15_625, 78_125, 390_625, 1_953_125, 9_765_625, 48_828_125,
    244_140_625, 1_220_703_125, 6_103_515_625, 30_517_578_125, 152_587_890_625, 762_939_453_125,
    3_814_697_265_625, 19_073_486_328_125, 95_367_431_640_625, 476_837_158_203_125,
  ]
}
