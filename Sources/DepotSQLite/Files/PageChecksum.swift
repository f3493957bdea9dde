internal import Glibc

/// The checksum of a page, which is in its last eight bytes.
///
/// It covers the page's number too, so that a page in another's place is noticed. A change confined to one
/// word of eight bytes is always noticed, any other but for 1 in 2^64: each step is a bijection of the
/// state, so a difference can't vanish later by itself.
package enum PageChecksum {
  /// How many bytes at the end of each page it takes.
  package static let size = 8

  private static let prime: UInt64 = 0xD6E8_FEB8_6659_FD93

  /// Returns the checksum of the bytes of a page, whose number is a multiple of eight.
  static func value(of bytes: UnsafeRawBufferPointer, number: UInt32) -> UInt64 {
    guard let words = bytes.baseAddress?.assumingMemoryBound(to: UInt64.self) else { return 0 }
    let end = bytes.count &>> 3
    let start = 0x9E37_79B9_7F4A_7C15 ^ UInt64(number) &* prime
    var (a, b) = (start, start ^ 0x8EBC_6AF0_9C88_C6E3)
    var (c, d) = (start ^ 0x5895_46C4_3A6E_17F1, start ^ 0xE703_7ED1_A0B4_28DB)
    var place = 0
    // Four sums at a time, since each step waits for the multiplication before it.
    while place &+ 4 <= end {
      a = (a ^ words[place]) &* prime
      a ^= a &>> 32
      b = (b ^ words[place &+ 1]) &* prime
      b ^= b &>> 32
      c = (c ^ words[place &+ 2]) &* prime
      c ^= c &>> 32
      d = (d ^ words[place &+ 3]) &* prime
      d ^= d &>> 32
      place = place &+ 4
    }
    while place < end {
      a = (a ^ words[place]) &* prime
      a ^= a &>> 32
      place = place &+ 1
    }
    var sum = a
    for other in [b, c, d] {
      sum = (sum ^ other) &* prime
      sum ^= sum &>> 32
    }
    return sum &* prime
  }

  /// Whether a page is as it was written.
  static func isIntact(_ page: UnsafeRawBufferPointer, number: UInt32) -> Bool {
    guard page.count > size else { return false }
    let count = page.count - size
    let stored = page.loadUnaligned(fromByteOffset: count, as: UInt64.self)
    return value(of: .init(rebasing: page[..<count]), number: number)
      == UInt64(littleEndian: stored)
  }

  /// Writes the checksum into the end of a page.
  static func seal(_ page: UnsafeMutableRawBufferPointer, number: UInt32) {
    guard page.count > size else { return }
    let count = page.count - size
    let sum = value(of: .init(rebasing: page[..<count]), number: number)
    page.storeBytes(of: sum.littleEndian, toByteOffset: count, as: UInt64.self)
  }

  /// Returns a page as it goes to the file.
  package static func sealing(_ page: [UInt8], number: UInt32) -> [UInt8] {
    var page = page
    page.withUnsafeMutableBytes { seal($0, number: number) }
    return page
  }
}
