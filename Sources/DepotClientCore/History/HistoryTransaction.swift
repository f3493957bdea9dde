public import DepotProtocol
public import FoundationEssentials

/// The changes of a store by one request, or by one chunk of it.
@Memberwise
public struct HistoryTransaction: Hashable, Sendable {
  /// The token of the history after it.
  public var token: HistoryToken
  /// When it was committed.
  public var date: Date?
  /// The author, if one was given.
  public var author: String?
  /// The program that asked for it.
  public var process: String?
  /// The name under which it can be undone together with others.
  public var group: String?
  /// The origin if it isn't a request: `undo:` or `redo:` and a token, or `schema`.
  public var origin: String?
  /// The changes of rows.
  public var changes: [HistoryChange] = []
  /// The transactions of a group that this entry represents; `nil` for a single one.
  public var joined: JoinedTransactions?
}

/// The transactions of a group, as one entry.
@Memberwise
public struct JoinedTransactions: Hashable, Sendable {
  /// The first of them.
  public var first: HistoryToken
  /// The last of them.
  public var last: HistoryToken
  /// How many they are.
  public var count: Int
  /// How many changes of each kind they have.
  public var rows: [HistoryChange.Kind: Int] = [:]
}

/// The change of one row in a transaction.
@Memberwise
public struct HistoryChange: Hashable, Sendable {
  /// The kind of change; there may be some that this program doesn't know.
  @Memberwise
  public struct Kind: RawRepresentable, Hashable, Sendable {
    public var rawValue: String

    public static let insert = Kind(rawValue: "insert")
    public static let update = Kind(rawValue: "update")
    public static let delete = Kind(rawValue: "delete")
    /// Rows were added to or taken from a relationship from many to many.
    public static let links = Kind(rawValue: "links")
  }

  public var entity: String
  public var identifier: Int64
  public var kind: Kind
  /// The names of the properties that changed.
  public var properties: [String] = []
  /// The values before, as far as the history keeps them, as they are on the wire.
  public var old: [String: JSONValue] = [:]
  /// The values after, as far as the history keeps them, as they are on the wire.
  public var new: [String: JSONValue] = [:]
  /// The row's version after the change.
  public var version: Int64?
}

extension HistoryChange {
  /// Returns the identifier if the row is one of a record's entity.
  public func id<Model: Record>(of type: Model.Type) -> Identifier<Model>? {
    entity == Model.entity ? Identifier(identifier) : nil
  }

  /// Returns the value of a record's property before the change; `nil` if it isn't known.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if the property isn't listed by the record,
  ///   `request.type` if the value isn't of its type.
  public func old<Model: Record, Content: AttributeValue>(
    _ keyPath: KeyPath<Model, Content>
  ) throws -> Content? {
    try old[Model.property(keyPath).path]?.content()
  }

  /// Returns the value of a record's property after the change; `nil` if it isn't known.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if the property isn't listed by the record,
  ///   `request.type` if the value isn't of its type.
  public func new<Model: Record, Content: AttributeValue>(
    _ keyPath: KeyPath<Model, Content>
  ) throws -> Content? {
    try new[Model.property(keyPath).path]?.content()
  }
}

extension JSONValue {
  /// Reads the value of a property, as it is on the wire.
  ///
  /// - Throws: ``DepotError`` `request.type` if it is of another type.
  func content<Content: AttributeValue>() throws(DepotError) -> Content {
    let bytes = Array("[[\(text)]]".utf8)
    return try bytes.withUnsafeBufferPointer { (bytes) throws(DepotError) in
      var reader = try RowReader(bytes)
      _ = try reader.beginRow()
      let value = try Content.read(from: &reader)
      try reader.endRow()
      return value
    }
  }
}
