/// A 64-bit checksum that notices all changes within one word, and others with odds of 1 in 2^64.
///
/// Each step is a bijection of the state, so a difference can't vanish in later steps. It guards
/// against damage, not against attackers.
package struct Checksum: Sendable {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  package init() {}

  /// Adds a word.
  @inline(__always)
  package mutating func add(_ word: UInt64) {
    state = (state ^ word) &* 0xD6E8_FEB8_6659_FD93
    state ^= state >> 32
  }

  /// Adds bytes and their number.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    add(UInt64(bytes.count))
    var offset = 0
    while offset + 8 <= bytes.count {
      add(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    var tail: UInt64 = 0
    for index in offset..<bytes.count { tail = tail << 8 | UInt64(bytes[index]) }
    if offset < bytes.count { add(tail) }
  }

  /// The checksum of the bytes added so far.
  package var value: UInt64 { state &* 0xD6E8_FEB8_6659_FD93 }

  /// The checksum as sixteen hexadecimal digits.
  package var digits: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
