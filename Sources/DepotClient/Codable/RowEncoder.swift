internal import DepotProtocol
internal import FoundationEssentials

/// An encoder of one row, whose columns are named by the keys.
final class RowEncoder: Encoder {
  private(set) var values: [(column: String, value: Value)] = []
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  /// Returns the values of what encodes itself with keys.
  ///
  /// - Throws: ``DepotError`` `request.type` if a value isn't one that an attribute can have.
  static func encode(_ content: some Encodable) throws -> [(column: String, value: Value)] {
    let encoder = RowEncoder()
    try content.encode(to: encoder)
    return encoder.values
  }

  /// Adds a value, unless it is the row's identity.
  fileprivate func set(_ key: any CodingKey, _ value: Value) {
    guard !key.stringValue.hasPrefix("$") else { return }
    values.append((key.stringValue, value))
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RowEncodingContainer(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingContainer(codingPath: []) }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    RefusingContainer(codingPath: [])
  }
}

private struct RowEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: RowEncoder
  let codingPath: [any CodingKey] = []

  mutating func encodeNil(forKey key: Key) { encoder.set(key, .null) }

  mutating func encode(_ content: some Encodable, forKey key: Key) throws {
    encoder.set(key, try FieldEncoder.encode(content, key))
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(RefusingKeyedContainer(codingPath: [key]))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    RefusingContainer(codingPath: [key])
  }

  mutating func superEncoder() -> any Encoder { FieldEncoder(codingPath: []) }

  mutating func superEncoder(forKey key: Key) -> any Encoder { FieldEncoder(codingPath: [key]) }
}

/// The encoder of one value that isn't an attribute's value itself, as a raw-value enumeration.
private final class FieldEncoder: Encoder, SingleValueEncodingContainer {
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private var value: Value?

  init(codingPath: [any CodingKey]) {
    self.codingPath = codingPath
  }

  static func encode(_ content: some Encodable, _ key: any CodingKey) throws -> Value {
    if let value = Constant.attributeValue(content) { return value }
    let encoder = FieldEncoder(codingPath: [key])
    try content.encode(to: encoder)
    guard let value = encoder.value else { throw DepotError.nested([key]) }
    return value
  }

  func encodeNil() { value = .null }

  func encode(_ content: some Encodable) throws {
    guard let value = Constant.attributeValue(content) else { throw DepotError.nested(codingPath) }
    self.value = value
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusingKeyedContainer(codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    RefusingContainer(codingPath: codingPath)
  }
}
