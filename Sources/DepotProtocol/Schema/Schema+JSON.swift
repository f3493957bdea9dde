extension Schema {
  /// Parses a schema's JSON form and checks it.
  ///
  /// - Throws: ``DepotError`` of class `protocol` or `request` if it can't be read, `schema.invalid`
  ///   if it contradicts itself.
  public init(parsing text: some Sequence<UInt8>) throws(DepotError) {
    try self.init(JSONDocument(Array(text)).root)
  }

  package init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    self.init()
    version = try reader.optional("version").map(SchemaVersion.init(_:))
    for entity in try reader.required("entities").elements() {
      entities.append(try Entity(entity))
    }
    try reader.finish()
    do {
      try validate()
    } catch {
      throw error.inside(node.pointer)
    }
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
    return checksum.digits
  }
}

extension SchemaVersion {
  init(_ node: JSONNode) throws(DepotError) {
    let text = try node.string()
    guard let version = SchemaVersion(text) else {
      throw DepotError(.invalidSchema, "\(text.debugDescription) isn't the version of a schema.")
        .hint("Write three numbers, as in 1.2.0.").at(node.pointer)
    }
    self = version
  }
}

extension Entity {
  init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    self.init(name: try reader.string("name"), attributes: [])
    parent = try reader.optionalString("parent")
    isAbstract = try reader.bool("abstract", default: false)
    for attribute in try reader.required("attributes").elements() {
      attributes.append(try Attribute(attribute))
    }
    for relationship in try reader.optional("relationships")?.elements() ?? [] {
      relationships.append(try Relationship(relationship))
    }
    indexes = try Self.paths(reader.optional("indexes"))
    rangeIndexes = try Self.paths(reader.optional("rangeIndexes"))
    uniques = try Self.paths(reader.optional("uniques"))
    originalName = try reader.optionalString("originalName")
    hashModifier = try reader.optionalString("hashModifier")
    if let node = reader.optional("history") {
      history = try node.choice(of: HistoryPolicy.self, "policy of history")
    }
    try reader.finish()
  }

  private static func paths(_ node: JSONNode?) throws(DepotError) -> [[String]] {
    var result: [[String]] = []
    for list in try node?.elements() ?? [] {
      var paths: [String] = []
      for path in try list.elements() { paths.append(try path.string()) }
      result.append(paths)
    }
    return result
  }
}

extension Relationship {
  init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    self.init(
      name: try reader.string("name"),
      destination: try reader.string("destination"),
      inverse: try reader.optionalString("inverse"),
      isToMany: try reader.bool("toMany", default: false),
      isOptional: try reader.bool("optional", default: false),
      isOrdered: try reader.bool("ordered", default: false)
    )
    isOptional = isOptional || isToMany
    if let node = reader.optional("deleteRule") {
      deleteRule = try node.choice(of: DeleteRule.self, "delete rule")
    }
    minCount = try reader.optionalInt("minCount", in: 0...Int(Int32.max)) ?? 0
    maxCount = try reader.optionalInt("maxCount", in: 0...Int(Int32.max)) ?? 0
    originalName = try reader.optionalString("originalName")
    hashModifier = try reader.optionalString("hashModifier")
    try reader.finish()
  }
}

extension JSONWriter {
  package mutating func write(_ schema: Schema) {
    object { members in
      members.member("version", schema.version?.description)
      members.list("entities", schema.entities, always: true) { $0.write($1) }
    }
  }

  mutating func write(_ entity: Entity) {
    object { members in
      members.member("name", entity.name)
      members.member("parent", entity.parent)
      members.member("abstract", entity.isAbstract)
      members.list("attributes", entity.attributes, always: true) { $0.write($1) }
      members.list("relationships", entity.relationships) { $0.write($1) }
      members.list("indexes", entity.indexes) { $0.write(paths: $1) }
      members.list("rangeIndexes", entity.rangeIndexes) { $0.write(paths: $1) }
      members.list("uniques", entity.uniques) { $0.write(paths: $1) }
      members.member("originalName", entity.originalName)
      members.member("hashModifier", entity.hashModifier)
      members.member("history", entity.history?.rawValue)
    }
  }

  private mutating func write(paths: [String]) {
    write(.array(paths.map(JSONValue.string)))
  }

  private mutating func write(_ relationship: Relationship) {
    object { members in
      members.member("name", relationship.name)
      members.member("destination", relationship.destination)
      members.member("toMany", relationship.isToMany)
      members.member("inverse", relationship.inverse)
      members.member("optional", relationship.isOptional && !relationship.isToMany)
      members.member("ordered", relationship.isOrdered)
      if relationship.deleteRule != .nullify {
        members.member("deleteRule", relationship.deleteRule.rawValue)
      }
      members.member("minCount", relationship.minCount == 0 ? nil : relationship.minCount)
      members.member("maxCount", relationship.maxCount == 0 ? nil : relationship.maxCount)
      members.member("originalName", relationship.originalName)
      members.member("hashModifier", relationship.hashModifier)
    }
  }
}
