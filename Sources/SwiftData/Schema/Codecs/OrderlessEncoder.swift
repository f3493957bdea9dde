/// An encoder whose result doesn't depend on the order that sets and dictionaries happen to have.
final class OrderlessEncoder: Encoder {
  private var scalar: String?
  private var members: [(name: String, value: OrderlessEncoder)] = []
  private var elements: [OrderlessEncoder] = []
  private var isOrderless = false

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// Whether two values are equal, and encode themselves alike but for the order of sets and
  /// dictionaries.
  static func areAlike(_ left: Any, _ right: Any) -> Bool {
    if let left = left as? any Equatable, !left.equals(right) { return false }
    guard let left = text(of: left), let right = text(of: right) else { return false }
    return left.utf8.elementsEqual(right.utf8)
  }

  /// Returns the text of a value; `nil` if it can't be encoded.
  private static func text(of value: Any) -> String? {
    guard let value = value as? any Encodable else { return nil }
    let encoder = OrderlessEncoder()
    return (try? encoder.write(value)).map { encoder.text }
  }

  private var text: String {
    if let scalar { return scalar }
    let named = members.map { "\($0.name.debugDescription):\($0.value.text)" }.sorted()
    let texts = elements.map(\.text)
    let rest = isOrderless ? texts.sorted() : texts
    return "{\(named.joined(separator: ","))}[\(rest.joined(separator: ","))]"
  }

  private func write(_ value: some Encodable) throws {
    switch value {
    case is Bool, is String, is any BinaryInteger, is any BinaryFloatingPoint:
      scalar = String(reflecting: value)
    case let value as any OrderlessCollection:
      isOrderless = true
      for parts in value.encodableParts {
        let inner = element()
        for part in parts { try inner.element().write(part) }
      }
    default: try value.encode(to: self)
    }
  }

  private func element() -> OrderlessEncoder {
    elements.append(OrderlessEncoder())
    return elements[elements.count - 1]
  }

  private func member(_ name: String) -> OrderlessEncoder {
    members.append((name, OrderlessEncoder()))
    return members[members.count - 1].value
  }

  func container<Name: CodingKey>(keyedBy: Name.Type) -> KeyedEncodingContainer<Name> {
    KeyedEncodingContainer(Members<Name>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { Elements(encoder: self) }
  func singleValueContainer() -> any SingleValueEncodingContainer { Whole(encoder: self) }

  private struct Members<Name: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: OrderlessEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Name) { encoder.member(key.stringValue).scalar = "null" }
    func encode<Content: Encodable>(_ value: Content, forKey key: Name) throws {
      try encoder.member(key.stringValue).write(value)
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy: Nested.Type,
      forKey key: Name
    ) -> KeyedEncodingContainer<Nested> {
      encoder.member(key.stringValue).container(keyedBy: keyedBy)
    }
    func nestedUnkeyedContainer(forKey key: Name) -> any UnkeyedEncodingContainer {
      encoder.member(key.stringValue).unkeyedContainer()
    }
    func superEncoder() -> any Encoder { encoder.member("super") }
    func superEncoder(forKey key: Name) -> any Encoder { encoder.member(key.stringValue) }
  }

  private struct Elements: UnkeyedEncodingContainer {
    let encoder: OrderlessEncoder
    var codingPath: [any CodingKey] { [] }
    var count: Int { encoder.elements.count }

    func encodeNil() { encoder.element().scalar = "null" }
    func encode<Content: Encodable>(_ value: Content) throws { try encoder.element().write(value) }
    func nestedContainer<Nested: CodingKey>(
      keyedBy: Nested.Type
    ) -> KeyedEncodingContainer<Nested> { encoder.element().container(keyedBy: keyedBy) }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
      encoder.element().unkeyedContainer()
    }
    func superEncoder() -> any Encoder { encoder.element() }
  }

  private struct Whole: SingleValueEncodingContainer {
    let encoder: OrderlessEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { encoder.scalar = "null" }
    func encode<Content: Encodable>(_ value: Content) throws { try encoder.write(value) }
  }
}

/// A collection without an order of its own.
private protocol OrderlessCollection {
  var encodableParts: [[any Encodable]] { get }
}

extension Set: OrderlessCollection where Element: Encodable {
  fileprivate var encodableParts: [[any Encodable]] { map { [$0] } }
}

// The parts of a dictionary that is encoded can be encoded.
extension Dictionary: OrderlessCollection {
  fileprivate var encodableParts: [[any Encodable]] {
    map { part in ([part.key, part.value] as [Any]).compactMap { $0 as? any Encodable } }
  }
}

extension Equatable {
  fileprivate func equals(_ other: Any) -> Bool { self == other as? Self }
}
