extension Attribute {
  fileprivate static func type(
    named node: JSONNode,
    of name: String
  ) throws(DepotError) -> (AttributeType, NumberWidth?) {
    let text = try node.string()
    if let type = AttributeType(rawValue: text) { return (type, nil) }
    if let width = NumberWidth(rawValue: text) { return (width.type, width) }
    let names = AttributeType.allCases.map(\.rawValue) + NumberWidth.allCases.map(\.rawValue)
    throw .invalid("\"\(name)\" has the unknown type \"\(text)\".")
      .hint("The types are \(names.joined(separator: ", ")).").at(node.pointer)
  }

  /// Reads a value of the attribute; of a collection, a list.
  fileprivate func value(from node: JSONNode) throws(DepotError) -> Value {
    guard !node.isNull else { return .null }
    if type == .json { return .json(node.compactText) }
    if type == .composite {
      throw .invalid("\"\(name)\" is a composite and can't have a default.")
        .hint("Give its properties defaults.").at(node.pointer)
    }
    guard collection != nil else { return try node.value(as: type) }
    return .list(
      try node.elements().map { (element) throws(DepotError) in try element.value(as: type) }
    )
  }
}

extension Attribute.Options {
  /// The options by their members in the JSON form.
  fileprivate static let members: [(StaticString, Attribute.Options)] = [
    ("externalStorage", .externalStorage), ("ephemeral", .ephemeral),
    ("preserveValueOnDeletion", .preserveValueOnDeletion), ("spotlight", .spotlight),
    ("transient", .transient),
  ]
}

extension Attribute: MemberObject {
  static var blank: Self { Self(name: "", type: .string) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("name", &name)
    try coder.custom { (reader) throws(DepotError) in
      (type, width) = try Self.type(named: reader.required("type"), of: name)
    } write: { writer in
      writer.member("type")
      writer.string(typeName)
    }
    try coder.optional("collection", &collection)
    try coder.value("properties", &properties, default: [])
    try coder.value("optional", &isOptional, default: false)
    try coder.custom { (reader) throws(DepotError) in
      defaultValue = try reader.optional("default").map(value(from:))
    } write: { writer in
      writer.value("default", defaultValue)
    }
    try coder.value("unique", &isUnique, default: false)
    try coder.value("indexed", &isIndexed, default: false)
    let attribute = self
    try validation.members(&coder, of: attribute)
    for (member, option) in Options.members {
      var isOn = options.contains(option)
      try coder.value(member, &isOn, default: false)
      if isOn { options.insert(option) }
    }
    try coder.optional("derived", &derivation)
    try coder.optional("originalName", &originalName)
    try coder.optional("hashModifier", &hashModifier)
  }
}

extension Attribute.Validation {
  fileprivate mutating func members<Coder: MemberCoder>(
    _ coder: inout Coder,
    of attribute: Attribute
  ) throws(Coder.Failure) {
    try coder.custom { (reader) throws(DepotError) in
      minimum = try reader.optional("min").map(attribute.bound(from:))
      maximum = try reader.optional("max").map(attribute.bound(from:))
    } write: { writer in
      writer.value("min", minimum)
      writer.value("max", maximum)
    }
    try coder.number("minLength", &minLength, in: 0...Int(Int32.max))
    try coder.number("maxLength", &maxLength, in: 0...Int(Int32.max))
    try coder.optional("pattern", &pattern)
    try coder.custom { (reader) throws(DepotError) in
      for node in try reader.elements("cases") { cases.append(try attribute.bound(from: node)) }
    } write: { writer in
      writer.list("cases", cases) { $0.write($1) }
    }
  }
}

extension Attribute.CollectionKind: SchemaChoice {
  static var kind: String { "kind of collection" }
}

extension Attribute {
  /// Reads a value of the attribute, or one element of a collection.
  fileprivate func bound(from node: JSONNode) throws(DepotError) -> Value {
    guard type.isScalar else {
      throw .invalid("The values of \"\(name)\" can't be compared.")
        .hint("Bounds and cases are for scalar types.").at(node.pointer)
    }
    return try node.value(as: type)
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ name: StaticString, _ value: Value?) {
    guard let value else { return }
    member(name)
    write(value)
  }
}
