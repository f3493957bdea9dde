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
  public var properties: [String]
  /// The row's version after the change.
  public var version: Int64?
  /// The JSON of the values before and of those after.
  package internal(set) var oldTexts: [String: [UInt8]] = [:]
  package internal(set) var newTexts: [String: [UInt8]] = [:]

  /// Creates a change.
  public init(
    entity: String,
    identifier: Int64,
    kind: Kind,
    properties: [String] = [],
    old: [String: JSONValue] = [:],
    new: [String: JSONValue] = [:],
    version: Int64? = nil
  ) {
    (self.entity, self.identifier, self.kind) = (entity, identifier, kind)
    (self.properties, self.version) = (properties, version)
    (self.old, self.new) = (old, new)
  }

  /// The values before, as far as the history keeps them, as they are on the wire.
  public var old: [String: JSONValue] {
    get { Self.values(oldTexts) }
    set { oldTexts = newValue.mapValues { Array($0.text.utf8) } }
  }

  /// The values after, as far as the history keeps them, as they are on the wire.
  public var new: [String: JSONValue] {
    get { Self.values(newTexts) }
    set { newTexts = newValue.mapValues { Array($0.text.utf8) } }
  }

  private static func values(_ texts: [String: [UInt8]]) -> [String: JSONValue] {
    texts.mapValues { (try? JSONValue(parsing: $0)) ?? .null }
  }
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
    try oldTexts[Model.property(keyPath).path]?.content()
  }

  /// Returns the value of a record's property after the change; `nil` if it isn't known.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if the property isn't listed by the record,
  ///   `request.type` if the value isn't of its type.
  public func new<Model: Record, Content: AttributeValue>(
    _ keyPath: KeyPath<Model, Content>
  ) throws -> Content? {
    try newTexts[Model.property(keyPath).path]?.content()
  }
}

extension [UInt8] {
  /// Reads the value of a property from its JSON.
  ///
  /// - Throws: ``DepotError`` `request.type` if it is of another type.
  func content<Content: AttributeValue>() throws(DepotError) -> Content {
    try withUnsafeBufferPointer { (bytes) throws(DepotError) in
      var reader = RowReader(value: bytes)
      return try Content.read(from: &reader)
    }
  }
}
