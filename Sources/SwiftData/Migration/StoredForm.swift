internal import DepotProtocol

/// A value of an attribute as an older version of the program stored it.
enum StoredForm {
  case missing
  /// The value of one column, as JSON of the wire.
  case column(Attribute, String)
  case parts([String: StoredForm])

  /// Reads the columns of an attribute.
  init(_ attribute: Attribute, _ row: inout RowReader) throws {
    guard attribute.type == .composite else {
      let text = String(decoding: try row.text(), as: UTF8.self)
      self = text == "null" ? .missing : .column(attribute, text)
      return
    }
    let isPresent = attribute.isOptional ? try row.next(Bool?.self) == true : true
    var parts: [String: StoredForm] = [:]
    for part in attribute.storedParts { parts[part.name] = try StoredForm(part, &row) }
    self = isPresent ? .parts(parts) : .missing
  }

  /// Returns the value as one of a type.
  ///
  /// - Throws: The error of the type that it isn't one.
  func content<Content: Decodable>(_ type: Content.Type) throws -> Content {
    switch self {
    case .missing:
      if let none = (type as? any OptionalType.Type)?.none as? Content { return none }
    case .parts:
      if !AttributeCodec.of(type, nil).attribute.type.isScalar {
        return try Content(from: StoredFormDecoder(form: self))
      }
    case .column(let attribute, let text):
      if let known = try column(type, attribute, text) { return known }
      switch attribute.type {
      case .date, .data, .decimal: return try Content(from: StoredFormDecoder(form: self))
      default:
        var text = text
        return try text.withUTF8 { try JSONCoding.decode(type, $0) }
      }
    }
    throw mismatch(type)
  }

  /// Returns a column's value as the type of its codec; `nil` if the type's column has another
  /// kind.
  fileprivate func column<Content>(
    _ type: Content.Type,
    _ attribute: Attribute,
    _ text: String
  ) throws -> Content? {
    let codec = AttributeCodec.of(type, nil)
    let own = codec.attribute
    guard own.type == attribute.type, own.collection == attribute.collection, own.type.isScalar
    else { return nil }
    return try codec.value(of: [Array(text.utf8)]) as? Content
  }

  func mismatch(_ type: Any.Type) -> DecodingError {
    let found =
      switch self {
      case .missing: "nothing"
      case .column(let attribute, _): "a value of type \(attribute.typeDescription)"
      case .parts: "a structure"
      }
    return .typeMismatch(type, .init(codingPath: [], debugDescription: "There is \(found)."))
  }
}

extension Attribute {
  /// The parts that have columns.
  var storedParts: [Attribute] { properties.filter { !$0.options.contains(.transient) } }

  /// The paths of the columns of an attribute that begins so.
  func storedPaths(_ prefix: String = "") -> [String] {
    let path = prefix + name
    guard type == .composite else { return [path] }
    return (isOptional ? [path] : []) + storedParts.flatMap { $0.storedPaths(path + ".") }
  }
}

/// A decoder of a value that was stored in another form.
private struct StoredFormDecoder: Decoder, SingleValueDecodingContainer {
  let form: StoredForm
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .parts(let parts) = form else { throw form.mismatch([String: Any].self) }
    return KeyedDecodingContainer(StoredFormParts<Key>(parts: parts))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    throw form.mismatch([Any].self)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }

  func decodeNil() -> Bool {
    if case .missing = form { true } else { false }
  }

  func decode<Content: Decodable>(_ type: Content.Type) throws -> Content {
    guard case .column(let attribute, let text) = form else { return try form.content(type) }
    guard let content = try form.column(type, attribute, text) else { throw form.mismatch(type) }
    return content
  }
}

/// The parts of a structure that was stored in another form.
private struct StoredFormParts<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let parts: [String: StoredForm]
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { parts.keys.sorted().compactMap { Key(stringValue: $0) } }

  private func form(_ key: Key) -> StoredForm { parts[key.stringValue] ?? .missing }

  func contains(_ key: Key) -> Bool { parts[key.stringValue] != nil }
  func decodeNil(forKey key: Key) -> Bool { StoredFormDecoder(form: form(key)).decodeNil() }
  func decode<Content: Decodable>(_ type: Content.Type, forKey key: Key) throws -> Content {
    guard contains(key) else {
      throw DecodingError.keyNotFound(
        key,
        .init(codingPath: [], debugDescription: "There is no part \(key.stringValue).")
      )
    }
    return try form(key).content(type)
  }
  func nestedContainer<Nested: CodingKey>(
    keyedBy: Nested.Type,
    forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try StoredFormDecoder(form: form(key)).container(keyedBy: keyedBy)
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try StoredFormDecoder(form: form(key)).unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { StoredFormDecoder(form: .missing) }
  func superDecoder(forKey key: Key) throws -> any Decoder { StoredFormDecoder(form: form(key)) }
}
