public import DepotProtocol
public import FoundationEssentials

/// The end of a read of the history.
public struct HistoryEnd: Hashable, Sendable {
  /// How many transactions there were.
  public var transactions: Int
  /// The token up to which everything was returned; the next read can continue from it.
  public var token: HistoryToken
}

/// How much history a store keeps, and who reads it.
public struct HistoryStatus: Hashable, Sendable {
  /// The first transaction that is kept.
  public var oldest: HistoryToken?
  /// The last transaction.
  public var head: HistoryToken
  public var transactions: Int
  /// About how many bytes they have.
  public var bytes: Int
  public var consumers: [Consumer]

  /// A consumer whose position is kept.
  public struct Consumer: Hashable, Sendable {
    public var name: String
    /// Up to where it has read.
    public var token: HistoryToken
    /// Whether transactions that it hasn't read aren't kept any more.
    public var isExpired: Bool
  }
}

/// An earlier state of a row.
public struct PastRow: Hashable, Sendable {
  /// The row's own entity.
  public var entity: String
  /// Its values by their paths, as they are on the wire; `nil` if there was no such row.
  public var values: [String: JSONValue]?
  /// The properties whose values aren't known.
  public var unknown: [String]
  /// Whether the schema changed since, and with it perhaps the names of properties.
  public var isSchemaChanged: Bool
}

/// The last changes of a row's properties, with their authors.
public struct RowBlame: Hashable, Sendable {
  /// The row's own entity.
  public var entity: String
  /// The last change of each property, as far as the history reaches back.
  public var properties: [String: Origin]
  public var inserted: Origin?
  /// The transaction that deleted the row, if it is deleted.
  public var deleted: Origin?

  /// The transaction that made a change.
  public struct Origin: Hashable, Sendable {
    public var token: HistoryToken
    public var date: Date?
    public var author: String?
    public var process: String?
  }
}

/// The result of an undo or a redo.
public struct UndoResult: Hashable, Sendable {
  /// The transaction that did it.
  public var token: HistoryToken?
  /// The transactions that were undone, the first thousand of them.
  public var undone: [HistoryToken]
  /// How many transactions were undone.
  public var transactions: Int
  /// The policy's decisions about later changes.
  public var conflicts: [SaveConflict]
}

extension HistoryEnd {
  package init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    self.init(
      transactions: try reader.optionalInt("transactions") ?? 0,
      token: try HistoryToken(reader.string("token"))
    )
  }
}

extension HistoryStatus {
  init(_ node: JSONNode) throws(DepotError) {
    let value = try JSONValue(node)
    self.init(
      oldest: try value["oldest"]?.string.map(HistoryToken.init),
      head: try HistoryToken(value["head"]?.string ?? ""),
      transactions: Int(value["transactions"]?.int64 ?? 0),
      bytes: Int(value["bytes"]?.int64 ?? 0),
      consumers: try (value["consumers"]?.array ?? []).map { consumer throws(DepotError) in
        Consumer(
          name: consumer["name"]?.string ?? "",
          token: try HistoryToken(consumer["token"]?.string ?? ""),
          isExpired: consumer["isExpired"]?.bool ?? false
        )
      }
    )
  }
}

extension PastRow {
  init(_ node: JSONNode) throws(DepotError) {
    let value = try JSONValue(node)
    self.init(
      entity: value["entity"]?.string ?? "",
      values: value["row"]?.object,
      unknown: value["unknown"]?.array?.compactMap(\.string) ?? [],
      isSchemaChanged: value["schemaChanged"]?.bool ?? false
    )
  }
}

extension RowBlame {
  init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    self.init(entity: try reader.string("entity"), properties: [:], inserted: nil, deleted: nil)
    for (name, origin) in try reader.required("properties").members() {
      properties[try name.string()] = try Origin(origin)
    }
    if let node = reader.optional("inserted") { inserted = try Origin(node) }
    if let node = reader.optional("deletedBy") { deleted = try Origin(node) }
  }
}

extension RowBlame.Origin {
  fileprivate init(_ node: JSONNode) throws(DepotError) {
    var reader = try JSONObjectReader(node)
    self.init(token: try HistoryToken(reader.string("token")))
    if let node = reader.optional("at"), case .date(let date) = try node.value(as: .date) {
      self.date = date
    }
    author = try reader.optionalString("author")
    process = try reader.optionalString("process")
  }
}

extension UndoResult {
  package init(_ node: JSONNode) throws(DepotError) {
    let value = try JSONValue(node)
    self.init(
      token: try value["token"]?.string.map(HistoryToken.init),
      undone: try (value["undone"]?.array ?? []).map { (token) throws(DepotError) in
        try HistoryToken(token.string ?? "")
      },
      transactions: Int(value["transactions"]?.int64 ?? 0),
      conflicts: value["conflicts"]?.array?.compactMap(SaveConflict.init) ?? []
    )
  }
}
