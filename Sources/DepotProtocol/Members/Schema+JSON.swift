extension Schema {
  /// Parses a schema's JSON form and checks it.
  ///
  /// - Throws: ``DepotError`` of class `protocol` or `request` if it can't be read, `schema.invalid`
  ///   if it contradicts itself.
  public init(parsing text: some Sequence<UInt8>) throws(DepotError) {
    try self.init(JSONDocument(Array(text)).root)
  }

  package init(_ node: JSONNode) throws(DepotError) {
    self = try RequestReader.object(node)
    do {
      try validate()
    } catch {
      throw error.inside(node.pointer)
    }
  }

  /// The schema as compact JSON in canonical form, without members that have their defaults.
  public var json: String { JSONWriter.text { $0.write(self) } }

  /// A hash of the schema as 16 hexadecimal digits, equal for equal schemas only.
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
      throw .invalid("\(text.quoted) isn't the version of a schema.")
        .hint("Write three numbers, as in 1.2.0.").at(node.pointer)
    }
    self = version
  }
}

extension Schema: MemberObject {
  static var blank: Self { Self() }

  init(_ node: JSONNode, member name: StaticString) throws(DepotError) { try self.init(node) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.custom { (reader) throws(DepotError) in
      version = try reader.optional("version").map(SchemaVersion.init(_:))
    } write: { writer in
      var version = version
      writer.optional("version", &version)
    }
    try coder.required("entities", &entities)
  }
}

extension Entity: MemberObject {
  static var blank: Self { Self(name: "", attributes: []) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("name", &name)
    try coder.optional("parent", &parent)
    try coder.value("abstract", &isAbstract, default: false)
    try coder.required("attributes", &attributes)
    try coder.value("relationships", &relationships, default: [])
    try coder.paths("indexes", &indexes)
    try coder.paths("rangeIndexes", &rangeIndexes)
    try coder.paths("uniques", &uniques)
    try coder.optional("originalName", &originalName)
    try coder.optional("hashModifier", &hashModifier)
    try coder.optional("history", &history)
  }
}

extension Relationship: MemberObject {
  static var blank: Self { Self(name: "", destination: "") }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("name", &name)
    try coder.required("destination", &destination)
    try coder.value("toMany", &isToMany, default: false)
    try coder.optional("inverse", &inverse)
    var isOptionalToOne = isOptional && !isToMany
    try coder.value("optional", &isOptionalToOne, default: false)
    isOptional = isOptionalToOne || isToMany
    try coder.value("ordered", &isOrdered, default: false)
    try coder.value("deleteRule", &deleteRule, default: .nullify)
    try coder.count("minCount", &minCount)
    try coder.count("maxCount", &maxCount)
    try coder.optional("originalName", &originalName)
    try coder.optional("hashModifier", &hashModifier)
  }
}

extension MemberCoder {
  /// Passes lists of paths unchanged.
  fileprivate mutating func paths(
    _ name: StaticString,
    _ lists: inout [[String]]
  ) throws(Failure) {
    try custom { (reader) throws(DepotError) in
      for list in try reader.elements(name) {
        lists.append(try list.elements().map { (path) throws(DepotError) in try path.string() })
      }
    } write: { writer in
      writer.list(name, lists) { (writer, paths) in writer.names(paths) }
    }
  }

  /// Passes a number of rows; 0 means no limit.
  fileprivate mutating func count(_ name: StaticString, _ value: inout Int) throws(Failure) {
    var number: Int? = value == 0 ? nil : value
    try self.number(name, &number, in: 0...Int(Int32.max))
    value = number ?? 0
  }
}

extension HistoryPolicy: SchemaChoice {
  static var kind: String { "policy of history" }
}

extension Relationship.DeleteRule: SchemaChoice {
  static var kind: String { "delete rule" }
}

extension JSONWriter {
  package mutating func write(_ schema: Schema) { object(schema) }
}
