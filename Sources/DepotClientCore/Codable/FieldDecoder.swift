internal import DepotProtocol
internal import FoundationEssentials

/// The decoder of one value of a row.
struct FieldDecoder: Decoder, SingleValueDecodingContainer {
  let field: RowField
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func decodeNil() -> Bool { field.isNull }

  func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
    let value: Any
    switch type {
    case is String.Type: value = field.string as Any
    case is Bool.Type: value = field.bool as Any
    case is Double.Type: value = field.double as Any
    case is Float.Type: value = field.double.map(Float.init) as Any
    case is Date.Type:
      value = field.referenceSeconds.map { Date(timeIntervalSinceReferenceDate: $0) } as Any
    case is UUID.Type: value = field.uuid as Any
    case is Data.Type: value = field.data as Any
    case is Decimal.Type: value = field.decimal as Any
    case is URL.Type: value = field.url as Any
    case is UInt64.Type: value = field.decimal.flatMap { UInt64($0.description) } as Any
    case is UInt.Type: value = field.decimal.flatMap { UInt($0.description) } as Any
    case let integer as any FixedWidthInteger.Type:
      value = field.int64.flatMap(integer.exactly) as Any
    default: return try nested(type)
    }
    guard let content = value as? Content else {
      if field.externalLength != nil {
        throw field.isNo("\(type)").at(codingPath.first?.stringValue ?? "")
      }
      throw DepotError(
        .type,
        "\"\(codingPath.first?.stringValue ?? "")\" isn't a \(type) but \(field.kind)."
      )
    }
    return content
  }

  /// Decodes a collection, JSON, or a type with its own decoding.
  private func nested<Content: Decodable>(_ type: Content.Type) throws -> Content {
    guard field.kind == .array || field.kind == .object else { return try type.init(from: self) }
    if let type = type as? any AttributeValue.Type, let content = try read(type) as? Content {
      return content
    }
    return try JSONCoding.decode(type, field.bytes)
  }

  private func read<Content: AttributeValue>(_ type: Content.Type) throws -> Any {
    var reader = RowReader(value: field.bytes)
    return try Content.read(from: &reader)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    throw DepotError.nested(codingPath)
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw DepotError.nested(codingPath)
  }
}

extension FixedWidthInteger {
  static func exactly(_ value: Int64) -> Any? { Self(exactly: value) }
}

extension DepotError {
  /// Returns the error that a value has parts of a kind that no row has.
  static func nested(_ path: [any CodingKey]) -> DepotError {
    let name = path.first.map { "\"\($0.stringValue)\"" } ?? "A row"
    return DepotError(.type, "\(name) can't be read or written in parts without keys.")
      .hint("A row is a value with keys; its values are scalars, composites, lists, or JSON.")
  }
}
