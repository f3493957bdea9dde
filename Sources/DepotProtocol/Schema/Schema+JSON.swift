extension Schema {
  /// Reads a schema from its JSON text, as in a `.schema.json` file.
  ///
  /// - Throws: ``DepotError`` of class `protocol` or `request` if it can't be read, `schema.invalid`
  ///   if it contradicts itself.
  public init(parsing text: some Sequence<UInt8>) throws(DepotError) {
    try self.init(JSONDocument(Array(text)).root)
  }

  package init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    self.init()
    for entity in try reader.required("entities").elements() {
      entities.append(try Entity(entity))
    }
    try reader.finish()
    try validate()
  }

  /// The schema as compact JSON in canonical form: members that say nothing are left out.
  public var json: String {
    var writer = JSONWriter()
    writer.write(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// Sixteen hexadecimal digits that two schemas share only if they are equal.
  public var fingerprint: String {
    var checksum = Checksum()
    Array(json.utf8).withUnsafeBytes { checksum.add($0) }
    let digits = String(checksum.value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension Entity {
  init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    self.init(name: try reader.string("name"), attributes: [])
    for attribute in try reader.required("attributes").elements() {
      attributes.append(try Attribute(attribute))
    }
    for index in try reader.optional("indexes")?.elements() ?? [] {
      var names: [String] = []
      for name in try index.elements() { names.append(try name.string()) }
      indexes.append(names)
    }
    try reader.finish()
  }
}

extension Attribute {
  init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    let name = try reader.string("name")
    let typeName = try reader.string("type")
    guard let type = AttributeType(rawValue: typeName) else {
      let names = AttributeType.allCases.map(\.rawValue)
      throw DepotError(.invalidSchema, "\"\(name)\" has the unknown type \"\(typeName)\".")
        .hint("The types are \(names.joined(separator: ", ")).").at(node.pointer + "/type")
    }
    self.init(
      name: name,
      type: type,
      isOptional: try reader.bool("optional", default: false),
      isUnique: try reader.bool("unique", default: false),
      isIndexed: try reader.bool("indexed", default: false)
    )
    defaultValue = try reader.optional("default")?.value(as: type)
    try reader.finish()
  }
}

extension JSONWriter {
  package mutating func write(_ schema: Schema) {
    raw("{\"entities\":[")
    for (index, entity) in schema.entities.enumerated() {
      if index > 0 { raw(",") }
      write(entity)
    }
    raw("]}")
  }

  private mutating func write(_ entity: Entity) {
    raw("{\"name\":")
    string(entity.name)
    raw(",\"attributes\":[")
    for (index, attribute) in entity.attributes.enumerated() {
      if index > 0 { raw(",") }
      write(attribute)
    }
    raw("]")
    if !entity.indexes.isEmpty {
      raw(",\"indexes\":")
      write(.array(entity.indexes.map { .array($0.map(JSONValue.string)) }))
    }
    raw("}")
  }

  private mutating func write(_ attribute: Attribute) {
    raw("{\"name\":")
    string(attribute.name)
    raw(",\"type\":")
    string(attribute.type.rawValue)
    if attribute.isOptional { raw(",\"optional\":true") }
    if let value = attribute.defaultValue {
      raw(",\"default\":")
      write(value)
    }
    if attribute.isUnique { raw(",\"unique\":true") }
    if attribute.isIndexed { raw(",\"indexed\":true") }
    raw("}")
  }
}
