/// A reader of the arguments of one operation, whose texts share the variables in `bind`.
@Memberwise("members")
struct RequestReader {
  /// The object, some of whose members may have been read already.
  private(set) var members: JSONObjectReader
  private var bindings = VariableBindings()

  /// - Throws: ``DepotError`` `request.type` if `node` isn't an object.
  init(_ node: JSONNode) throws(DepotError) {
    self.init(try JSONObjectReader(node))
  }

  /// The object that is read.
  var node: JSONNode { members.node }

  /// - Throws: ``DepotError`` `request.unknown_member` if a member was never asked for,
  ///   `request.usage` if a variable is bound that doesn't occur.
  func finish() throws(DepotError) {
    try members.finish()
    try DepotError.at(node.pointer + "/bind", try bindings.finish())
  }

  mutating func optional(_ name: StaticString) -> JSONNode? { members.optional(name) }

  mutating func required(_ name: StaticString) throws(DepotError) -> JSONNode {
    try members.required(name)
  }

  mutating func elements(_ name: StaticString) throws(DepotError) -> [JSONNode] {
    try optional(name)?.elements() ?? []
  }
}

extension RequestReader: MemberCoder {
  static var isReader: Bool { true }

  mutating func required<Content: MemberValue>(
    _ name: StaticString,
    _ value: inout Content
  ) throws(DepotError) {
    value = try Content(members.required(name), member: name)
  }

  mutating func optional<Content: MemberValue>(
    _ name: StaticString,
    _ value: inout Content?
  ) throws(DepotError) {
    guard let node = members.optional(name) else { return }
    value = try Content(node, member: name)
  }

  mutating func value<Content: MemberValue & Equatable>(
    _ name: StaticString,
    _ value: inout Content,
    default other: Content,
    isAlwaysWritten: Bool
  ) throws(DepotError) {
    let node = members.optional(name)
    value = if let node { try Content(node, member: name) } else { other }
  }

  mutating func number(
    _ name: StaticString,
    _ value: inout Int?,
    in range: ClosedRange<Int>
  ) throws(DepotError) {
    value = try members.optionalInt(name, in: range)
  }

  /// Reads an object that may have no unknown members.
  static func object<Content: MemberObject>(_ node: JSONNode) throws(DepotError) -> Content {
    var (content, reader) = (Content.blank, try RequestReader(node))
    try content.members(&reader)
    try reader.finish()
    return content
  }

  /// Reads an object of the service; unknown members are ignored.
  static func reply<Content: MemberObject>(_ node: JSONNode) throws(DepotError) -> Content {
    var (content, reader) = (Content.blank, try RequestReader(node))
    try content.members(&reader)
    return content
  }

  mutating func variables() throws(DepotError) {
    guard let bind = members.optional("bind") else { return }
    var values: [String: Value] = [:]
    for (name, value) in try bind.members() {
      let text = try name.string()
      guard KeyPathSyntax.isName(text), KeyPathSyntax.isFree(text) else {
        throw DepotError(.predicate, "A variable can't be named \(text.quoted).").hint(
          "A name has letters, digits and underscores; SELF, id, version, and entity are taken."
        ).at(name.pointer)
      }
      values[text] = try Value(constant: value)
    }
    bindings = VariableBindings(values)
  }

  mutating func check(
    _ check: (JSONNode) throws(DepotError) -> Void
  ) throws(DepotError) {
    try check(node)
  }

  mutating func custom(
    read: (inout RequestReader) throws(DepotError) -> Void,
    write: (inout JSONWriter) -> Void
  ) throws(DepotError) {
    try read(&self)
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

  mutating func predicate(_ name: StaticString) throws(DepotError) -> QueryExpression? {
    guard let node = optional(name) else { return nil }
    return try expression(node, as: .predicate)
  }

  mutating func identifiers() throws(DepotError) -> [Int64]? {
    try optional("ids").map { (node) throws(DepotError) in try Int64.list(node) }
  }

  /// Reads keys to sort by: `{"attribute": path}` or `{"key": expression}`.
  mutating func sort() throws(DepotError) -> [SortKey] {
    var keys: [SortKey] = []
    for node in try elements("sort") {
      guard keys.count < Limits.sortKeys else {
        throw DepotError(.predicateTooLarge, "There are over \(Limits.sortKeys) keys to sort by.")
          .at(node.pointer)
      }
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
          descending: try members.optional("descending")?.bool() ?? false,
          localized: try members.optional("localized")?.bool() ?? false
        )
      )
      try members.finish()
    }
    return keys
  }
}
