internal import Foundation

/// Values that stand in for those that can't be had.
enum Placeholder {
  /// Returns an empty value of a type; `nil` if none can be made.
  static func of<Content>(_ type: Content.Type) -> Content? {
    if let value = known(type) as? Content { return value }
    if let value = (type as? any OptionalType.Type)?.none as? Content { return value }
    if let value = TypeKind.cases(of: type)?.first { return value }
    guard let decodable = type as? any Decodable.Type else { return nil }
    return (try? decodable.init(from: PlaceholderDecoder(depth: 0))) as? Content
  }

  private static func known(_ type: Any.Type) -> Any? {
    switch type {
    case is UUID.Type: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    case is URL.Type: URL(string: "about:blank")
    case is Decimal.Type: Decimal()
    case is Data.Type: Data()
    case is Date.Type: Date(timeIntervalSinceReferenceDate: 0)
    default: nil
    }
  }
}

/// A decoder that finds an empty value for everything.
private struct PlaceholderDecoder: Decoder {
  /// How deep in a value this is.
  let depth: Int
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(PlaceholderMembers<Key>(depth: depth))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { PlaceholderElements(depth: depth) }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    PlaceholderValue(depth: depth)
  }

  /// Returns an empty value.
  static func value<Content: Decodable>(_ type: Content.Type, _ depth: Int) throws -> Content {
    // A type may contain itself.
    guard depth < 16 else { throw failure(type) }
    if let value = Placeholder.of(type) { return value }
    return try Content(from: PlaceholderDecoder(depth: depth + 1))
  }

  static func failure(_ type: Any.Type) -> DecodingError {
    DecodingError.valueNotFound(type, .init(codingPath: [], debugDescription: "a placeholder"))
  }
}

/// The members of an object, of which each has an empty value.
private struct PlaceholderMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let depth: Int
  var codingPath: [any CodingKey] { [] }
  /// One key, by which an enumeration takes its first case.
  var allKeys: [Key] { TypeKind.cases(of: Key.self).map { Array($0.prefix(1)) } ?? [] }

  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) -> Bool { true }
  func decode<Content: Decodable>(_ type: Content.Type, forKey key: Key) throws -> Content {
    try PlaceholderValue(depth: depth).decode(type)
  }
  func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type,
    forKey key: Key
  ) -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(PlaceholderMembers<Nested>(depth: depth + 1))
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
    PlaceholderElements(depth: depth + 1)
  }
  func superDecoder() -> any Decoder { PlaceholderDecoder(depth: depth + 1) }
  func superDecoder(forKey key: Key) -> any Decoder { PlaceholderDecoder(depth: depth + 1) }
}

/// The elements of an array that has none.
private struct PlaceholderElements: UnkeyedDecodingContainer {
  let depth: Int
  var codingPath: [any CodingKey] { [] }
  var count: Int? { 0 }
  var isAtEnd: Bool { true }
  var currentIndex: Int { 0 }

  mutating func decodeNil() -> Bool { true }
  mutating func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
    try PlaceholderValue(depth: depth).decode(type)
  }
  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type
  ) -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(PlaceholderMembers<Nested>(depth: depth + 1))
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
    PlaceholderElements(depth: depth + 1)
  }
  mutating func superDecoder() -> any Decoder { PlaceholderDecoder(depth: depth + 1) }
}

/// An empty value.
private struct PlaceholderValue: SingleValueDecodingContainer {
  let depth: Int
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { true }
  func decode(_: Bool.Type) -> Bool { false }
  func decode(_: String.Type) -> String { "" }
  func decode(_: Double.Type) -> Double { 0 }
  func decode(_: Float.Type) -> Float { 0 }
  func decode(_: Int.Type) -> Int { 0 }
  func decode(_: Int8.Type) -> Int8 { 0 }
  func decode(_: Int16.Type) -> Int16 { 0 }
  func decode(_: Int32.Type) -> Int32 { 0 }
  func decode(_: Int64.Type) -> Int64 { 0 }
  func decode(_: UInt.Type) -> UInt { 0 }
  func decode(_: UInt8.Type) -> UInt8 { 0 }
  func decode(_: UInt16.Type) -> UInt16 { 0 }
  func decode(_: UInt32.Type) -> UInt32 { 0 }
  func decode(_: UInt64.Type) -> UInt64 { 0 }
  func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
    try PlaceholderDecoder.value(type, depth)
  }
}
