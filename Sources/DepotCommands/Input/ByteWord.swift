/// Eight bytes that are looked at together.
enum ByteWord {
  static let ones: UInt64 = 0x0101_0101_0101_0101
  static let highBits = ones &* 0x80
  static let spaces = ones &* 0x20

  /// Returns a word whose lowest set bit marks the first zero byte of another word.
  @inline(__always)
  static func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & highBits }

  /// Returns 0 if no byte of a word is escaped in a JSON string.
  @inline(__always)
  static func escaped(_ word: UInt64) -> UInt64 {
    let controls = (word &- spaces) & ~word & highBits
    return controls | zeros(word ^ ones &* 0x22) | zeros(word ^ ones &* 0x5C)
  }
}
