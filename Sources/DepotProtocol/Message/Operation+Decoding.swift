extension Operation {
  /// Reads an operation from the `call` and `args` members of a frame.
  package init(_ name: JSONNode, arguments: JSONNode?) throws(DepotError) {
    guard let arguments else {
      guard let operation = Self.withoutArguments(name) else { throw Self.unreadable(name) }
      self = operation
      return
    }
    var reader = try JSONObjectReader(arguments)
    self = try Self.decode(name, &reader)
    try reader.finish()
  }

  private static func withoutArguments(_ name: JSONNode) -> Operation? {
    if name.isString("ping") { return .ping }
    if name.isString("describe") { return .describe }
    if name.isString("schema.get") { return .getSchema }
    if name.isString("stats") { return .stats }
    if name.isString("shutdown") { return .shutdown }
    return nil
  }

  private static func decode(
    _ name: JSONNode,
    _ reader: inout JSONObjectReader
  ) throws(DepotError) -> Operation {
    if name.isString("get") { return .get(try GetRequest(&reader)) }
    if name.isString("fetch") { return .fetch(try FetchRequest(&reader)) }
    if name.isString("insert") { return .insert(try InsertRequest(&reader)) }
    if name.isString("count") { return .count(try CountRequest(&reader)) }
    if name.isString("update") { return .update(try UpdateRequest(&reader)) }
    if name.isString("delete") { return .delete(try DeleteRequest(&reader)) }
    if name.isString("explain") { return .explain(try FetchRequest(&reader)) }
    if name.isString("schema.define") {
      return .defineSchema(
        try Schema(reader.required("schema")),
        isDryRun: try reader.bool("dryRun", default: false)
      )
    }
    guard let operation = withoutArguments(name) else { throw unreadable(name) }
    return operation
  }

  /// Returns the error about a call that is unknown or lacks its arguments.
  private static func unreadable(_ name: JSONNode) -> DepotError {
    let text: String
    do {
      text = try name.string()
    } catch {
      return error
    }
    guard names.contains(text) else {
      let nearest = Spelling.nearest(to: text, in: names)
      return DepotError(.unknownOperation, "There is no operation \"\(text)\".")
        .hint(nearest.map { "Did you mean \"\($0)\"?" } ?? "See describe.").at("/call")
    }
    return DepotError(.missingMember, "\"\(text)\" needs \"args\".")
  }
}

extension JSONObjectReader {
  fileprivate mutating func names(_ name: StaticString) throws(DepotError) -> [String]? {
    guard let node = optional(name) else { return nil }
    var result: [String] = []
    for element in try node.elements() { result.append(try element.string()) }
    return result
  }

  fileprivate mutating func identifiers() throws(DepotError) -> [Int64]? {
    guard let node = optional("ids") else { return nil }
    guard node.count <= Limits.rows else { throw .tooManyRows(node.count).at(node.pointer) }
    var result: [Int64] = []
    result.reserveCapacity(node.count)
    for element in try node.elements() { result.append(try element.int64()) }
    return result
  }

  fileprivate mutating func predicate() throws(DepotError) -> QueryExpression? {
    guard let node = optional("where") else { return nil }
    return try QueryExpression(node)
  }

  fileprivate mutating func selection() throws(DepotError) -> RowSelection {
    let identifiers = try identifiers()
    let predicate = try predicate()
    switch (identifiers, predicate) {
    case (let identifiers?, nil): return .identifiers(identifiers)
    case (nil, let predicate?): return .predicate(predicate)
    default:
      throw DepotError(.usage, "Name the rows by exactly one of \"ids\" and \"where\".")
        .hint(#"For every row, write "where":"TRUEPREDICATE"."#).at(node.pointer)
    }
  }
}

extension DepotError {
  static func tooManyRows(_ count: Int) -> DepotError {
    DepotError(.tooManyRows, "\(count) rows are over the limit of \(Limits.rows) for one request.")
      .hint("Send them in several requests.")
  }
}

extension InsertRequest {
  fileprivate init(_ reader: inout JSONObjectReader) throws(DepotError) {
    self.init(
      entity: try reader.string("entity"),
      columns: try reader.names("columns") ?? [],
      rows: try RowBatch(rows: reader.required("rows"))
    )
    if let node = reader.optional("onConflict") {
      let name = try node.string()
      guard let choice = OnConflict(rawValue: name) else {
        throw DepotError(.usage, "\"onConflict\" is \"error\", \"skip\", or \"replace\".")
          .at(node.pointer)
      }
      onConflict = choice
    }
    reportsRejects = try reader.bool("rejects", default: false)
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

extension GetRequest {
  fileprivate init(_ reader: inout JSONObjectReader) throws(DepotError) {
    self.init(entity: try reader.string("entity"), identifiers: [])
    guard let identifiers = try reader.identifiers() else {
      throw DepotError(.missingMember, "The member \"ids\" is missing.").at(reader.node.pointer)
    }
    self.identifiers = identifiers
    select = try reader.names("select")
    allowsMissing = try reader.bool("partial", default: false)
    namesColumns = try reader.bool("columns", default: true)
  }
}

extension FetchRequest {
  fileprivate init(_ reader: inout JSONObjectReader) throws(DepotError) {
    self.init(entity: try reader.string("entity"), predicate: try reader.predicate())
    for node in try reader.optional("sort")?.elements() ?? [] {
      var key = try JSONObjectReader(node)
      sort.append(
        SortKey(
          try key.string("attribute"),
          descending: try key.bool("descending", default: false)
        )
      )
      try key.finish()
    }
    limit = try reader.optionalInt("limit")
    offset = try reader.optionalInt("offset") ?? 0
    select = try reader.names("select")
    batch = try reader.optionalInt("batch", in: 1...100_000)
    namesColumns = try reader.bool("columns", default: true)
  }
}

extension CountRequest {
  fileprivate init(_ reader: inout JSONObjectReader) throws(DepotError) {
    self.init(entity: try reader.string("entity"), predicate: try reader.predicate())
  }
}

extension UpdateRequest {
  fileprivate init(_ reader: inout JSONObjectReader) throws(DepotError) {
    let set = try reader.required("set")
    let members = try set.members()
    var columns: [String] = []
    for member in members { columns.append(try member.name.string()) }
    guard !columns.isEmpty else {
      throw DepotError(.usage, "\"set\" names no attribute.").at(set.pointer)
    }
    self.init(
      entity: try reader.string("entity"),
      rows: try reader.selection(),
      columns: columns,
      values: RowBatch(members: members)
    )
  }
}

extension DeleteRequest {
  fileprivate init(_ reader: inout JSONObjectReader) throws(DepotError) {
    self.init(entity: try reader.string("entity"), rows: try reader.selection())
  }
}
