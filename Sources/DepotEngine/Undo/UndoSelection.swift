internal import DepotProtocol
internal import DepotSQLite

/// Finds the transactions that a request undoes or redoes.
///
/// To redo a transaction is to undo the one that undid it. So a transaction is in effect unless
/// another one that is in effect undid it, however often it was undone and redone.
struct UndoSelection {
  /// The most transactions of a group that can be undone at once.
  static let groupLimit = 1000
  /// The most transactions that are examined to find the last one that can be undone.
  private static let searchLimit = 100_000

  let bounds: HistoryBounds
  let isRedo: Bool
  let connection: Connection
  let control: CallControl
  /// The known transaction in effect that undid another one; `nil` if none did.
  private(set) var activeReversals: [Int64: Int64?] = [:]
  /// The number of transactions whose undos were looked up.
  private(set) var lookupCount = 0

  /// Returns the tokens of the transactions that a target selects, last first; at least one.
  mutating func tokens(_ target: UndoRequest.Target, author: String?) throws -> [Int64] {
    let tokens =
      switch target {
      case .last: [try last(of: author)]
      case .author(let author): [try last(of: author)]
      case .token(let token): [try self.token(token)]
      case .group(let group): try self.group(group)
      }
    for token in tokens { try checkNames(of: token) }
    return tokens
  }

  /// Checks that the history has the rows of a transaction under their current names.
  func checkNames(of token: Int64) throws(DepotError) {
    guard token <= bounds.renamed else { return }
    throw DepotError(
      .historyNoValues,
      "The history has other names or identifiers for the rows of \(bounds.token(token))."
    ).hint(Self.renaming)
  }

  /// The reason why older transactions can't be undone.
  private static let renaming =
    "A migration since then gave rows other identifiers, or entities other names or parents."

  /// Returns a named transaction if it is in effect, or for a redo the one that undid it.
  mutating func token(_ token: HistoryToken) throws -> Int64 {
    let isUndo = try origin(of: token).isUndo
    if isRedo, !isUndo {
      guard let undo = try activeReversal(of: token.sequence) else {
        throw DepotError(.nothingToUndo, "The transaction \(token) wasn't undone.")
          .at("/args/token")
      }
      return undo
    }
    guard try isEffective(token.sequence) else {
      throw DepotError(
        .alreadyUndone,
        "The transaction \(token) is \(isUndo ? "redone" : "undone") already."
      ).details(["token": .string(token.description)]).at("/args/token")
    }
    return token.sequence
  }

  private func refuseSchema(_ kind: String?, _ token: HistoryToken) throws(DepotError) {
    guard kind == TransactionOrigin.schemaKind else { return }
    throw DepotError(.nothingToUndo, "\(token) changed the schema, which can't be undone.")
      .hint("Define the schema as it was before.").at("/args/token")
  }

  /// The recorded kind of a transaction, and its group.
  struct RecordedOrigin {
    var kind: String?
    var group: String?

    /// Whether it undid other transactions.
    var isUndo: Bool { kind?.hasPrefix("undo:") ?? false }
  }

  /// Returns the origin of a named transaction, which must be kept.
  func origin(of token: HistoryToken) throws -> RecordedOrigin {
    try bounds.check(token, at: "/args/token")
    guard token.sequence > bounds.purged else {
      throw DepotError(.historyExpired, "The transaction \(token) isn't kept any more.")
        .details(of: bounds).at("/args/token")
    }
    guard let origin = try origin(of: token.sequence) else {
      throw DepotError(.historyForeign, "\(token) isn't the token of a transaction.")
        .at("/args/token")
    }
    try refuseSchema(origin.kind, token)
    return origin
  }

  /// Returns the origin of a transaction; `nil` if it doesn't exist.
  func origin(of token: Int64) throws -> RecordedOrigin? {
    try connection.statement(
      "SELECT origin, grouping FROM depot_history WHERE id = ?1 AND token = ?1"
    ).first([.integer(token)]) { row in
      RecordedOrigin(
        kind: row.isNull(0) ? nil : row.text(0),
        group: row.isNull(1) ? nil : row.text(1)
      )
    }
  }

  private static func transactions(ofAuthor isNamed: Bool) -> String {
    """
    SELECT id, origin FROM depot_history WHERE \(isNamed ? "author = ?2" : "id = token") AND id > ?1 \
    ORDER BY id DESC LIMIT \(searchLimit)
    """
  }

  /// Returns the query for the transactions that undid others, which uses an index.
  static func undos(ofAuthor isNamed: Bool) -> String {
    """
    SELECT id, origin FROM depot_history WHERE origin >= 'undo:' AND origin < 'undo;' AND +id > ?1 \
    AND \(isNamed ? "+author = ?2" : "+id = token") ORDER BY +id DESC LIMIT \(searchLimit)
    """
  }

  /// Returns the last transaction in effect, of an author or of anyone.
  mutating func last(of author: String?) throws -> Int64 {
    let statement = try connection.statement(
      isRedo ? Self.undos(ofAuthor: author != nil) : Self.transactions(ofAuthor: author != nil)
    )
    var hasCandidates = false
    var isSchemaNewer = false
    var found: Int64?
    defer { statement.reset() }
    try statement.bind(max(bounds.floor, bounds.renamed), at: 1)
    if let author { try statement.bind(.text(author), at: 2) }
    try connection.stoppable(by: control) {
      while found == nil, try statement.step() {
        try control.check()
        let origin = statement.row.isNull(1) ? nil : statement.row.text(1)
        if origin == TransactionOrigin.schemaKind {
          isSchemaNewer = true
          continue
        }
        guard (origin?.hasPrefix("undo:") ?? false) == isRedo else { continue }
        let token = statement.row.integer(0)
        hasCandidates = true
        if try isEffective(token) { found = token }
      }
    }
    guard let found else {
      let whose = author.map { " of \($0.quoted)" } ?? ""
      let before = bounds.renamed > bounds.floor ? Self.renaming : nil
      throw DepotError(
        .nothingToUndo,
        "There is nothing\(whose) to \(isRedo ? "redo" : "undo")."
      ).hint(
        hasCandidates ? "All of it is \(isRedo ? "redone" : "undone") already." : before
      )
    }
    // Undoing an earlier change instead would be a surprise.
    guard isRedo || !isSchemaNewer else {
      throw DepotError(.nothingToUndo, "The last change was of the schema, which can't be undone.")
        .hint("Name an earlier transaction by its token to undo that one.")
    }
    return found
  }

  private mutating func group(_ group: String) throws -> [Int64] {
    let members = try connection.statement(
      """
      SELECT id FROM depot_history WHERE grouping = ?1 AND id > ?2 \
      AND (origin IS NULL OR origin NOT LIKE '%:%') ORDER BY id DESC LIMIT \(Self.groupLimit + 1)
      """
    ).rows([.text(group), .integer(bounds.floor)]) { $0.integer(0) }
    guard !members.isEmpty else {
      throw DepotError(.nothingToUndo, "The history has no group \(group.quoted).")
        .at("/args/group")
    }
    guard members.count <= Self.groupLimit else {
      throw DepotError(
        .tooManyRows,
        "The group has more than \(Self.groupLimit) transactions."
      ).hint("Undo them one by one.").at("/args/group")
    }
    var result: [Int64] = []
    for token in members {
      if isRedo {
        if let undo = try activeReversal(of: token), !result.contains(undo) {
          result.append(undo)
        }
      } else if try isEffective(token) {
        result.append(token)
      }
    }
    guard !result.isEmpty else {
      throw isRedo
        ? DepotError(.nothingToUndo, "Nothing of the group was undone.").at("/args/group")
        : DepotError(.alreadyUndone, "The whole group is undone already.").at("/args/group")
    }
    return result.sorted(by: >)
  }

  // MARK: - To and fro

  /// Whether no transaction in effect has undone a transaction.
  mutating func isEffective(_ token: Int64) throws -> Bool {
    try activeReversal(of: token) == nil
  }

  /// Returns the transaction in effect that undid another one; `nil` if there is none.
  mutating func activeReversal(of token: Int64) throws -> Int64? {
    if let known = activeReversals[token] { return known }
    // A transaction is newer than the one that it undid, so this loop ends.
    var chain = [(token: token, reversals: try reversals(of: token))]
    while var last = chain.popLast() {
      try control.check()
      var active: Int64?
      var unknown: Int64?
      while active == nil, unknown == nil, let reversal = last.reversals.first {
        switch activeReversals[reversal] {
        case nil: unknown = reversal
        case .some(nil): active = reversal
        case .some: last.reversals.removeFirst()
        }
      }
      if let unknown {
        chain.append(last)
        chain.append((unknown, try reversals(of: unknown)))
      } else {
        activeReversals[last.token] = .some(active)
      }
    }
    return activeReversals[token] ?? nil
  }

  /// Returns the transactions that undid another one, last first.
  private mutating func reversals(of token: Int64) throws -> ArraySlice<Int64> {
    lookupCount += 1
    let statement = try connection.statement(
      "SELECT token FROM depot_history WHERE origin IN (?1, ?2) AND id > ?3 ORDER BY id DESC"
    )
    let values: [SQLiteValue] = [.text("undo:\(token)"), .text("redo:\(token)"), .integer(token)]
    return try statement.rows(values) { $0.integer(0) }[...]
  }
}
