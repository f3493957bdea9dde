/// A backslash escape in the dumps of PostgreSQL and MySQL.
struct DelimitedEscape {
  /// Whether the backslash is in quotation marks.
  var isQuoted = false
  /// Whether the field begins with `\N`, which is null if nothing follows.
  var isNull = false
  /// Whether digits of a byte's code may follow.
  private(set) var hasDigits = false
  private var base: UInt8 = 8
  private var digitCount = 0
  private var value: UInt8 = 0

  /// Begins a byte's code, as in `\x41` and `\101`; returns `false` for another escape.
  mutating func begin(_ byte: UInt8) -> Bool {
    hasDigits = true
    if byte == UInt8(ascii: "x") {
      base = 16
    } else if !take(byte) {
      hasDigits = false
    }
    return hasDigits
  }

  /// Adds a digit; returns `false` if the byte isn't a digit, or is one too many.
  mutating func take(_ byte: UInt8) -> Bool {
    guard hasDigits, digitCount < (base == 8 ? 3 : 2), let digit = Self.digit(byte), digit < base
    else { return false }
    value = value &* base &+ digit
    digitCount += 1
    return true
  }

  /// The byte that was written with digits; without digits, `\x` is its letter.
  var code: UInt8? {
    hasDigits ? (digitCount == 0 ? UInt8(ascii: "x") : value) : nil
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Returns the byte for a letter after a backslash; most letters stand for themselves.
  static func byte(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    case UInt8(ascii: "v"): 0x0B
    case UInt8(ascii: "Z"): 0x1A
    default: letter
    }
  }
}
