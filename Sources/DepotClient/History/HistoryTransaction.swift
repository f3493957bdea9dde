public import DepotProtocol
public import FoundationEssentials

/// What one request, or one chunk of one, changed in a store.
public struct HistoryTransaction: Hashable, Sendable {
  /// The moment after it.
  public var token: HistoryToken
  /// When it was committed.
  public var date: Date?
  /// Who asked for it, if they said so.
  public var author: String?
  /// The program that asked for it.
  public var process: String?
  /// The name under which it can be undone together with others.
  public var group: String?
  /// What it came from other than a request: `undo:` or `redo:` and a token, or `schema`.
  public var origin: String?
  /// What changed.
  public var changes: [HistoryChange]

  /// Creates a transaction.
  public init(
    token: HistoryToken,
    date: Date? = nil,
    author: String? = nil,
    process: String? = nil,
    group: String? = nil,
    origin: String? = nil,
    changes: [HistoryChange] = []
  ) {
    self.token = token
    self.date = date
    self.author = author
    self.process = process
    self.group = group
    self.origin = origin
    self.changes = changes
  }
}

/// What a transaction changed in one row.
public struct HistoryChange: Hashable, Sendable {
  /// What happened to the row; there may be kinds that this program doesn't know.
  public struct Kind: RawRepresentable, Hashable, Sendable {
    public var rawValue: String

    public init(rawValue: String) {
      self.rawValue = rawValue
    }

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
  /// The values before, as far as the history keeps them, as they are on the wire.
  public var old: [String: JSONValue]
  /// The values after, as far as the history keeps them, as they are on the wire.
  public var new: [String: JSONValue]
  /// The row's version after the change.
  public var version: Int64?

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
    self.entity = entity
    self.identifier = identifier
    self.kind = kind
    self.properties = properties
    self.old = old
    self.new = new
    self.version = version
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
    try Self.value(old[Model.property(keyPath).path])
  }

  /// Returns the value of a record's property after the change; `nil` if it isn't known.
  ///
  /// - Throws: ``DepotError`` `request.predicate` if the property isn't listed by the record,
  ///   `request.type` if the value isn't of its type.
  public func new<Model: Record, Content: AttributeValue>(
    _ keyPath: KeyPath<Model, Content>
  ) throws -> Content? {
    try Self.value(new[Model.property(keyPath).path])
  }

  private static func value<Content: AttributeValue>(
    _ json: JSONValue?
  ) throws(DepotError) -> Content? {
    guard let json else { return nil }
    let bytes = Array("[[\(json.text)]]".utf8)
    return try bytes.withUnsafeBufferPointer { (bytes) throws(DepotError) in
      var reader = try RowReader(bytes)
      _ = try reader.beginRow()
      let value = try Content.read(from: &reader)
      try reader.endRow()
      return value
    }
  }
}
