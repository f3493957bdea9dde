extension InsertRequest {
  init(_ reader: inout RequestReader) throws(DepotError) {
    self.init(
      entity: try reader.string("entity"),
      columns: try reader.names("columns") ?? [],
      rows: try RowBatch(rows: reader.required("rows"))
    )
    onConflict = try OnConflict(&reader)
    reportsRejects = try reader.bool("rejects", default: false)
  }
}

extension InsertRequest.OnConflict {
  init(_ reader: inout RequestReader) throws(DepotError) {
    self = .error
    guard let node = reader.optional("onConflict") else { return }
    guard let choice = Self(rawValue: try node.string()) else {
      throw DepotError(.usage, "\"onConflict\" is \"error\", \"skip\", or \"replace\".")
        .at(node.pointer)
    }
    self = choice
  }
}

extension RowBatch {
  /// Takes the text of an array of arrays.
  init(rows node: JSONNode) throws(DepotError) {
    guard node.kind == .array else { throw node.wrongType("an array of rows") }
    guard node.count <= Limits.rows else { throw .tooManyRows(node.count).at(node.pointer) }
    self.init(json: Array(node.document.bytes[node.range]), count: node.count)
  }

  /// Writes the values of an object's members as one row.
  fileprivate init(members: [(name: JSONNode, value: JSONNode)]) {
    var json = Array("[[".utf8)
    for (index, member) in members.enumerated() {
      if index > 0 { json.append(UInt8(ascii: ",")) }
      json.append(contentsOf: member.value.document.bytes[member.value.range])
    }
    json.append(contentsOf: "]]".utf8)
    self.init(json: json, count: 1)
  }
}

extension UpdateRequest {
  init(_ reader: inout RequestReader) throws(DepotError) {
    try reader.readBindings()
    let set = reader.optional("set")
    let compute = reader.optional("compute")
    guard set != nil || compute != nil else {
      throw DepotError(.missingMember, "The member \"set\" is missing.").at(reader.node.pointer)
    }
    self.init(entity: try reader.string("entity"), rows: try reader.selection())
    includesSubentities = try reader.bool("subentities", default: true)
    if let set {
      let members = try set.members()
      for member in members { columns.append(NameSyntax.normalized(try member.name.string())) }
      guard !columns.isEmpty else {
        throw DepotError(.usage, "\"set\" names no attribute.").at(set.pointer)
      }
      values = RowBatch(members: members)
    }
    if let compute { computed = try Self.computations(compute, besides: columns, &reader) }
    returnsIdentifiers = try reader.bool("returnIds", default: false)
    chunk = try reader.optionalInt("chunk", in: Limits.chunk)
  }

  private static func computations(
    _ node: JSONNode,
    besides columns: [String],
    _ reader: inout RequestReader
  ) throws(DepotError) -> [Computation] {
    var result: [Computation] = []
    for (name, value) in try node.members() {
      let path = try KeyPathSyntax.path(name)
      guard !columns.contains(path) else {
        throw DepotError(.usage, "\"set\" has a value for \(path) already.").at(name.pointer)
      }
      result.append(Computation(path, try reader.expression(value)))
    }
    guard !result.isEmpty else {
      throw DepotError(.usage, "\"compute\" names no attribute.").at(node.pointer)
    }
    return result
  }
}

extension DeleteRequest {
  init(_ reader: inout RequestReader) throws(DepotError) {
    try reader.readBindings()
    self.init(
      entity: try reader.string("entity"),
      rows: try reader.selection(),
      includesSubentities: try reader.bool("subentities", default: true),
      returnsIdentifiers: try reader.bool("returnIds", default: false),
      chunk: try reader.optionalInt("chunk", in: Limits.chunk)
    )
  }
}

extension Limits {
  /// How many rows the chunks of an update or a deletion may have.
  fileprivate static var chunk: ClosedRange<Int> { 1...100_000 }
}
