package import DepotProtocol
internal import FoundationEssentials

extension HistoryTransaction {
  /// Reads a transaction; ignores unknown members.
  ///
  /// - Throws: ``DepotError`` `request.missing_member` or `request.type` if it isn't one.
  package init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    self.init(token: try HistoryToken(reader.string("token")))
    if let node = reader.present("at") {
      guard case .date(let date) = try node.value(as: .date) else { throw node.wrongType("a date") }
      self.date = date
    }
    author = try reader.present("author")?.string()
    process = try reader.present("process")?.string()
    group = try reader.present("group")?.string()
    origin = try reader.present("origin")?.string()
    for node in try reader.optional("changes")?.elements() ?? [] {
      changes.append(try HistoryChange(node))
    }
    joined = try reader.present("joined").map { node throws(DepotError) in
      try JoinedTransactions(node)
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
}

extension JSONObjectReader {
  /// Returns the member of a name; `nil` if it is null or there is none.
  fileprivate mutating func present(_ name: StaticString) -> JSONNode? {
    optional(name).flatMap { $0.isNull ? nil : $0 }
  }
}

extension JoinedTransactions {
  fileprivate init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    self.init(
      first: try HistoryToken(reader.string("first")),
      last: try HistoryToken(reader.string("last")),
      count: try reader.optionalInt("transactions") ?? 0
    )
    for (name, count) in try reader.optional("rows")?.members() ?? [] {
      rows[HistoryChange.Kind(rawValue: try name.string())] = Int(try count.int64())
    }
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
    if let node = reader.present("old") { old = try JSONValue(node).object ?? [:] }
    if let node = reader.present("new") { new = try JSONValue(node).object ?? [:] }
    version = try reader.present("version")?.int64()
  }
}

extension JSONValue {
  /// A transaction as it is on the wire, in one piece.
  package init(_ transaction: HistoryTransaction) {
    var members: [String: JSONValue] = [
      "token": .string(transaction.token.description),
      "changes": .array(transaction.changes.map(JSONValue.init)),
    ]
    if let date = transaction.date {
      var writer = JSONWriter()
      DateText.write(date.timeIntervalSinceReferenceDate, to: &writer)
      members["at"] = try? JSONValue(parsing: writer.bytes)
    }
    members["author"] = transaction.author.map(JSONValue.string)
    members["process"] = transaction.process.map(JSONValue.string)
    members["group"] = transaction.group.map(JSONValue.string)
    members["origin"] = transaction.origin.map(JSONValue.string)
    self = .object(members)
  }

  fileprivate init(_ change: HistoryChange) {
    var members: [String: JSONValue] = [
      "entity": .string(change.entity), "id": .int64(change.identifier),
      "kind": .string(change.kind.rawValue),
    ]
    members["version"] = change.version.map(JSONValue.int64)
    if change.kind == .update || change.kind == .links || !change.properties.isEmpty {
      members["properties"] = .array(change.properties.map(JSONValue.string))
    }
    if !change.old.isEmpty { members["old"] = .object(change.old) }
    if !change.new.isEmpty { members["new"] = .object(change.new) }
    self = .object(members)
  }
}
