internal import DepotProtocol

/// A scanner of rows of CSV that are in memory as a whole, without escapes and doubled quotes.
@Memberwise
struct WholeRow {
  let delimiter: UInt8
  /// Whether a quotation mark at the start of a field has a meaning.
  let hasQuotes: Bool
  /// Whether a backslash begins an escape.
  let hasEscapes: Bool

  /// The ends of a row.
  struct Ends {
    /// The offset of the end of its text.
    var text: Int
    /// The offset of the next row.
    var next: Int
    /// The number of its lines.
    var lines = 1
  }

  /// Finds the fields of the row at `start`.
  ///
  /// - Returns: Its ends; `nil` if the row needs special treatment, or isn't complete.
  func scan(
    _ bytes: UnsafeBufferPointer<UInt8>,
    from start: Int,
    _ places: inout [DelimitedRecord.FieldRange]
  ) -> Ends? {
    let quote = UInt8(ascii: "\"")
    var position = start
    var lines = 1
    while position < bytes.count {
      var first = position
      var end: Int
      let isQuoted = hasQuotes && bytes[position] == quote
      if isQuoted {
        first += 1
        end = first
        while true {
          end = find(quote, 0x0A, in: bytes, from: end)
          guard end + 1 < bytes.count else { return nil }
          if bytes[end] == quote { break }
          if bytes[end] == 0x0A { lines += 1 } else { return nil }
          end += 1
        }
        position = end + 1
        // A line may end with CR LF.
        if bytes[position] == 0x0D { position += 1 }
      } else {
        end = find(delimiter, 0x0A, in: bytes, from: position)
        position = end
      }
      guard position < bytes.count else { return nil }
      if bytes[position] == delimiter, position == end || bytes[position - 1] != 0x0D {
        places.append(.init(range: first..<end, isQuoted: isQuoted))
        position += 1
        continue
      }
      guard bytes[position] == 0x0A else { return nil }
      var text = position
      if text > start, bytes[text - 1] == 0x0D {
        text -= 1
        if !isQuoted { end = max(first, end - 1) }
      }
      places.append(.init(range: first..<end, isQuoted: isQuoted))
      return Ends(text: text, next: position + 1, lines: lines)
    }
    return nil
  }

  /// Returns the offset of the first of two bytes or of an escaping backslash, or else the end.
  @inline(__always)
  private func find(
    _ first: UInt8,
    _ second: UInt8,
    in bytes: UnsafeBufferPointer<UInt8>,
    from start: Int
  ) -> Int {
    let third = hasEscapes ? UInt8(ascii: "\\") : second
    let words = (
      ByteWord.ones &* UInt64(first), ByteWord.ones &* UInt64(second),
      ByteWord.ones &* UInt64(third)
    )
    var position = start
    let memory = UnsafeRawBufferPointer(bytes)
    while position + 8 <= bytes.count {
      let word = memory.loadUnaligned(fromByteOffset: position, as: UInt64.self).littleEndian
      var found = ByteWord.zeros(word ^ words.0) | ByteWord.zeros(word ^ words.1)
      if hasEscapes { found |= ByteWord.zeros(word ^ words.2) }
      if found != 0 { return position + found.trailingZeroBitCount / 8 }
      position += 8
    }
    while position < bytes.count {
      let byte = bytes[position]
      if byte == first || byte == second || byte == third { break }
      position += 1
    }
    return position
  }
}
