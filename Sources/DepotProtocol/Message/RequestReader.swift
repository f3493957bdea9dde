/// A reader of the arguments of one operation, whose texts share the variables in `bind`.
struct RequestReader {
  private var members: JSONObjectReader
  private var bindings = VariableBindings()

  /// - Throws: ``DepotError`` `request.type` if `node` isn't an object.
  init(_ node: JSONNode) throws(DepotError) {
    members = try JSONObjectReader(node)
  }

  /// Reads `bind`, which only operations with expressions have, before the first of them.
  ///
  /// - Throws: ``DepotError`` `request.predicate` or `request.type` if a variable or value can't be one.
  mutating func readBindings() throws(DepotError) {
    guard let bind = members.optional("bind") else { return }
    var values: [String: Value] = [:]
    for (name, value) in try bind.members() {
      let text = try name.string()
      guard KeyPathSyntax.isName(text), KeyPathSyntax.isFree(text) else {
        throw DepotError(.predicate, "A variable can't be named \(text.debugDescription).").hint(
          "A name has letters, digits and underscores; SELF, id, version, and entity are taken."
        ).at(name.pointer)
      }
      values[text] = try Value(constant: value)
    }
    bindings = VariableBindings(values)
  }

  /// The object that is read.
  var node: JSONNode { members.node }

  /// - Throws: ``DepotError`` `request.unknown_member` if a member was never asked for,
  ///   `request.usage` if a variable is bound that doesn't occur.
  func finish() throws(DepotError) {
    try members.finish()
    do {
      try bindings.finish()
    } catch {
      throw error.at(node.pointer + "/bind")
    }
  }

  mutating func optional(_ name: StaticString) -> JSONNode? { members.optional(name) }

  mutating func required(_ name: StaticString) throws(DepotError) -> JSONNode {
    try members.required(name)
  }

  mutating func string(_ name: StaticString) throws(DepotError) -> String {
    try members.string(name)
  }

  mutating func optionalString(_ name: StaticString) throws(DepotError) -> String? {
    try members.optionalString(name)
  }

  mutating func bool(_ name: StaticString, default value: Bool) throws(DepotError) -> Bool {
    try members.bool(name, default: value)
  }

  mutating func optionalInt(
    _ name: StaticString,
    in range: ClosedRange<Int> = 0...Int.max
  ) throws(DepotError) -> Int? {
    try members.optionalInt(name, in: range)
  }

  mutating func elements(_ name: StaticString) throws(DepotError) -> [JSONNode] {
    try optional(name)?.elements() ?? []
  }

  mutating func names(_ name: StaticString) throws(DepotError) -> [String]? {
    guard let node = optional(name) else { return nil }
    var result: [String] = []
    for element in try node.elements() {
      result.append(NameSyntax.normalized(try element.string()))
    }
    return result
  }

  mutating func identifiers(_ name: StaticString = "ids") throws(DepotError) -> [Int64]? {
    guard let node = optional(name) else { return nil }
    return try Self.identifiers(node)
  }

  static func identifiers(_ node: JSONNode) throws(DepotError) -> [Int64] {
    guard node.count <= Limits.rows else { throw .tooManyRows(node.count).at(node.pointer) }
    var result: [Int64] = []
    result.reserveCapacity(node.count)
    for element in try node.elements() { result.append(try element.int64()) }
    return result
  }
}

/// Expressions.
extension RequestReader {
  mutating func expression(
    _ node: JSONNode,
    as subject: PredicateParser.Subject = .expression
  ) throws(DepotError) -> QueryExpression {
    try QueryExpression(node, &bindings, as: subject)
  }

  mutating func predicate(_ name: StaticString = "where") throws(DepotError) -> QueryExpression? {
    guard let node = optional(name) else { return nil }
    return try expression(node, as: .predicate)
  }

  mutating func selection() throws(DepotError) -> RowSelection {
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

  /// Reads keys to sort by: `{"attribute": path}` or `{"key": expression}`.
  mutating func sort() throws(DepotError) -> [SortKey] {
    var keys: [SortKey] = []
    for node in try elements("sort") {
      var members = try JSONObjectReader(node)
      let expression: QueryExpression
      switch (members.optional("attribute"), members.optional("key")) {
      case (let path?, nil): expression = .attribute(try KeyPathSyntax.path(path))
      case (nil, let key?): expression = try self.expression(key)
      case (nil, nil):
        throw DepotError(.missingMember, "The member \"attribute\" is missing.").at(node.pointer)
      default:
        throw DepotError(.usage, "A sort key has one of \"attribute\" and \"key\".").at(
          node.pointer
        )
      }
      keys.append(
        SortKey(
          expression,
          descending: try members.bool("descending", default: false),
          localized: try members.bool("localized", default: false)
        )
      )
      try members.finish()
    }
    return keys
  }
}
