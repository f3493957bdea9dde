/// A decoder of UTF-16 into UTF-8, piece by piece.
final class UTF16Decoder {
  /// The size of the text's byte order mark, in bytes.
  let markCount: Int
  private let isBigEndian: Bool
  /// The first byte of a code unit that continues in the next piece.
  private var half: UInt8?
  /// The first code unit of a surrogate pair.
  private var lead: UInt32?
  private var output = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 16)

  /// Recognizes UTF-16 by the first bytes of a text; `nil` for other encodings.
  init?(ofTextFrom start: UnsafeRawBufferPointer) {
    guard start.count >= 2 else { return nil }
    switch (start[0], start[1]) {
    case (0xFF, 0xFE): (markCount, isBigEndian) = (2, false)
    case (0xFE, 0xFF): (markCount, isBigEndian) = (2, true)
    default:
      guard start.count >= 4 else { return nil }
      let areZero = start[..<4].map { $0 == 0 }
      guard areZero == [false, true, false, true] || areZero == [true, false, true, false] else {
        return nil
      }
      (markCount, isBigEndian) = (0, areZero[0])
    }
  }

  deinit { output.deallocate() }

  /// Returns the next bytes as UTF-8, which is valid until the next call; none mean the end.
  ///
  /// - Returns: `nil` if they aren't UTF-16, or end within a character.
  func decode(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    if bytes.isEmpty { return half == nil && lead == nil ? UnsafeRawBufferPointer(bytes) : nil }
    if output.count < bytes.count * 2 + 8 {
      output.deallocate()
      output = .allocate(byteCount: bytes.count * 2 + 8, alignment: 16)
    }
    var count = 0
    for byte in bytes {
      guard let first = half else {
        half = byte
        continue
      }
      half = nil
      let unit = isBigEndian ? UInt32(first) << 8 | UInt32(byte) : UInt32(byte) << 8 | UInt32(first)
      switch (unit, lead) {
      case (0xD800...0xDBFF, nil): lead = unit
      case (0xDC00...0xDFFF, let lead?):
        self.lead = nil
        count = write(0x10000 + (lead - 0xD800) << 10 + (unit - 0xDC00), at: count)
      case (0xD800...0xDFFF, _), (_, .some): return nil
      default: count = write(unit, at: count)
      }
    }
    return UnsafeRawBufferPointer(rebasing: output[..<count])
  }

  /// Writes a character at an offset, and returns the next offset.
  private func write(_ code: UInt32, at place: Int) -> Int {
    guard let scalar = Unicode.Scalar(code) else { return place }
    var place = place
    for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
      output[place] = byte
      place += 1
    }
    return place
  }
}
