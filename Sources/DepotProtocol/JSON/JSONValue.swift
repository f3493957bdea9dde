/// A small JSON document as a value: error details, statistics, and the like; never rows.
public indirect enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case int64(Int64)
  case double(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])
}

extension JSONValue {
  /// The member named `name` of an object, or `nil`.
  public subscript(name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The elements of an array, or `nil`.
  public var array: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of an object, or `nil`.
  public var object: [String: JSONValue]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// The characters of a string, or `nil`.
  public var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The number as a whole number, or `nil`.
  public var int64: Int64? {
    switch self {
    case .int64(let value): value
    case .double(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The number, or `nil`.
  public var double: Double? {
    switch self {
    case .int64(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// The truth value, or `nil`.
  public var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// Reads the value that `node` stands for.
  package init(_ node: JSONNode) throws(DepotError) {
    switch node.kind {
    case .null: self = .null
    case .true: self = .bool(true)
    case .false: self = .bool(false)
    case .string: self = .string(try node.string())
    case .number:
      if !node.isComplex, let value = try? node.int64() {
        self = .int64(value)
      } else {
        self = .double(try node.double())
      }
    case .array:
      var elements: [JSONValue] = []
      for element in try node.elements() { elements.append(try JSONValue(element)) }
      self = .array(elements)
    case .object:
      var members: [String: JSONValue] = [:]
      for (name, value) in try node.members() {
        members[try name.string()] = try JSONValue(value)
      }
      self = .object(members)
    }
  }

  /// Parses a JSON text with the protocol's strictness.
  ///
  /// - Throws: ``DepotError`` `protocol.json` and the like, with the offset of the first bad byte.
  public init(parsing text: some Sequence<UInt8>) throws(DepotError) {
    self = try JSONValue(JSONDocument(Array(text)).root)
  }

  /// The value as compact JSON, the members of objects in the order of their names.
  public var text: String {
    var writer = JSONWriter()
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension JSONWriter {
  /// Writes a small document, the members of objects in the order of their names.
  package mutating func write(_ value: JSONValue) {
    switch value {
    case .null: raw("null")
    case .bool(let value): raw(value ? "true" : "false")
    case .int64(let value): integer(value)
    case .double(let value): double(value)
    case .string(let text): string(text)
    case .array(let elements):
      raw("[")
      for (index, element) in elements.enumerated() {
        if index > 0 { raw(",") }
        write(element)
      }
      raw("]")
    case .object(let members):
      raw("{")
      for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { raw(",") }
        string(member.key)
        raw(":")
        write(member.value)
      }
      raw("}")
    }
  }
}
