/// The boundaries of characters in UTF-8.
package enum UTF8Edges {
  package static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  /// The number of bytes at the end that belong to an incomplete character.
  package static func incompleteCount(_ bytes: [UInt8]) -> Int {
    for count in 1...3 where count <= bytes.count {
      let byte = bytes[bytes.count - count]
      if isContinuation(byte) { continue }
      let wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return wanted > count ? count : 0
    }
    return 0
  }
}
