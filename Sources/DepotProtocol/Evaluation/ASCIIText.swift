/// Operations on ASCII text, byte by byte.
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

  /// About how many bytes are compared between two checks whether to stop.
  static let interval = 1 << 20

  /// Whether `text` contains `needle`; `nil` if stopped.
  ///
  /// If `ignoresCase`, `text` is lowercased; `needle` must be lowercase then.
  ///
  /// The time is at most the product of both lengths.
  static func contains(
    _ text: UnsafeBufferPointer<UInt8>,
    _ needle: UnsafeBufferPointer<UInt8>,
    ignoresCase: Bool,
    unless mustStop: () -> Bool
  ) -> Bool? {
    guard !needle.isEmpty else { return true }
    guard needle.count <= text.count, let base = text.baseAddress else { return false }
    let first = needle[0]
    // The cases of a letter differ in this bit only.
    let mask: UInt8 = ignoresCase && first &- 0x61 < 26 ? 0x20 : 0
    var index = 0
    let last = text.count - needle.count
    var steps = 0
    while index <= last {
      if base[index] | mask == first {
        let count = matchingCount(base + index, needle, ignoresCase: ignoresCase)
        if count == needle.count { return true }
        steps += count
        if steps >= interval {
          if mustStop() { return nil }
          steps = 0
        }
      }
      index += 1
    }
    return false
  }

  /// Whether the bytes at `text`, lowercased if `ignoresCase`, begin with `needle`.
  @inline(__always)
  static func matches(
    _ text: UnsafePointer<UInt8>,
    _ needle: UnsafeBufferPointer<UInt8>,
    ignoresCase: Bool
  ) -> Bool {
    matchingCount(text, needle, ignoresCase: ignoresCase) == needle.count
  }

  /// The number of bytes of `text`, lowercased if `ignoresCase`, that match a prefix of `needle`.
  @inline(__always)
  private static func matchingCount(
    _ text: UnsafePointer<UInt8>,
    _ needle: UnsafeBufferPointer<UInt8>,
    ignoresCase: Bool
  ) -> Int {
    var index = 0
    while index < needle.count {
      let byte = ignoresCase ? lower(text[index]) : text[index]
      if byte != needle[index] { return index }
      index += 1
    }
    return index
  }
}
