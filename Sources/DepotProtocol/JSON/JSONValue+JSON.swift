extension JSONValue {
  /// Reads the value that `node` stands for.
  package init(_ node: JSONNode) throws(DepotError) {
    switch node.kind {
    case .null: self = .null
    case .true: self = .bool(true)
    case .false: self = .bool(false)
    case .string: self = .string(try node.string())
    case .number:
      if let value = node.withField(\.int64), try node.isExactly(value) {
        self = .int64(value)
      } else {
        self = .double(try node.double())
      }
    case .array:
      self = .array(try node.elements().map(JSONValue.init(_:)))
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
  public var text: String { JSONWriter.text { $0.write(self) } }
}

extension Value {
  /// Whether two texts of JSON stand for the same value, regardless of the order of members.
  package static func areSame(
    json one: UnsafeBufferPointer<UInt8>,
    _ other: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard let value = try? JSONValue(parsing: one) else { return false }
    return value == (try? JSONValue(parsing: other))
  }
}

extension JSONNode {
  /// Whether a whole number is written without a fraction and an exponent, or is none that a double holds.
  fileprivate func isExactly(_ value: Int64) throws(DepotError) -> Bool {
    guard isComplex else { return true }
    let nearest = try double()
    return withField { JSONNumber.isRounded($0.bytes, to: nearest) }
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
    case .array(let elements): array(elements) { $0.write($1) }
    case .object(let members):
      object { writer in
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
          writer.name(name)
          writer.write(value)
        }
      }
    }
  }
}
