internal import Foundation

/// Values that stand in for those that can't be had.
enum Placeholder {
  /// Returns an empty value of a type; `nil` if none can be made.
  static func of<Content>(_ type: Content.Type) -> Content? { of(type, Filling.none) }

  /// Returns some value of a type that accepts no empty one; `nil` if none can be made.
  ///
  /// The type may not expect what it is given, so that this is only for where nothing else is left.
  static func lastResort<Content>(_ type: Content.Type) -> Content? {
    let fillings = [Filling.none] + Filling.some
    if let value = fillings.lazy.compactMap({ of(type, $0) }).first { return value }
    func raw<Raw: RawRepresentable>(_ type: Raw.Type) -> Any? {
      fillings.lazy.compactMap { of(Raw.RawValue.self, $0) }
        .compactMap { Raw(rawValue: $0) }.first
    }
    return (type as? any RawRepresentable.Type).flatMap { raw($0) } as? Content
  }

  fileprivate static func of<Content>(
    _ type: Content.Type,
    _ filling: Filling,
    depth: Int = 0
  ) -> Content? {
    if let value = known(type) as? Content { return value }
    if let value = (type as? any OptionalType.Type)?.none as? Content { return value }
    if let value = TypeKind.cases(of: type)?.first { return value }
    guard let decodable = type as? any Decodable.Type else { return nil }
    let decoder = PlaceholderDecoder(filling: filling, depth: depth)
    return (try? decodable.init(from: decoder)) as? Content
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

/// The content of a placeholder: nothing, or something that a type which checks its values may accept.
private struct Filling {
  let text: String
  let number: Int8
  /// How many elements arrays have.
  let count: Int

  static let none = Filling(text: "", number: 0, count: 0)

  static let some = [
    Filling(text: "placeholder", number: 1, count: 1),
    Filling(text: "Placeholder 1", number: 2, count: 2),
    Filling(text: "A", number: 10, count: 1),
    Filling(text: "0", number: 100, count: 3),
    Filling(text: "0000", number: -1, count: 4),
    Filling(text: "placeholder@example.org", number: 1, count: 1),
    Filling(text: "https://example.org/", number: 1, count: 1),
    Filling(text: "#000000", number: 1, count: 1),
    Filling(text: "00000000-0000-0000-0000-000000000000", number: 1, count: 1),
    Filling(text: "2001-01-01", number: 1, count: 1),
    Filling(text: "2001-01-01T00:00:00Z", number: 1, count: 1),
    Filling(text: "00:00", number: 1, count: 1),
    Filling(text: "0.0.0.0", number: 1, count: 1),
  ]
}

/// A decoder, of one value and of others in it, that finds a value for everything.
private struct PlaceholderDecoder: Decoder, SingleValueDecodingContainer {
  let filling: Filling
  /// How deep in a value this is.
  let depth: Int
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(PlaceholderMembers<Key>(filling: filling, depth: depth))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer {
    PlaceholderElements(filling: filling, depth: depth)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { true }
  func decode(_: Bool.Type) -> Bool { false }
  func decode(_: String.Type) -> String { filling.text }
  func decode(_: Double.Type) -> Double { Double(filling.number) }
  func decode(_: Float.Type) -> Float { Float(filling.number) }
  func decode(_: Int.Type) -> Int { Int(filling.number) }
  func decode(_: Int8.Type) -> Int8 { filling.number }
  func decode(_: Int16.Type) -> Int16 { Int16(filling.number) }
  func decode(_: Int32.Type) -> Int32 { Int32(filling.number) }
  func decode(_: Int64.Type) -> Int64 { Int64(filling.number) }
  func decode(_: UInt.Type) -> UInt { UInt(clamping: filling.number) }
  func decode(_: UInt8.Type) -> UInt8 { UInt8(clamping: filling.number) }
  func decode(_: UInt16.Type) -> UInt16 { UInt16(clamping: filling.number) }
  func decode(_: UInt32.Type) -> UInt32 { UInt32(clamping: filling.number) }
  func decode(_: UInt64.Type) -> UInt64 { UInt64(clamping: filling.number) }
  func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
    // A type may contain itself.
    guard depth < 16, let value = Placeholder.of(type, filling, depth: depth + 1) else {
      throw DecodingError.valueNotFound(
        type,
        .init(codingPath: [], debugDescription: "a placeholder")
      )
    }
    return value
  }
}

/// The members of an object, of which each has a value.
private struct PlaceholderMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let filling: Filling
  let depth: Int
  var codingPath: [any CodingKey] { [] }
  /// One key, by which an enumeration takes its first case.
  var allKeys: [Key] { TypeKind.cases(of: Key.self).map { Array($0.prefix(1)) } ?? [] }

  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) -> Bool { true }
  func decode<Content: Decodable>(_ type: Content.Type, forKey key: Key) throws -> Content {
    try PlaceholderDecoder(filling: filling, depth: depth).decode(type)
  }
  func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type,
    forKey key: Key
  ) -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(PlaceholderMembers<Nested>(filling: filling, depth: depth + 1))
  }
  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
    PlaceholderElements(filling: filling, depth: depth + 1)
  }
  func superDecoder() -> any Decoder { PlaceholderDecoder(filling: filling, depth: depth + 1) }
  func superDecoder(forKey key: Key) -> any Decoder {
    PlaceholderDecoder(filling: filling, depth: depth + 1)
  }
}

/// The elements of an array.
private struct PlaceholderElements: UnkeyedDecodingContainer {
  let filling: Filling
  let depth: Int
  var codingPath: [any CodingKey] { [] }
  var count: Int? { filling.count }
  var isAtEnd: Bool { currentIndex >= filling.count }
  private(set) var currentIndex = 0

  init(filling: Filling, depth: Int) {
    self.filling = filling
    self.depth = depth
  }

  mutating func decodeNil() -> Bool {
    currentIndex += 1
    return true
  }
  mutating func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
    currentIndex += 1
    return try PlaceholderDecoder(filling: filling, depth: depth).decode(type)
  }
  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type
  ) -> KeyedDecodingContainer<Nested> {
    currentIndex += 1
    return KeyedDecodingContainer(PlaceholderMembers<Nested>(filling: filling, depth: depth + 1))
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
    currentIndex += 1
    return PlaceholderElements(filling: filling, depth: depth + 1)
  }
  mutating func superDecoder() -> any Decoder {
    currentIndex += 1
    return PlaceholderDecoder(filling: filling, depth: depth + 1)
  }
}
