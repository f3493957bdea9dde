internal import DepotProtocol

/// An encoder and container that a row can't hold: it throws as soon as something is put into it.
struct RefusingContainer: Encoder, UnkeyedEncodingContainer, SingleValueEncodingContainer {
  let codingPath: [any CodingKey]
  let count = 0
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func encodeNil() throws { throw DepotError.nested(codingPath) }

  func encode(_ content: some Encodable) throws { throw DepotError.nested(codingPath) }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RefusingKeyedContainer(refusal: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { self }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    container(keyedBy: type)
  }

  func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }

  func superEncoder() -> any Encoder { self }
}

/// A container with keys that a row can't hold.
private struct RefusingKeyedContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let refusal: RefusingContainer

  var codingPath: [any CodingKey] { refusal.codingPath }

  func encodeNil(forKey key: Key) throws { try refusal.encodeNil() }

  func encode(_ content: some Encodable, forKey key: Key) throws { try refusal.encode(content) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    refusal.container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { refusal }

  func superEncoder() -> any Encoder { refusal }

  func superEncoder(forKey key: Key) -> any Encoder { RefusingContainer(codingPath: [key]) }
}
