import TestSupport
import Testing

@testable import DepotSQLite

@Suite struct PageChecksumTests {
  private static let sizes = [512, 4096, 8192]

  private static func page(_ size: Int, _ random: inout SeededGenerator) -> [UInt8] {
    (0..<size).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
  }

  private static func isIntact(_ page: [UInt8], number: UInt32) -> Bool {
    page.withUnsafeBytes { PageChecksum.isIntact($0, number: number) }
  }

  @Test(arguments: sizes)
  func `every changed byte of a page is noticed`(size: Int) {
    var random = SeededGenerator(seed: UInt64(size))
    var page = Self.page(size, &random)
    page.withUnsafeMutableBytes { PageChecksum.seal($0, number: 7) }
    #expect(Self.isIntact(page, number: 7))
    for place in page.indices {
      let byte = page[place]
      page[place] ^= UInt8.random(in: 1 ... .max, using: &random)
      #expect(!Self.isIntact(page, number: 7), "byte \(place)")
      page[place] = byte
    }
    #expect(Self.isIntact(page, number: 7))
  }

  @Test(arguments: sizes)
  func `a page in another's place, empty or moved bytes are noticed`(size: Int) {
    var random = SeededGenerator(seed: UInt64(size))
    var page = Self.page(size, &random)
    page.withUnsafeMutableBytes { PageChecksum.seal($0, number: 7) }
    for number in (0..<1000 as Range<UInt32>) where number != 7 {
      #expect(!Self.isIntact(page, number: number))
    }
    #expect(!Self.isIntact([UInt8](repeating: 0, count: size), number: 7))
    #expect(!Self.isIntact([UInt8](repeating: 0, count: size), number: 0))
    // A sector of another version of the page.
    var other = Self.page(size, &random)
    other.withUnsafeMutableBytes { PageChecksum.seal($0, number: 7) }
    for end in stride(from: 256, to: size, by: 256) {
      #expect(!Self.isIntact(Array(page.prefix(end) + other.dropFirst(end)), number: 7))
    }
    page.swapAt(0, 8)
    #expect(!Self.isIntact(page, number: 7))
  }

  @Test(arguments: sizes)
  func `a frame's sum covers every byte of its page, their order, and the page's number`(
    size: Int
  ) {
    var random = SeededGenerator(seed: UInt64(size))
    var page = Self.page(size, &random)
    func sum(_ number: UInt32 = 7) -> UInt64 {
      page.withUnsafeBytes { FrameSums.sum(of: $0, number: number) }
    }
    let known = sum()
    #expect(sum() == known)
    for number in (0..<1000 as Range<UInt32>) where number != 7 { #expect(sum(number) != known) }
    for place in page.indices {
      let byte = page[place]
      page[place] ^= UInt8.random(in: 1 ... .max, using: &random)
      #expect(sum() != known, "byte \(place)")
      page[place] = byte
    }
    for distance in [8, 16, 32, 64, 128] {
      for offset in 0..<8 { page.swapAt(offset, distance + offset) }
      #expect(sum() != known, "words \(distance) bytes apart")
      for offset in 0..<8 { page.swapAt(offset, distance + offset) }
    }
    #expect(sum() == known)
  }
}
