internal import DepotProtocol
internal import FoundationEssentials

/// The reading of values that people write as plain text.
enum TextValue {
  /// Writes the JSON of the value of type `type` that `text` means.
  ///
  /// - Throws: ``DepotError`` `request.type` if it means none.
  static func write(
    _ text: String,
    as type: AttributeType,
    to writer: inout JSONWriter
  ) throws(DepotError) {
    switch type {
    case .string, .url:
      writer.string(text)
    case .int64:
      guard let value = Int64(text) else { throw refusal(text, "a whole number") }
      writer.integer(value)
    case .double:
      guard let value = double(text) else { throw refusal(text, "a number") }
      writer.double(value)
    case .bool:
      guard let value = ["true": true, "false": false][text] else {
        throw refusal(text, "true or false")
      }
      writer.bool(value)
    case .date:
      guard DateText.parse(text.utf8) != nil else {
        throw refusal(text, "a date such as 2026-02-01T12:30:00Z")
      }
      writer.string(text)
    case .uuid:
      guard UUID(uuidString: text) != nil else { throw refusal(text, "a UUID") }
      writer.string(text)
    case .data:
      guard Base64.decode(text) != nil else { throw refusal(text, "base64") }
      writer.string(text)
    case .decimal:
      guard DecimalText.parse(text) != nil else { throw refusal(text, "a decimal number") }
      writer.string(text)
    case .json, .composite:
      guard (try? JSONValue(parsing: text.utf8)) != nil else { throw refusal(text, "JSON") }
      writer.raw(Array(text.utf8))
    }
  }

  /// Returns bytes as the JSON string that stands for data.
  static func base64(_ bytes: [UInt8]) -> [UInt8] {
    var writer = JSONWriter(capacity: bytes.count * 4 / 3 + 8)
    writer.write(.data(Data(bytes)))
    return writer.bytes
  }

  private static func double(_ text: String) -> Double? {
    if let value = NonFinite.double(text) { return value }
    guard let value = Double(text), value.isFinite, !text.lowercased().hasPrefix("0x") else {
      return nil
    }
    return value
  }

  private static func refusal(_ text: String, _ expected: String) -> DepotError {
    DepotError(.type, "\"\(text.prefix(60))\" isn't \(expected).")
  }
}
