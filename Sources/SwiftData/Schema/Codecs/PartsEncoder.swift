/// An encoder that takes the parts of a structure as they are.
final class PartsEncoder: Encoder {
  /// A part as the structure hands it over.
  struct Part {
    let name: String
    let value: Any
  }

  private(set) var parts: [Part] = []
  /// Whether the structure encodes itself as an object of parts, and nothing else.
  private(set) var isPlain = true

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Returns the parts of a value; `nil` if it doesn't encode itself as an object of parts.
  ///
  /// - Throws: Errors of the value's own encoding.
  static func parts(of value: some Encodable) throws -> [Part]? {
    let encoder = PartsEncoder()
    try value.encode(to: encoder)
    return encoder.isPlain ? encoder.parts : nil
  }

  func container<Name: CodingKey>(keyedBy: Name.Type) -> KeyedEncodingContainer<Name> {
    KeyedEncodingContainer(Members<Name>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    isPlain = false
    return Elements(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    isPlain = false
    return Whole()
  }

  /// Returns an encoder for something within a part.
  private func inner() -> PartsEncoder {
    isPlain = false
    return PartsEncoder()
  }

  private struct Members<Name: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: PartsEncoder
    var codingPath: [any CodingKey] { [] }

    // A part that isn't there is nil.
    func encodeNil(forKey key: Name) {}
    func encode<Content: Encodable>(_ value: Content, forKey key: Name) {
      encoder.parts.append(Part(name: key.stringValue, value: value))
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy: Nested.Type,
      forKey key: Name
    ) -> KeyedEncodingContainer<Nested> { encoder.inner().container(keyedBy: keyedBy) }
    func nestedUnkeyedContainer(forKey key: Name) -> any UnkeyedEncodingContainer {
      encoder.inner().unkeyedContainer()
    }
    func superEncoder() -> any Encoder { encoder.inner() }
    func superEncoder(forKey key: Name) -> any Encoder { encoder.inner() }
  }

  /// The elements of a value that isn't an object; they are ignored.
  private struct Elements: UnkeyedEncodingContainer {
    let encoder: PartsEncoder
    var codingPath: [any CodingKey] { [] }
    private(set) var count = 0

    init(encoder: PartsEncoder) { self.encoder = encoder }

    mutating func encodeNil() { count += 1 }
    mutating func encode<Content: Encodable>(_ value: Content) { count += 1 }
    mutating func nestedContainer<Nested: CodingKey>(
      keyedBy: Nested.Type
    ) -> KeyedEncodingContainer<Nested> {
      count += 1
      return encoder.inner().container(keyedBy: keyedBy)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      count += 1
      return encoder.inner().unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder {
      count += 1
      return encoder.inner()
    }
  }

  private struct Whole: SingleValueEncodingContainer {
    var codingPath: [any CodingKey] { [] }
    func encodeNil() {}
    func encode<Content: Encodable>(_ value: Content) {}
  }
}
