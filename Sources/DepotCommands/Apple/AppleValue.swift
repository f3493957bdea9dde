internal import DepotProtocol
internal import FoundationEssentials

/// The values of attributes in stores of SwiftData and Core Data.
enum AppleValue {
  /// Returns the value of an attribute.
  ///
  /// - Throws: ``DepotError`` `request.type` if it isn't a value of the attribute's type.
  static func value(_ stored: PlainValue, of attribute: Attribute) throws(DepotError) -> Value {
    if stored == .null { return .null }
    if attribute.collection != nil { return try json(stored, attribute) }
    switch attribute.type {
    case .string: if let text = stored.text { return .string(text) }
    case .int64: if let number = stored.integer { return .int64(number) }
    case .double: if let number = stored.real { return .double(number) }
    case .bool: if let number = stored.integer { return .bool(number != 0) }
    case .date:
      if let seconds = stored.real { return .date(Date(timeIntervalSinceReferenceDate: seconds)) }
    case .uuid:
      if let bytes = stored.data, bytes.count == 16 { return .uuid(uuid(bytes)) }
      if let uuid = stored.text.flatMap({ UUID(uuidString: $0) }) { return .uuid(uuid) }
    case .data:
      if let bytes = stored.data { return .data(Data(bytes)) }
      if let text = stored.text { return .data(Data(text.utf8)) }
    case .decimal:
      let text = stored.text ?? stored.integer.map { "\($0)" } ?? stored.real.map { "\($0)" }
      if let number = text.flatMap({ Decimal(string: $0) }) { return .decimal(number) }
    case .url: if let url = stored.text.flatMap({ URL(string: $0) }) { return .url(url) }
    case .json, .composite: return try json(stored, attribute)
    }
    throw DepotError(.type, "The stored value is \(kind(stored)), not \(attribute.type.rawValue).")
      .hint("Give the attribute another type in --schema, or leave it out.")
  }

  private static func uuid(_ bytes: [UInt8]) -> UUID {
    bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  /// Reads the text of a JSON value, the stored form of Codable types.
  private static func json(
    _ stored: PlainValue,
    _ attribute: Attribute
  ) throws(DepotError) -> Value {
    let bytes = stored.data ?? stored.text.map { Array($0.utf8) } ?? []
    guard let value = try? JSONValue(parsing: bytes) else {
      throw DepotError(.type, "Only the program that wrote the value can decode it.")
        .hint("Give the attribute the type data in --schema, or leave it out.")
    }
    return .json(value.text)
  }

  private static func kind(_ value: PlainValue) -> String {
    switch value {
    case .null: "null"
    case .integer: "a whole number"
    case .real: "a number"
    case .text: "a text"
    case .data: "data"
    }
  }
}
