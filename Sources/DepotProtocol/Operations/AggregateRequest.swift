/// A description of groups of rows and of the aggregates computed for each group.
@Memberwise
public struct AggregateRequest: Hashable, Sendable {
  public var entity: String
  /// The condition on the rows; all rows if `nil`.
  public var predicate: QueryExpression?
  public var includesSubentities: Bool = true
  /// The values that the rows of a group share; without any, all rows are one group.
  public var keys: [Column] = []
  /// The aggregates computed for each group.
  public var values: [Value] = []
  /// The condition on groups; its attributes are the names of ``keys`` and ``values``.
  public var having: QueryExpression?
  /// The keys to sort the groups by; their attributes are the names of ``keys`` and ``values``.
  ///
  /// The keys of the groups always come last.
  public var sort: [SortKey] = []
  public var limit: Int?
  public var offset: Int = 0
  /// The most groups in a frame; `nil` for as many as fit into about 64 KiB.
  public var batch: Int?

  /// A named expression of the rows.
  @Memberwise
  public struct Column: Hashable, Sendable {
    public var name: String
    public var expression: QueryExpression
  }

  /// A named aggregate over the rows of a group.
  public struct Value: Hashable, Sendable {
    public var name: String
    public var aggregate: QueryExpression.Aggregate
    /// The value of each row that is aggregated; for `count`, `nil` counts the rows.
    public var expression: QueryExpression?

    public init(
      name: String,
      _ aggregate: QueryExpression.Aggregate,
      of expression: QueryExpression? = nil
    ) {
      self.name = name
      self.aggregate = aggregate
      self.expression = expression
    }
  }
}

extension AggregateRequest: MemberObject, RowRequest {
  static var blank: Self { Self(entity: "") }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.rows(&self)
    try coder.custom { (reader) throws(DepotError) in
      try readColumns(&reader)
    } write: { writer in
      writeColumns(to: &writer)
    }
    try coder.predicate("having", &having)
    try coder.sort(&sort)
    try coder.optional("limit", &limit)
    try coder.value("offset", &offset, default: 0)
    try coder.number("batch", &batch, in: 1...100_000)
  }

  private mutating func readColumns(_ reader: inout RequestReader) throws(DepotError) {
    for node in try reader.elements("by") { keys.append(try Self.key(node, &reader)) }
    for node in try reader.elements("values") { values.append(try Self.value(node, &reader)) }
    guard !keys.isEmpty || !values.isEmpty else {
      throw DepotError(.usage, "An aggregate has \"by\", \"values\", or both.")
        .at(reader.node.pointer)
    }
    guard keys.count + values.count <= Limits.columns else {
      throw DepotError(.predicateTooLarge, "An aggregate has over \(Limits.columns) columns.")
        .at(reader.node.pointer)
    }
    var names: Set<String> = []
    for name in keys.map(\.name) + values.map(\.name) where !names.insert(name).inserted {
      throw DepotError(.usage, "There are two columns named \(name.quoted).")
        .hint("Give them different names.").at(reader.node.pointer)
    }
  }

  /// Reads a key of the groups: a path or a named expression.
  private static func key(
    _ node: JSONNode,
    _ reader: inout RequestReader
  ) throws(DepotError) -> Column {
    if node.kind == .string {
      let path = try KeyPathSyntax.path(node)
      return Column(name: path, expression: .attribute(path))
    }
    var members = try JSONObjectReader(node)
    let name = try KeyPathSyntax.path(members.required("name"))
    let key = Column(name: name, expression: try reader.expression(members.required("key")))
    try members.finish()
    return key
  }

  private static func value(
    _ node: JSONNode,
    _ reader: inout RequestReader
  ) throws(DepotError) -> Value {
    var members = try JSONObjectReader(node)
    let name = try KeyPathSyntax.path(members.required("name"))
    let aggregateNode = try members.required("aggregate")
    let text = try aggregateNode.string()
    guard let aggregate = QueryExpression.Aggregate(rawValue: text) else {
      let names = QueryExpression.Aggregate.allCases.map(\.rawValue)
      throw DepotError(.usage, "There is no aggregate \(text.quoted).")
        .hint("The aggregates are \(names.joined(separator: ", ")).").at(aggregateNode.pointer)
    }
    var value = Value(name: name, aggregate)
    if let node = members.optional("of") {
      value.expression = try reader.expression(node)
    } else if aggregate != .count {
      throw DepotError(.missingMember, "\"\(text)\" needs the member \"of\".").at(node.pointer)
    }
    try members.finish()
    return value
  }

  private func writeColumns(to writer: inout JSONWriter) {
    writer.list("by", keys) { (writer, key) in
      if key.expression == .attribute(key.name) { return writer.string(key.name) }
      writer.object { writer in
        writer.member("name", key.name)
        writer.member("key")
        writer.expression(key.expression)
      }
    }
    writer.list("values", values) { (writer, value) in
      writer.object { writer in
        writer.member("name", value.name)
        writer.member("aggregate", value.aggregate.rawValue)
        guard let expression = value.expression else { return }
        writer.member("of")
        writer.expression(expression)
      }
    }
  }
}
