public import FoundationEssentials

/// A moment of a store's history, by its token or by its time.
public enum HistoryMoment: Hashable, Sendable {
  case token(HistoryToken)
  /// After the last transaction before it.
  case date(Date)
}

/// Which transactions of a store's history are wanted.
public struct HistoryRequest: Hashable, Sendable {
  /// The moment after which to begin; with the oldest transaction if `nil`.
  public var since: HistoryMoment?
  /// The last transaction that is wanted; the store's last if `nil`.
  public var until: HistoryToken?
  /// Only changes of its rows, and of rows of entities that descend from it.
  public var entity: String?
  /// Only changes of these rows of the entity.
  public var identifiers: [Int64]?
  /// Only changes of these properties; inserting and deleting a row changes all that it has.
  public var properties: [String]?
  /// Only transactions of this author.
  public var author: String?
  /// How many transactions are wanted.
  public var limit: Int?
  /// Whether the last transaction comes first.
  public var isDescending: Bool
  /// The consumer after whose position to begin, if ``since`` is `nil`.
  public var consumer: String?
  /// Whether old and new values are wanted.
  public var hasValues: Bool

  public init(
    since: HistoryMoment? = nil,
    until: HistoryToken? = nil,
    entity: String? = nil,
    identifiers: [Int64]? = nil,
    properties: [String]? = nil,
    author: String? = nil,
    limit: Int? = nil,
    isDescending: Bool = false,
    consumer: String? = nil,
    hasValues: Bool = true
  ) {
    self.since = since
    self.until = until
    self.entity = entity
    self.identifiers = identifiers
    self.properties = properties
    self.author = author
    self.limit = limit
    self.isDescending = isDescending
    self.consumer = consumer
    self.hasValues = hasValues
  }
}

/// A row whose past is wanted.
public struct HistoryRowRequest: Hashable, Sendable {
  public var entity: String
  public var identifier: Int64
  /// The moment at which the row is wanted; who changed it last if `nil`.
  public var at: HistoryToken?

  public init(entity: String, identifier: Int64, at: HistoryToken? = nil) {
    self.entity = entity
    self.identifier = identifier
    self.at = at
  }
}

/// Up to where a consumer has read the history.
public struct HistoryPosition: Hashable, Sendable {
  /// The consumer's name, 1 to 128 bytes.
  public var consumer: String
  public var token: HistoryToken

  public init(consumer: String, token: HistoryToken) {
    self.consumer = consumer
    self.token = token
  }
}

/// Transactions that are to be undone.
public struct UndoRequest: Hashable, Sendable {
  public var target: Target
  /// What to do with what was changed since; ``MergePolicy/error`` if `nil`.
  public var policy: MergePolicy?

  public enum Target: Hashable, Sendable {
    /// The last transaction of the author that the call or the connection names, or of anybody if they
    /// name none.
    case last
    case token(HistoryToken)
    /// The last transaction of an author.
    case author(String)
    /// All transactions of a group, the last first.
    case group(String)
  }

  public init(_ target: Target = .last, policy: MergePolicy? = nil) {
    self.target = target
    self.policy = policy
  }
}
