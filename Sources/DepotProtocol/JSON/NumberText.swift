/// Numbers as decimal text, written into memory of the caller.
enum NumberText {
  /// The most bytes of a number.
  static let longest = 32

  /// Writes a whole number, and returns the number of its digits.
  @inline(__always)
  static func write(_ value: UInt64, to target: UnsafeMutablePointer<UInt8>) -> Int {
    var (count, bound) = (1, UInt64(10))
    while value >= bound {
      count += 1
      if count == 20 { break }
      bound *= 10
    }
    var rest = value
    var index = count
    while index > 0 {
      index -= 1
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
      target[index] = 0x30 + UInt8(truncatingIfNeeded: remainder)
      rest = quotient
    }
    return count
  }

  /// Writes a whole number, and returns how many bytes it has.
  @inline(__always)
  static func write(_ value: Int64, to target: UnsafeMutablePointer<UInt8>) -> Int {
    guard value < 0 else { return write(value.magnitude, to: target) }
    target[0] = UInt8(ascii: "-")
    return write(value.magnitude, to: target + 1) + 1
  }

  /// Writes the shortest decimal that reads back as a finite number, and returns its size in bytes.
  static func write(_ value: Double, to target: UnsafeMutablePointer<UInt8>) -> Int {
    if value.magnitude < 0x1p53, let whole = Int64(exactly: value), whole != 0 {
      let count = write(whole, to: target)
      target[count] = UInt8(ascii: ".")
      target[count + 1] = UInt8(ascii: "0")
      return count + 2
    }
    if let count = write(thousandths: value, to: target) { return count }
    var text = Target(start: target)
    value.write(to: &text)
    return text.count
  }

  /// Writes a number with up to three digits behind the point; returns `nil` if it isn't one.
  ///
  /// Its shortest decimal has at most 15 digits, so that no other such decimal is nearest to it.
  private static func write(
    thousandths value: Double,
    to target: UnsafeMutablePointer<UInt8>
  ) -> Int? {
    let scaled = value * 1000
    guard scaled.magnitude < 1e15, scaled.magnitude >= 1 else { return nil }
    let thousandths = Int64(scaled.rounded())
    guard Double(thousandths) / 1000 == value else { return nil }
    let (whole, fraction) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
    var count = 0
    if thousandths < 0 {
      target[0] = UInt8(ascii: "-")
      count = 1
    }
    count += write(whole, to: target + count)
    target[count] = UInt8(ascii: ".")
    var rest = fraction
    repeat {
      count += 1
      let (digit, next) = rest.quotientAndRemainder(dividingBy: 100)
      target[count] = 0x30 + UInt8(truncatingIfNeeded: digit)
      rest = next * 10
    } while rest != 0
    return count + 1
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
