internal import DepotProtocol
internal import FoundationEssentials

/// An encoder of one row, whose columns are named by the keys.
///
/// A value with keys of its own becomes the parts of a composite; a dictionary, a list of such
/// values, and an enumeration with associated values become JSON.
final class RowEncoder: Encoder {
  private(set) var values: [(column: String, value: Value)] = []
  /// The columns that say whether an optional composite is there.
  private(set) var presences: Set<String> = []
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  /// Encodes a value that encodes itself with keys.
  ///
  /// - Throws: ``DepotError`` `request.type` if it has no keys.
  init(_ content: some Encodable) throws {
    try content.encode(to: self)
  }

  fileprivate func set(_ path: String, _ value: Value) {
    values.append((path, value))
  }

  /// Adds the values of `content` under the name `path`.
  fileprivate func encode<Content: Encodable>(
    _ content: Content,
    _ path: String,
    isOptional: Bool
  ) throws {
    if let value = try Self.value(content) { return set(path, value) }
    let part = PartEncoder(row: self, path: path)
    do {
      try content.encode(to: part)
    } catch {
      guard part.isUnkeyed else { throw error }
    }
    if part.isUnkeyed { return set(path, JSONCoding.value(content)) }
    if part.isComposite, isOptional {
      presences.insert(path)
      set(path, .bool(true))
    }
  }

  /// Returns the column value of `content`; `nil` if only its encoding shows it.
  private static func value<Content: Encodable>(_ content: Content) throws -> Value? {
    switch content {
    case let content as any AttributeValue: return content.attributeValue
    case let content as any RawRepresentable:
      return (content.rawValue as? any AttributeValue)?.attributeValue
    case let collection as any Collection:
      guard !(content is any KeyedContent), let list = try list(collection) else {
        return JSONCoding.value(content)
      }
      return .list(list)
    default:
      return Mirror(reflecting: content).displayStyle == .enum ? JSONCoding.value(content) : nil
    }
  }

  /// Returns the elements if each is one value.
  private static func list(_ collection: some Collection) throws -> [Value]? {
    var values: [Value] = []
    for element in collection {
      guard let element = element as? any Encodable, let value = try value(element) else {
        return nil
      }
      if case .json = value { return nil }
      values.append(value)
    }
    return values
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(RowEncodingContainer(encoder: self, prefix: ""))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { RefusingContainer(codingPath: []) }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    RefusingContainer(codingPath: [])
  }
}

private struct RowEncodingContainer<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: RowEncoder
  /// The beginning of the columns' names.
  let prefix: String
  let codingPath: [any CodingKey] = []

  /// Returns the column for a key; `nil` for the row's identity.
  private func column(_ key: Key) -> String? {
    prefix.isEmpty && key.stringValue.hasPrefix("$") ? nil : prefix + key.stringValue
  }

  mutating func encodeNil(forKey key: Key) {
    if let column = column(key) { encoder.set(column, .null) }
  }

  mutating func encode(_ content: some Encodable, forKey key: Key) throws {
    if let column = column(key) { try encoder.encode(content, column, isOptional: false) }
  }

  mutating func encodeIfPresent(_ content: (some Encodable)?, forKey key: Key) throws {
    guard let content, let column = column(key) else { return }
    try encoder.encode(content, column, isOptional: true)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type,
    forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    let prefix = "\(prefix)\(key.stringValue)."
    return KeyedEncodingContainer(RowEncodingContainer<Nested>(encoder: encoder, prefix: prefix))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    RefusingContainer(codingPath: [key])
  }

  mutating func superEncoder() -> any Encoder { PartEncoder(row: encoder, path: "super") }

  mutating func superEncoder(forKey key: Key) -> any Encoder {
    PartEncoder(row: encoder, path: prefix + key.stringValue)
  }
}

/// The encoder of one key's value, which finds out how that encodes itself.
@Memberwise
private final class PartEncoder: Encoder, SingleValueEncodingContainer {
  let row: RowEncoder
  let path: String
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]
  private(set) var isComposite: Bool = false
  private(set) var isUnkeyed: Bool = false

  func encodeNil() { row.set(path, .null) }

  func encode(_ content: some Encodable) throws {
    try row.encode(content, path, isOptional: false)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { self }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    isComposite = true
    return KeyedEncodingContainer(RowEncodingContainer(encoder: row, prefix: path + "."))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    isUnkeyed = true
    return RefusingContainer(codingPath: [])
  }
}
