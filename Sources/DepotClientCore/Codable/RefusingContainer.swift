internal import DepotProtocol

/// A container that a row can't hold: it throws as soon as something is put into it.
struct RefusingContainer: UnkeyedEncodingContainer, SingleValueEncodingContainer {
  let codingPath: [any CodingKey]
  let count = 0

  mutating func encodeNil() throws { throw DepotError.nested(codingPath) }

  mutating func encode(_ content: some Encodable) throws { throw DepotError.nested(codingPath) }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(RefusingKeyedContainer(codingPath: codingPath))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

  mutating func superEncoder() -> any Encoder { RefusingEncoder(codingPath: codingPath) }
}

/// A container with keys that a row can't hold.
struct RefusingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let codingPath: [any CodingKey]

  mutating func encodeNil(forKey key: Key) throws { throw DepotError.nested(codingPath) }

  mutating func encode(_ content: some Encodable, forKey key: Key) throws {
    throw DepotError.nested(codingPath)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(RefusingKeyedContainer<Nested>(codingPath: codingPath))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    RefusingContainer(codingPath: codingPath)
  }

  mutating func superEncoder() -> any Encoder { RefusingEncoder(codingPath: codingPath) }

  mutating func superEncoder(forKey key: Key) -> any Encoder { RefusingEncoder(codingPath: [key]) }
}

/// An encoder that takes nothing.
private struct RefusingEncoder: Encoder {
  let codingPath: [any CodingKey]
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusingKeyedContainer(codingPath: codingPath))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    RefusingContainer(codingPath: codingPath)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    RefusingContainer(codingPath: codingPath)
  }
}
