/// Text that is written byte by byte into memory with room for it.
struct TextCursor: ~Copyable {
  private let room: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  /// The greatest number of bytes that ``add(number:)`` writes.
  static let digitsOfNumber = 20
  /// The greatest number of bytes that ``add(shortDecimal:)`` writes.
  static let digitsOfDecimal = 18

  init(_ room: UnsafeMutableBufferPointer<UInt8>) { self.room = room }

  var capacity: Int { room.count }

  var written: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(rebasing: room[..<count]) }

  mutating func removeAll() { count = 0 }

  @inline(__always)
  mutating func add(_ byte: UInt8) {
    room[count] = byte
    count += 1
  }

  @inline(__always)
  mutating func add(_ text: UnsafeBufferPointer<UInt8>) {
    guard let from = text.baseAddress, let to = room.baseAddress else { return }
    precondition(text.count <= room.count - count)
    (to + count).update(from: from, count: text.count)
    count += text.count
  }

  mutating func add(_ text: StaticString) {
    add(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func add(number: Int64) {
    if number < 0 { add(UInt8(ascii: "-")) }
    add(number: number.magnitude)
  }

  mutating func add(number: UInt64) {
    if number < 10 { return add(0x30 + UInt8(truncatingIfNeeded: number)) }
    var length = 1
    var power: UInt64 = 10
    while length < Self.digitsOfNumber, number >= power {
      length += 1
      power = power &* 10
    }
    var rest = number
    for place in stride(from: count + length - 1, through: count, by: -1) {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
      room[place] = 0x30 + UInt8(truncatingIfNeeded: remainder)
      rest = quotient
    }
    count += length
  }

  /// Writes a number with up to three digits behind the point; returns whether it is one.
  ///
  /// Its shortest decimal has at most 15 digits, so that no other such decimal is nearest to it.
  mutating func add(shortDecimal value: Double) -> Bool {
    let scaled = value * 1000
    guard scaled.magnitude < 1e15, scaled.magnitude >= 1 else { return false }
    let thousandths = Int64(scaled.rounded())
    guard Double(thousandths) / 1000 == value else { return false }
    if thousandths < 0 { add(UInt8(ascii: "-")) }
    let (whole, fraction) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
    add(number: whole)
    add(UInt8(ascii: "."))
    var rest = fraction
    repeat {
      let (digit, next) = rest.quotientAndRemainder(dividingBy: 100)
      add(0x30 + UInt8(truncatingIfNeeded: digit))
      rest = next * 10
    } while rest != 0
    return true
  }
}
