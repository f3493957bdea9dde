public import FoundationEssentials

/// A position in a store's history, by its token or by its time.
public enum HistoryMoment: Hashable, Sendable {
  case token(HistoryToken)
  /// The position after the last transaction before a date.
  case date(Date)
}

/// A description of the transactions to read from a store's history.
@Memberwise
public struct HistoryRequest: Hashable, Sendable {
  /// The position after which to begin; `nil` for the oldest transaction.
  public var since: HistoryMoment?
  /// The last transaction to read; `nil` for the store's last.
  public var until: HistoryToken?
  /// Only changes of rows of this entity and its subentities.
  public var entity: String?
  /// Only changes of these rows of the entity.
  public var identifiers: [Int64]?
  /// Only changes of these properties; inserting or deleting a row counts as a change of all.
  public var properties: [String]?
  /// Only transactions of this author.
  public var author: String?
  /// The maximal number of transactions.
  public var limit: Int?
  /// Whether the last transaction comes first.
  public var isDescending: Bool = false
  /// The consumer whose position to begin after, if ``since`` is `nil`.
  public var consumer: String?
  /// Whether old and new values are included.
  public var hasValues: Bool = true
  /// Whether the transactions of a group are combined into one, without their changes.
  public var joinsGroups: Bool = false
}

/// A row whose past state, or last change, is requested.
@Memberwise
public struct HistoryRowRequest: Hashable, Sendable {
  public var entity: String
  public var identifier: Int64
  /// The time of the requested state; `nil` for the authors of the last changes.
  public var at: HistoryToken?
}

/// The position up to which a consumer has read the history.
@Memberwise
public struct HistoryPosition: Hashable, Sendable {
  /// The consumer's name, 1 to 128 bytes.
  public var consumer: String
  public var token: HistoryToken
}

/// Transactions to undo.
@Memberwise("target")
public struct UndoRequest: Hashable, Sendable {
  public var target: Target = .last
  /// The policy for later changes; ``MergePolicy/error`` if `nil`.
  public var policy: MergePolicy?
  /// Whether the whole group of the transaction is undone, in as many transactions as needed.
  public var isWhole: Bool = false

  public enum Target: Hashable, Sendable {
    /// The last transaction of the author that the call or the connection names.
    ///
    /// If they name none, it is the last transaction of any author.
    case last
    case token(HistoryToken)
    /// The last transaction of an author.
    case author(String)
    /// All transactions of a group, the last first.
    case group(String)
  }
}

extension HistoryRequest: MemberObject {
  static var blank: Self { Self() }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.optional("since", &since)
    try coder.optional("until", &until)
    try changes(&coder)
    try coder.optional("limit", &limit)
    try coder.value("descending", &isDescending, default: false)
    try coder.optional("consumer", &consumer)
    try coder.check(consumer: consumer)
    try coder.value("values", &hasValues, default: true)
    try coder.value("joined", &joinsGroups, default: false)
  }

  /// Passes the selection of changes.
  mutating func changes<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.optional("entity", &entity)
    try coder.optional("ids", &identifiers)
    if identifiers != nil, entity == nil {
      try coder.check { (node) throws(DepotError) in
        throw DepotError(.missingMember, "\"ids\" needs \"entity\".").at(node.pointer)
      }
    }
    try coder.optional("properties", &properties)
    try coder.optional("author", &author)
  }
}

extension HistoryRowRequest: MemberObject {
  static var blank: Self { Self(entity: "", identifier: 0) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("entity", &entity)
    try coder.required("id", &identifier)
    try coder.optional("at", &at)
  }
}

extension HistoryPosition: MemberObject {
  static var blank: Self { Self(consumer: "", token: HistoryToken(store: "", sequence: 0)) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    try coder.required("consumer", &consumer)
    try coder.check(consumer: consumer)
    try coder.required("token", &token)
  }
}

extension UndoRequest: MemberObject {
  static var blank: Self { Self(.last) }

  mutating func members<Coder: MemberCoder>(_ coder: inout Coder) throws(Coder.Failure) {
    var token: HistoryToken? = if case .token(let token) = target { token } else { nil }
    var author: String? = if case .author(let author) = target { author } else { nil }
    var group: String? = if case .group(let group) = target { group } else { nil }
    try coder.optional("token", &token)
    try coder.optional("author", &author)
    try coder.optional("group", &group)
    try coder.optional("policy", &policy)
    try coder.value("whole", &isWhole, default: false)
    switch (token, author, group) {
    case (nil, nil, nil): target = .last
    case (let token?, nil, nil): target = .token(token)
    case (nil, let author?, nil): target = .author(author)
    case (nil, nil, let group?): target = .group(group)
    default:
      try coder.check { (node) throws(DepotError) in
        throw DepotError(.usage, "Name at most one of \"token\", \"author\", and \"group\".")
          .at(node.pointer)
      }
    }
  }
}

extension MemberCoder {
  /// Checks the name of a consumer.
  mutating func check(consumer name: String?) throws(Failure) {
    guard Self.isReader, let name, !(1...HistoryRequest.consumerBytes ~= name.utf8.count) else {
      return
    }
    try check { (node) throws(DepotError) in
      throw DepotError(
        .numberRange,
        "The name of a consumer has 1 to \(HistoryRequest.consumerBytes) bytes."
      ).at(node.pointer + "/consumer")
    }
  }
}

extension HistoryRequest {
  /// The longest name of a consumer, in bytes.
  package static let consumerBytes = 128
}

extension HistoryToken: MemberValue {
  init(_ node: JSONNode, member name: StaticString) throws(DepotError) {
    self = try DepotError.at(node.pointer, try HistoryToken(node.string()))
  }

  func write(to writer: inout JSONWriter) { writer.string(description) }
}

extension HistoryMoment: MemberValue {
  init(_ node: JSONNode, member name: StaticString) throws(DepotError) {
    let text = try node.string()
    if let token = try? HistoryToken(text) {
      self = .token(token)
      return
    }
    guard let seconds = DateText.nearest(text.utf8) else {
      throw DepotError(.usage, "\(text.quoted) is neither a token nor a date.")
        .hint("Write \"3f2b8c01-9d20c4e7a1b2-1042\" or \"2026-05-01T12:00:00Z\".")
        .at(node.pointer)
    }
    self = .date(Date(timeIntervalSinceReferenceDate: seconds))
  }

  func write(to writer: inout JSONWriter) {
    switch self {
    case .token(let token): writer.string(token.description)
    case .date(let date):
      DateText.writeMoment(date.timeIntervalSinceReferenceDate, to: &writer)
    }
  }
}
