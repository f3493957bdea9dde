internal import Glibc

/// The checksum of a page, which is in its last eight bytes.
///
/// It covers the page's number too, so that a page stored at the wrong offset is noticed. A change
/// is missed with a probability of about 2^-63: each step mixes two words by a 128-bit product,
/// whose halves are added without carry (as wyhash does, github.com/wangyi-fudan/wyhash).
package enum PageChecksum {
  /// The size of a checksum in bytes.
  package static let size = 8

  /// Constants mixed into the words, so that zeros also change the result.
  private static let salts: (UInt64, UInt64, UInt64, UInt64) = (
    0xD6E8_FEB8_6659_FD93, 0x8EBC_6AF0_9C88_C6E3, 0x5895_46C4_3A6E_17F1, 0xE703_7ED1_A0B4_28DB
  )

  /// Returns the halves of a product, added without carry.
  @inline(__always)
  private static func fold(_ first: UInt64, _ second: UInt64) -> UInt64 {
    let product = first.multipliedFullWidth(by: second)
    return product.high ^ product.low
  }

  /// Returns the checksum of the bytes of a page, whose number is a multiple of eight.
  static func value(of bytes: UnsafeRawBufferPointer, number: UInt32) -> UInt64 {
    guard let words = bytes.baseAddress?.assumingMemoryBound(to: UInt64.self) else { return 0 }
    let end = bytes.count &>> 3
    let (one, two, three, four) = salts
    let start = one ^ UInt64(number) &* four
    var (a, b, c, d) = (start, start ^ two, start ^ three, start ^ four)
    var place = 0
    // Four independent sums, since each step waits for the previous multiplication of its sum.
    while place &+ 8 <= end {
      a = fold(words[place] ^ one, words[place &+ 1] ^ a)
      b = fold(words[place &+ 2] ^ two, words[place &+ 3] ^ b)
      c = fold(words[place &+ 4] ^ three, words[place &+ 5] ^ c)
      d = fold(words[place &+ 6] ^ four, words[place &+ 7] ^ d)
      place = place &+ 8
    }
    while place < end {
      a = fold(words[place] ^ one, UInt64(place) ^ a)
      place = place &+ 1
    }
    return fold(fold(a ^ one, b ^ two), fold(c ^ three, d ^ four) ^ start)
  }

  /// Whether a page matches its checksum.
  static func isIntact(_ page: UnsafeRawBufferPointer, number: UInt32) -> Bool {
    guard page.count > size else { return false }
    let count = page.count - size
    let stored = page.loadUnaligned(fromByteOffset: count, as: UInt64.self)
    return value(of: .init(rebasing: page[..<count]), number: number)
      == UInt64(littleEndian: stored)
  }

  /// Writes the checksum at the end of a page.
  static func seal(_ page: UnsafeMutableRawBufferPointer, number: UInt32) {
    guard page.count > size else { return }
    let count = page.count - size
    let sum = value(of: .init(rebasing: page[..<count]), number: number)
    page.storeBytes(of: sum.littleEndian, toByteOffset: count, as: UInt64.self)
  }

  /// Returns a page with its checksum, ready to be written.
  package static func sealing(_ page: [UInt8], number: UInt32) -> [UInt8] {
    var page = page
    page.withUnsafeMutableBytes { seal($0, number: number) }
    return page
  }
}
