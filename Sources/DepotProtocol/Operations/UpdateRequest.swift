/// Values to give to rows.
@Memberwise
public struct UpdateRequest: Hashable, Sendable {
  public var entity: String
  public var rows: RowSelection
  /// Whether rows of subentities are changed too.
  public var includesSubentities: Bool = true
  /// The paths of the attributes to set; the values are one row of the batch, in that order.
  public var columns: [String] = []
  public var values: RowBatch = RowBatch()
  /// The attributes whose new values are computed from the row as it was before the update.
  public var computed: [Computation] = []
  /// Whether the reply lists the identifiers of the rows that were changed.
  public var returnsIdentifiers: Bool = false
  /// The most rows that one transaction changes; `nil` to change all in one.
  ///
  /// If a chunk fails, the rows changed by earlier chunks stay changed.
  public var chunk: Int?

  /// An attribute and the expression that computes its new value.
  @Memberwise("path", "expression")
  public struct Computation: Hashable, Sendable {
    public var path: String
    public var expression: QueryExpression
  }
}

extension UpdateRequest: MemberObject {
  static var blank: Self { Self(entity: "", rows: .identifiers([])) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.variables()
    try coder.required("entity", &entity)
    try coder.rows(&rows)
    try coder.value("subentities", &includesSubentities, default: true)
    try coder.custom { (reader) throws(DepotError) in
      try readValues(&reader)
    } write: { writer in
      writeValues(to: &writer)
    }
    try coder.value("returnIds", &returnsIdentifiers, default: false)
    try coder.number("chunk", &chunk, in: Limits.chunk)
  }

  private mutating func readValues(_ reader: inout RequestReader) throws(DepotError) {
    let set = reader.optional("set")
    let compute = reader.optional("compute")
    guard set != nil || compute != nil else {
      throw DepotError(.missingMember, "The member \"set\" is missing.").at(reader.node.pointer)
    }
    if let set {
      let members = try set.members()
      for member in members { columns.append(NameSyntax.normalized(try member.name.string())) }
      guard !columns.isEmpty else {
        throw DepotError(.usage, "\"set\" names no attribute.").at(set.pointer)
      }
      values = RowBatch(members: members)
    }
    guard let compute else { return }
    let names = Set(columns)
    for (name, value) in try compute.members() {
      let path = try KeyPathSyntax.path(name)
      guard !names.contains(path) else {
        throw DepotError(.usage, "\"set\" has a value for \(path) already.").at(name.pointer)
      }
      computed.append(Computation(path, try reader.expression(value)))
    }
    guard !computed.isEmpty else {
      throw DepotError(.usage, "\"compute\" names no attribute.").at(compute.pointer)
    }
  }

  private func writeValues(to writer: inout JSONWriter) {
    if !columns.isEmpty, let row = try? values.texts().first, row.count == columns.count {
      writer.member("set") { writer in
        for (name, value) in zip(columns, row) {
          writer.name(name)
          writer.raw(value)
        }
      }
    } else if !columns.isEmpty {
      // The values don't match the columns, and the service refuses them as they are.
      writer.name("set")
      writer.raw(values.json)
    }
    guard !computed.isEmpty else { return }
    writer.member("compute") { writer in
      for computation in computed {
        writer.name(computation.path)
        writer.expression(computation.expression)
      }
    }
  }
}

extension RowBatch {
  /// Writes the values of an object's members as one row.
  fileprivate init(members: [(name: JSONNode, value: JSONNode)]) {
    var writer = JSONWriter()
    writer.raw("[")
    writer.array(members) { $0.raw($1.value.document.bytes[$1.value.range]) }
    writer.raw("]")
    self.init(json: writer.bytes, count: 1)
  }
}

extension Limits {
  /// The numbers of rows that a chunk of an update or a deletion may have.
  static var chunk: ClosedRange<Int> { 1...100_000 }
}
