extension Attribute {
  /// The type as the JSON form names it, which is the width of a narrow number.
  package var typeName: String { width?.rawValue ?? type.rawValue }

  init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    let name = try reader.string("name")
    let (type, width) = try Self.type(named: reader.required("type"), of: name)
    self.init(
      name: name,
      type: type,
      width: width,
      isOptional: try reader.bool("optional", default: false),
      isUnique: try reader.bool("unique", default: false),
      isIndexed: try reader.bool("indexed", default: false)
    )
    if let node = reader.optional("collection") {
      collection = try node.choice(of: CollectionKind.self, "kind of collection")
    }
    for property in try reader.optional("properties")?.elements() ?? [] {
      properties.append(try Attribute(property))
    }
    defaultValue = try reader.optional("default").map(value(from:))
    for (member, option) in Options.members where try reader.bool(member, default: false) {
      options.insert(option)
    }
    validation = try Validation(&reader, of: self)
    derivation = try reader.optionalString("derived")
    originalName = try reader.optionalString("originalName")
    hashModifier = try reader.optionalString("hashModifier")
    try reader.finish()
  }

  private static func type(
    named node: JSONNode,
    of name: String
  ) throws(DepotError) -> (AttributeType, NumberWidth?) {
    let text = try node.string()
    if let type = AttributeType(rawValue: text) { return (type, nil) }
    if let width = NumberWidth(rawValue: text) { return (width.type, width) }
    let names = AttributeType.allCases.map(\.rawValue) + NumberWidth.allCases.map(\.rawValue)
    throw DepotError(.invalidSchema, "\"\(name)\" has the unknown type \"\(text)\".")
      .hint("The types are \(names.joined(separator: ", ")).").at(node.pointer)
  }

  /// Reads a value of the attribute; of a collection, a list.
  private func value(from node: JSONNode) throws(DepotError) -> Value {
    guard !node.isNull else { return .null }
    if type == .json { return .json(node.compactText) }
    if type == .composite {
      throw DepotError(.invalidSchema, "\"\(name)\" is a composite and can't have a default.")
        .hint("Give its properties defaults.").at(node.pointer)
    }
    guard collection != nil else { return try node.value(as: type) }
    var elements: [Value] = []
    for element in try node.elements() { elements.append(try element.value(as: type)) }
    return .list(elements)
  }
}

extension Attribute.Options {
  /// The options by the members of the JSON form that turn them on.
  fileprivate static let members: [(StaticString, Attribute.Options)] = [
    ("externalStorage", .externalStorage), ("ephemeral", .ephemeral),
    ("preserveValueOnDeletion", .preserveValueOnDeletion), ("spotlight", .spotlight),
    ("transient", .transient),
  ]
}

extension Attribute.Validation {
  fileprivate init(
    _ reader: inout JSONObjectReader,
    of attribute: Attribute
  ) throws(DepotError) {
    self.init()
    minimum = try reader.optional("min").map { (node) throws(DepotError) in
      try attribute.bound(from: node)
    }
    maximum = try reader.optional("max").map { (node) throws(DepotError) in
      try attribute.bound(from: node)
    }
    minLength = try reader.optionalInt("minLength", in: 0...Int(Int32.max))
    maxLength = try reader.optionalInt("maxLength", in: 0...Int(Int32.max))
    pattern = try reader.optionalString("pattern")
    for value in try reader.optional("cases")?.elements() ?? [] {
      cases.append(try attribute.bound(from: value))
    }
  }
}

extension Attribute {
  /// Reads a value of the attribute, or one element of a collection.
  fileprivate func bound(from node: JSONNode) throws(DepotError) -> Value {
    guard type.isScalar else {
      throw DepotError(.invalidSchema, "The values of \"\(name)\" can't be compared.")
        .hint("Bounds and cases are for scalar types.").at(node.pointer)
    }
    return try node.value(as: type)
  }
}

extension JSONWriter {
  mutating func write(_ attribute: Attribute) {
    object { members in
      members.member("name", attribute.name)
      members.member("type", attribute.typeName)
      members.member("collection", attribute.collection?.rawValue)
      members.list("properties", attribute.properties) { $0.write($1) }
      members.member("optional", attribute.isOptional)
      members.member("default", attribute.defaultValue)
      members.member("unique", attribute.isUnique)
      members.member("indexed", attribute.isIndexed)
      members.member("min", attribute.validation.minimum)
      members.member("max", attribute.validation.maximum)
      members.member("minLength", attribute.validation.minLength)
      members.member("maxLength", attribute.validation.maxLength)
      members.member("pattern", attribute.validation.pattern)
      members.list("cases", attribute.validation.cases) { $0.write($1) }
      for (member, option) in Attribute.Options.members {
        members.member(member, attribute.options.contains(option))
      }
      members.member("derived", attribute.derivation)
      members.member("originalName", attribute.originalName)
      members.member("hashModifier", attribute.hashModifier)
    }
  }
}
