internal import DepotProtocol
internal import FoundationEssentials

/// A decoder of one row, whose keys are the names of its columns.
///
/// It is valid only while the frame of the row is being read.
struct RowDecoder: Decoder {
  let columns: [String: Int]
  let fields: [RowField]
  /// The row's identifier and version, by their keys.
  let identity: [String: Int64]
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  /// Reads all values of a row whose identity was read.
  init(_ row: inout RowReader, columns: [String: Int]) throws(DepotError) {
    self.columns = columns
    var fields: [RowField] = []
    fields.reserveCapacity(columns.count)
    while !row.isAtEndOfRow() { fields.append(try row.field()) }
    self.fields = fields
    identity = ["$id": row.identifier, "$version": row.version]
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(RowContainer(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw DepotError.nested(codingPath)
  }

  func singleValueContainer() throws -> any SingleValueDecodingContainer {
    throw DepotError(.type, "A row is decoded by its keys, not as a single value.")
  }
}

/// The values of a row by their keys.
private struct RowContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: RowDecoder
  let codingPath: [any CodingKey] = []

  var allKeys: [Key] { decoder.columns.keys.compactMap(Key.init) }

  func contains(_ key: Key) -> Bool {
    decoder.columns[key.stringValue] != nil || decoder.identity[key.stringValue] != nil
  }

  func decodeNil(forKey key: Key) throws -> Bool {
    try decoder.identity[key.stringValue] == nil && field(key).field.isNull
  }

  func decode<Content: Decodable>(_ type: Content.Type, forKey key: Key) throws -> Content {
    if let number = decoder.identity[key.stringValue] {
      let integer = type as? any FixedWidthInteger.Type
      guard let content = integer?.exactly(number) as? Content else {
        throw DepotError(.type, "\"\(key.stringValue)\" is an Int64, not a \(type).")
      }
      return content
    }
    return try field(key).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { throw DepotError.nested([key]) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    throw DepotError.nested([key])
  }

  func superDecoder() throws -> any Decoder { throw DepotError.nested(codingPath) }

  func superDecoder(forKey key: Key) throws -> any Decoder { throw DepotError.nested([key]) }

  private func field(_ key: Key) throws -> FieldDecoder {
    guard let index = decoder.columns[key.stringValue], index < decoder.fields.count else {
      throw DecodingError.keyNotFound(
        key,
        .init(codingPath: [], debugDescription: "The row has no \"\(key.stringValue)\".")
      )
    }
    return FieldDecoder(field: decoder.fields[index], codingPath: [key])
  }
}

/// The decoder of one value.
private struct FieldDecoder: Decoder, SingleValueDecodingContainer {
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
    case let integer as any FixedWidthInteger.Type:
      value = field.int64.flatMap(integer.exactly) as Any
    default: return try type.init(from: self)
    }
    guard let content = value as? Content else {
      throw DepotError(
        .type,
        "\"\(codingPath.first?.stringValue ?? "")\" isn't a \(type) but \(field.kind)."
      )
    }
    return content
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
  fileprivate static func exactly(_ value: Int64) -> Any? { Self(exactly: value) }
}

extension DepotError {
  /// Returns the error that a value has parts.
  static func nested(_ path: [any CodingKey]) -> DepotError {
    let name = path.first.map { "\"\($0.stringValue)\"" } ?? "A row"
    return DepotError(.type, "\(name) has parts of its own; a row is flat.")
      .hint("An attribute is a string, number, boolean, date, UUID, data, decimal, or URL.")
  }
}
