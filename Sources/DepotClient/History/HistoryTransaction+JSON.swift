package import DepotProtocol
internal import FoundationEssentials

extension HistoryTransaction {
  /// Reads a transaction, accepting what it doesn't know.
  ///
  /// - Throws: ``DepotError`` `request.missing_member` or `request.type` if it isn't one.
  package init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    self.init(token: try HistoryToken(reader.string("token")))
    if let node = reader.optional("at"), !node.isNull {
      guard case .date(let date) = try node.value(as: .date) else { throw node.wrongType("a date") }
      self.date = date
    }
    author = try Self.text("author", &reader)
    process = try Self.text("process", &reader)
    group = try Self.text("group", &reader)
    origin = try Self.text("origin", &reader)
    for node in try reader.optional("changes")?.elements() ?? [] {
      changes.append(try HistoryChange(node))
    }
  }

  /// Reads the transactions of a frame's `next`, the parts of each as they come.
  package static func list(inFrame bytes: [UInt8]) throws(DepotError) -> [HistoryTransaction] {
    var reader = try JSONObjectReader(JSONDocument(bytes, valueLimit: .max).root)
    var list: [HistoryTransaction] = []
    for node in try reader.required("next").elements() {
      list.append(try HistoryTransaction(node))
    }
    return list
  }

  private static func text(
    _ name: StaticString,
    _ reader: inout JSONObjectReader
  ) throws(DepotError) -> String? {
    guard let node = reader.optional(name), !node.isNull else { return nil }
    return try node.string()
  }
}

extension HistoryChange {
  fileprivate init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    self.init(
      entity: try reader.string("entity"),
      identifier: try reader.required("id").int64(),
      kind: Kind(rawValue: try reader.string("kind"))
    )
    for name in try reader.optional("properties")?.elements() ?? [] {
      properties.append(try name.string())
    }
    if let node = reader.optional("old"), !node.isNull { old = try JSONValue(node).object ?? [:] }
    if let node = reader.optional("new"), !node.isNull { new = try JSONValue(node).object ?? [:] }
    if let node = reader.optional("version"), !node.isNull { version = try node.int64() }
  }
}
