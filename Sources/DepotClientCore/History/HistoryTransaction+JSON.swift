package import DepotProtocol
internal import FoundationEssentials

extension HistoryTransaction {
  /// Reads the transactions of a frame, the parts of each as they come.
  package static func list(in frame: RowFrame) throws(DepotError) -> [HistoryTransaction] {
    try frame.bytes.withUnsafeBufferPointer { (bytes) throws(DepotError) in
      var reader = RowReader(value: bytes, at: frame.offset)
      return try list(&reader)
    }
  }

  static func list(_ reader: inout RowReader) throws(DepotError) -> [HistoryTransaction] {
    var list: [HistoryTransaction] = []
    try reader.list { (value) throws(DepotError) in list.append(try HistoryTransaction(&value)) }
    return list
  }

  /// Reads a transaction; ignores unknown members.
  private init(_ reader: inout RowReader) throws(DepotError) {
    var token: HistoryToken?
    var result = HistoryTransaction(token: HistoryToken(store: "", sequence: 0))
    try reader.object { (name, value) throws(DepotError) in
      switch name {
      case "token": token = try HistoryToken(value.next())
      case "at": result.date = try value.next()
      case "author": result.author = try value.next()
      case "process": result.process = try value.next()
      case "group": result.group = try value.next()
      case "origin": result.origin = try value.next()
      case "changes":
        try value.list { (value) throws(DepotError) in
          result.changes.append(try HistoryChange(&value))
        }
      case "joined":
        if try !value.skipNull() { result.joined = try JoinedTransactions(&value) }
      default: _ = try value.text()
      }
    }
    guard let token else { throw DepotError(.frame, "A transaction has no token.") }
    self = result
    self.token = token
  }
}

extension JoinedTransactions {
  fileprivate init(_ reader: inout RowReader) throws(DepotError) {
    var tokens: [String: HistoryToken] = [:]
    var count = 0
    var rows: [HistoryChange.Kind: Int] = [:]
    try reader.object { (name, value) throws(DepotError) in
      switch name {
      case "first", "last": tokens[name] = try HistoryToken(value.next())
      case "transactions": count = try value.next()
      case "rows":
        try value.object { (name, value) throws(DepotError) in
          rows[HistoryChange.Kind(rawValue: name)] = try value.next()
        }
      default: _ = try value.text()
      }
    }
    guard let first = tokens["first"], let last = tokens["last"] else {
      throw DepotError(.frame, "Joined transactions have no first or no last token.")
    }
    self.init(first: first, last: last, count: count, rows: rows)
  }
}

extension HistoryChange {
  fileprivate init(_ reader: inout RowReader) throws(DepotError) {
    var (entity, kind): (String?, String?)
    var identifier: Int64?
    var result = HistoryChange(entity: "", identifier: 0, kind: .update)
    try reader.object { (name, value) throws(DepotError) in
      switch name {
      case "entity": entity = try value.next()
      case "id": identifier = try value.next()
      case "kind": kind = try value.next()
      case "properties": result.properties = try value.next()
      case "old": result.oldTexts = try value.texts()
      case "new": result.newTexts = try value.texts()
      case "version": result.version = try value.next()
      default: _ = try value.text()
      }
    }
    guard let entity, let identifier, let kind else {
      throw DepotError(.frame, "A change of the history has no entity, identifier, or kind.")
    }
    self = result
    (self.entity, self.identifier, self.kind) = (entity, identifier, Kind(rawValue: kind))
  }
}

extension RowReader {
  /// Reads the next value, an object or null, as the texts of its members.
  fileprivate mutating func texts() throws(DepotError) -> [String: [UInt8]] {
    var texts: [String: [UInt8]] = [:]
    if try skipNull() { return texts }
    try object { (name, value) throws(DepotError) in texts[name] = Array(try value.text()) }
    return texts
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
