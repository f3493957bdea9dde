/// The stored form of a JSON value: its text without the white space between tokens.
package enum JSONCompaction {
  /// How much less deep a value may be than a frame, so that answers can hold it anywhere.
  private static let margin = 8

  /// Returns the text of a request's value; `nil` if it isn't strict JSON, or too deep for an answer.
  package static func compact(_ field: RowField) -> [UInt8]? {
    if field.kind == .string {
      let quote = [UInt8(ascii: "\"")]
      return quote + field.bytes + quote
    }
    let depth = Limits.depth - margin
    guard (try? JSONScanner.scan(field.bytes, depthLimit: depth)) != nil else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(field.bytes.count)
    var isInString = false
    var isEscaped = false
    for byte in field.bytes {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
      } else if byte <= 0x20 {
        continue
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      }
      result.append(byte)
    }
    return result
  }
}
