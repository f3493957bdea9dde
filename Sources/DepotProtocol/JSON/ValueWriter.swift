internal import FoundationEssentials

extension JSONWriter {
  /// Writes a value of an attribute in its wire form.
  package mutating func write(_ value: Value) {
    switch value {
    case .null: raw("null")
    case .bool(let value): bool(value)
    case .int64(let value): integer(value)
    case .double(let value): double(value)
    case .string(let value): string(value)
    case .date(let value): DateText.write(value.timeIntervalSinceReferenceDate, to: &self)
    case .uuid(let value): string(value.uuidString.lowercased())
    case .data(let value): string(value.base64EncodedString())
    case .decimal(let value): string(value.description)
    case .url(let value): string(value.absoluteString)
    case .json(let text): raw(Array(text.utf8))
    case .list(let elements): array(elements) { $0.write($1) }
    }
  }
}

extension Value {
  /// The value as JSON.
  package var jsonText: String { JSONWriter.text { $0.write(self) } }

  /// The bytes of ``jsonText``.
  package var jsonBytes: [UInt8] { JSONWriter.bytes { $0.write(self) } }
}
