/// Work on text that is ASCII, byte by byte.
enum ASCIIText {
  @inline(__always)
  static func lower(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// Whether no byte is beyond ASCII.
  static func isASCII(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let base = bytes.baseAddress else { return true }
    let raw = UnsafeRawPointer(base)
    var index = 0
    var seen: UInt64 = 0
    while index + 8 <= bytes.count {
      seen |= raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      index += 8
    }
    while index < bytes.count {
      seen |= UInt64(base[index])
      index += 1
    }
    return seen & 0x8080_8080_8080_8080 == 0
  }

  /// Whether `text`, lowered if `ignoresCase`, holds `needle`, which is lowered already.
  static func contains(
    _ text: UnsafeBufferPointer<UInt8>,
    _ needle: UnsafeBufferPointer<UInt8>,
    ignoresCase: Bool
  ) -> Bool {
    guard !needle.isEmpty else { return true }
    guard needle.count <= text.count, let base = text.baseAddress else { return false }
    let first = needle[0]
    // The other case of a letter differs in this bit only.
    let mask: UInt8 = ignoresCase && first &- 0x61 < 26 ? 0x20 : 0
    var index = 0
    let last = text.count - needle.count
    while index <= last {
      if base[index] | mask == first,
        matches(base + index, needle, ignoresCase: ignoresCase)
      {
        return true
      }
      index += 1
    }
    return false
  }

  /// Whether the bytes from `text` on, lowered if `ignoresCase`, are those of `needle`.
  @inline(__always)
  static func matches(
    _ text: UnsafePointer<UInt8>,
    _ needle: UnsafeBufferPointer<UInt8>,
    ignoresCase: Bool
  ) -> Bool {
    var index = 0
    while index < needle.count {
      let byte = ignoresCase ? lower(text[index]) : text[index]
      if byte != needle[index] { return false }
      index += 1
    }
    return true
  }
}
