internal import Foundation

/// Stand-ins for unavailable values.
enum Placeholder {
  /// Returns an empty value of a type; `nil` if none can be made.
  static func of<Content>(_ type: Content.Type) -> Content? { of(type, Filling.none) }

  /// Returns some value of a type that accepts no empty one; `nil` if none can be made.
  ///
  /// The type may not expect this content, so it is used only if nothing else is left.
  static func lastResort<Content>(_ type: Content.Type) -> Content? {
    let fillings = [Filling.none] + Filling.some
    if let value = fillings.lazy.compactMap({ of(type, $0) }).first { return value }
    func raw<Raw: RawRepresentable>(_ type: Raw.Type) -> Any? {
      fillings.lazy.compactMap { of(Raw.RawValue.self, $0) }
        .compactMap { Raw(rawValue: $0) }.first
    }
    return (type as? any RawRepresentable.Type).flatMap { raw($0) } as? Content
  }

  /// Returns a value of a type with a filling; `nil` if none can be made.
  static func of<Content>(
    _ type: Content.Type,
    _ filling: Filling,
    depth: Int = 0
  ) -> Content? {
    if let value = known(type, filling) as? Content { return value }
    if let optional = type as? any OptionalType.Type {
      func wrapped<Wrapped>(_ type: Wrapped.Type) -> Any? { of(type, filling, depth: depth) }
      let value = filling.isDistinct ? wrapped(optional.wrappedType) : nil
      return (value ?? optional.none) as? Content
    }
    if let cases = TypeKind.cases(of: type) {
      return cases[filling.isDistinct ? Int(filling.number.magnitude) % cases.count : 0]
    }
    guard let decodable = type as? any Decodable.Type else { return nil }
    let decoder = PlaceholderDecoder(filling: filling, depth: depth)
    return (try? decodable.init(from: decoder)) as? Content
  }

  private static func known(_ type: Any.Type, _ filling: Filling) -> Any? {
    filling.isDistinct ? distinct(type, filling) : plain(type, filling)
  }

  /// Returns a value that differs from other numbers' values, as far as the type has enough values.
  private static func distinct(_ type: Any.Type, _ filling: Filling) -> Any? {
    switch type {
    case is Bool.Type: filling.number & 1 == 1
    case is UUID.Type:
      UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UInt8(bitPattern: filling.number)))
    case is URL.Type: URL(string: "https://example.org/\(filling.number)")
    case is Decimal.Type:
      Decimal(Int(filling.number)) + Decimal(sign: .plus, exponent: -1, significand: 5)
    case is Data.Type: Data([UInt8(bitPattern: filling.number)])
    case is Date.Type: Date(timeIntervalSinceReferenceDate: Double(filling.number))
    case is Double.Type: Double(filling.number) + 0.5
    case is Float.Type: Float(filling.number) + 0.5
    default: plain(type, filling)
    }
  }

  private static func plain(_ type: Any.Type, _ filling: Filling) -> Any? {
    switch type {
    case is Bool.Type: false
    case is String.Type: filling.text
    case is Double.Type: Double(filling.number)
    case is Float.Type: Float(filling.number)
    case let type as any FixedWidthInteger.Type: type.init(clamping: filling.number)
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
struct Filling {
  let text: String
  let number: Int8
  /// How many elements arrays have.
  let count: Int
  /// Whether optionals have values, and all values depend on the number.
  var isDistinct = false

  static let none = Filling(text: "", number: 0, count: 0)

  /// Returns a filling that differs from the fillings of other numbers.
  static func distinct(_ number: Int) -> Filling {
    Filling(text: "Ab \(number)", number: Int8(clamping: number), count: 1, isDistinct: true)
  }

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

/// A decoder that finds a value for everything, at any depth.
private struct PlaceholderDecoder: Decoder, SingleValueDecodingContainer {
  let filling: Filling
  /// How deep in a value this is.
  let depth: Int
  /// The decoder of the value's content.
  var inner: PlaceholderDecoder { PlaceholderDecoder(filling: filling, depth: depth + 1) }
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Name: CodingKey>(keyedBy: Name.Type) -> KeyedDecodingContainer<Name> {
    KeyedDecodingContainer(PlaceholderMembers<Name>(decoder: self))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { PlaceholderElements(decoder: self) }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool { true }
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

/// The members of an object; each key has a value.
private struct PlaceholderMembers<Name: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: PlaceholderDecoder
  var codingPath: [any CodingKey] { [] }
  /// One key, so that an enumeration decodes its first case.
  var allKeys: [Name] { TypeKind.cases(of: Name.self).map { Array($0.prefix(1)) } ?? [] }

  func contains(_ key: Name) -> Bool { true }
  func decodeNil(forKey key: Name) -> Bool { true }
  func decode<Content: Decodable>(_ type: Content.Type, forKey key: Name) throws -> Content {
    try decoder.decode(type)
  }
  func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type,
    forKey key: Name
  ) -> KeyedDecodingContainer<Nested> { decoder.inner.container(keyedBy: keyedBy) }
  func nestedUnkeyedContainer(forKey key: Name) -> any UnkeyedDecodingContainer {
    decoder.inner.unkeyedContainer()
  }
  func superDecoder() -> any Decoder { decoder.inner }
  func superDecoder(forKey key: Name) -> any Decoder { decoder.inner }
}

/// The elements of an array.
private struct PlaceholderElements: UnkeyedDecodingContainer {
  let decoder: PlaceholderDecoder
  var codingPath: [any CodingKey] { [] }
  var count: Int? { decoder.filling.count }
  var isAtEnd: Bool { currentIndex >= decoder.filling.count }
  private(set) var currentIndex = 0

  init(decoder: PlaceholderDecoder) { self.decoder = decoder }

  /// Returns the decoder of the next element.
  private mutating func next() -> PlaceholderDecoder {
    currentIndex += 1
    return decoder.inner
  }

  mutating func decodeNil() -> Bool {
    currentIndex += 1
    return true
  }
  mutating func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
    currentIndex += 1
    return try decoder.decode(type)
  }
  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type
  ) -> KeyedDecodingContainer<Nested> { next().container(keyedBy: keyedBy) }
  mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
    next().unkeyedContainer()
  }
  mutating func superDecoder() -> any Decoder { next() }
}
