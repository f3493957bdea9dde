/// The stored form of a JSON value: its text without the white space between tokens.
enum JSONCompaction {
  /// The nesting levels that a value leaves to the reply around it.
  private static let margin = 8
  /// How deep the containers of a value may be nested.
  static let depth = Limits.depth - margin

  /// Whether a value is JSON that is too deep for a reply.
  static func isTooDeep(_ field: RowField) -> Bool {
    do throws(JSONError) {
      _ = try JSONScanner.scan(field.bytes, depthLimit: depth)
      return false
    } catch {
      return error.reason == .tooDeep(limit: depth)
    }
  }

  /// Returns a strict JSON text without the white space between its tokens.
  fileprivate static func withoutSpace(_ text: some Collection<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    var isInString = false
    var isEscaped = false
    for byte in text {
      if isInString {
        if !isEscaped, byte == UInt8(ascii: "\"") { isInString = false }
        isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if byte <= 0x20 {
        continue
      }
      result.append(byte)
    }
    return result
  }
}

extension RowField {
  /// The bytes of a value of any kind; `nil` if it isn't strict JSON, or too deep for a reply.
  package var compactBytes: [UInt8]? {
    if kind == .string {
      let quote = [UInt8(ascii: "\"")]
      return quote + bytes + quote
    }
    guard (try? JSONScanner.scan(bytes, depthLimit: JSONCompaction.depth)) != nil else {
      return nil
    }
    return JSONCompaction.withoutSpace(bytes)
  }
}

extension JSONNode {
  /// The value's text without the white space between its tokens.
  package var compactText: String {
    String(decoding: JSONCompaction.withoutSpace(document.bytes[range]), as: UTF8.self)
  }
}
