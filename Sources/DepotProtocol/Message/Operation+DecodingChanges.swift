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
  fileprivate init(_ reader: inout RequestReader) throws(DepotError) {
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
  fileprivate init(rows node: JSONNode) throws(DepotError) {
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
      for member in members { columns.append(try member.name.string()) }
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

extension SaveRequest {
  init(_ reader: inout RequestReader) throws(DepotError) {
    self.init()
    for node in try reader.elements("insert") {
      var members = try JSONObjectReader(node)
      inserts.append(
        Insertion(
          entity: try members.string("entity"),
          columns: try Self.columns(&members),
          rows: try RowBatch(rows: members.required("rows"))
        )
      )
      try members.finish()
    }
    for node in try reader.elements("update") {
      var members = try JSONObjectReader(node)
      let change = Change(
        entity: try members.string("entity"),
        columns: try Self.columns(&members),
        rows: try RowBatch(rows: members.required("rows"))
      )
      guard change.columns.first == "$id" else {
        throw DepotError(.usage, "The first column of rows to change is \"$id\".").at(node.pointer)
      }
      updates.append(change)
      try members.finish()
    }
    for node in try reader.elements("delete") {
      var members = try JSONObjectReader(node)
      deletes.append(
        Deletion(
          entity: try members.string("entity"),
          identifiers: try RequestReader.identifiers(members.required("ids"))
        )
      )
      try members.finish()
    }
    onConflict = try InsertRequest.OnConflict(&reader)
    try checkSize(reader.node)
  }

  private static func columns(_ members: inout JSONObjectReader) throws(DepotError) -> [String] {
    let node = try members.required("columns")
    var columns: [String] = []
    for element in try node.elements() { columns.append(try element.string()) }
    guard Set(columns).count == columns.count else {
      throw DepotError(.usage, "A column is named twice.").at(node.pointer)
    }
    return columns
  }

  private func checkSize(_ node: JSONNode) throws(DepotError) {
    let count =
      inserts.reduce(0) { $0 + $1.rows.count } + updates.reduce(0) { $0 + $1.rows.count }
      + deletes.reduce(0) { $0 + $1.identifiers.count }
    guard count <= Limits.rows else { throw .tooManyRows(count).at(node.pointer) }
  }
}
