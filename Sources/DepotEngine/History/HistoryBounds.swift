internal import DepotProtocol
internal import DepotSQLite
internal import FoundationEssentials

/// How far the history that a store keeps reaches, as one snapshot has it.
///
/// What is purged is deleted at once in this sense, and bit by bit in fact: rows up to ``floor`` don't
/// count, though they may still be there.
struct HistoryBounds: Equatable {
  /// The first digits of the store's identifier.
  let store: String
  /// The greatest identifier of a row of the history that was purged; 0 if none was.
  let floor: Int64
  /// The token of the last transaction that was purged; 0 if none was.
  let purged: Int64
  /// The token of the first transaction that is kept.
  let oldest: Int64?
  /// The token of the last transaction.
  let head: Int64
  /// The last row of the history before which all insertions are indexed; `nil` if the store is of a format
  /// that has them in another way.
  let indexed: Int64?

  /// Makes what reading and purging the history needs besides its tables.
  static let definition = """
    CREATE INDEX depot_history_author ON depot_history (author) WHERE author IS NOT NULL;
    CREATE INDEX depot_history_group ON depot_history (grouping) WHERE grouping IS NOT NULL;
    CREATE INDEX depot_history_origin ON depot_history (origin) WHERE origin IS NOT NULL;
    CREATE TABLE depot_consumer (name TEXT PRIMARY KEY, token INTEGER NOT NULL, at REAL NOT NULL) STRICT;
    """

  /// - Throws: ``DepotError`` `history.expired` if the store keeps none because it was never opened for
  ///   writing since it could; ``SQLiteError``.
  init(on connection: Connection) throws {
    let tables = try connection.statement(
      """
      SELECT name FROM sqlite_schema \
      WHERE type = 'table' AND name IN ('depot_consumer', 'depot_history_insert')
      """
    )
    var names: Set<String> = []
    try tables.run { names.insert($0.text(0)) }
    guard names.contains("depot_consumer") else {
      throw DepotError(.historyExpired, "The store keeps no history yet.")
        .hint("It begins when a service opens the store for writing.")
    }
    var members: [String: SQLiteValue] = [:]
    try connection.statement(
      """
      SELECT key, value FROM depot_meta \
      WHERE key IN ('store', 'history_floor', 'history_purged', 'history_indexed')
      """
    ).run { members[$0.text(0)] = $0[1] }
    guard case .text(let identifier)? = members["store"] else {
      throw DepotError(.corrupt, "The store's description of itself can't be read.")
    }
    store = String(identifier.prefix(8))
    let floor = members["history_floor"]?.integer ?? 0
    let purged = members["history_purged"]?.integer ?? 0
    var head = purged
    try connection.statement("SELECT token FROM depot_history ORDER BY id DESC LIMIT 1")
      .run { head = max(purged, $0.integer(0)) }
    var oldest: Int64?
    try connection.statement("SELECT token FROM depot_history WHERE id > ?1 ORDER BY id LIMIT 1")
      .run([.integer(floor)]) { oldest = $0.integer(0) }
    self.floor = floor
    self.purged = purged
    self.oldest = oldest
    self.head = head
    let isIndexed = names.contains("depot_history_insert")
    indexed = isIndexed ? members["history_indexed"]?.integer ?? 0 : nil
  }

  /// Returns the token of a transaction.
  func token(_ sequence: Int64) -> HistoryToken { HistoryToken(store: store, sequence: sequence) }

  /// Checks that everything after a moment is kept.
  ///
  /// - Parameters:
  ///   - token: The moment.
  ///   - pointer: Where the request has it.
  /// - Throws: ``DepotError`` `history.foreign` if it isn't one of the store's, `history.expired` if what
  ///   came after it was purged.
  func check(_ token: HistoryToken, at pointer: String) throws(DepotError) {
    guard token.store == store else {
      throw DepotError(.historyForeign, "The token \(token) is of another store.")
        .hint("The tokens of this one begin with \(store).").at(pointer)
    }
    guard token.sequence <= head else {
      throw DepotError(.historyForeign, "The token \(token) hasn't been given out yet.")
        .hint("The last one is \(self.token(head)). Was the store restored from a backup?")
        .details(details).at(pointer)
    }
    guard token.sequence >= purged else {
      throw DepotError(.historyExpired, "The history after \(token) isn't kept any more.")
        .hint("Read the rows anew, and go on from \(self.token(head)).").details(details)
        .at(pointer)
    }
  }

  /// What a client needs to go on.
  var details: [String: JSONValue] {
    [
      "oldest": oldest.map { .string(token($0).description) } ?? .null,
      "head": .string(token(head).description),
    ]
  }

  /// Returns the first row of the history behind a transaction and those before it.
  func edge(after token: Int64, on connection: Connection) throws -> Int64 {
    var edge = Int64.max
    try connection.statement(
      "SELECT id FROM depot_history WHERE id > ?1 AND id = token ORDER BY id LIMIT 1"
    ).run([.integer(max(token, floor))]) { edge = $0.integer(0) }
    return edge
  }

  /// Returns the token of the last transaction before a time, or the moment before the oldest.
  func token(before time: Double, on connection: Connection) throws -> Int64 {
    var token = purged
    // The times of transactions never decrease.
    var (low, high) = (floor + 1, head)
    let statement = try connection.statement(
      "SELECT id, at FROM depot_history WHERE id >= ?1 AND id <= ?2 AND id = token ORDER BY id LIMIT 1"
    )
    while low <= high {
      let middle = low + (high - low) / 2
      var found: (identifier: Int64, at: Double)?
      try statement.run([.integer(middle), .integer(high)]) {
        found = ($0.integer(0), $0.real(1))
      }
      if let found, found.at < time {
        token = max(purged, found.identifier)
        low = found.identifier + 1
      } else {
        high = middle - 1
      }
    }
    return token
  }

  /// Returns the number of a moment.
  ///
  /// - Throws: ``DepotError`` if it isn't one of the store's, or what came after it was purged.
  func sequence(
    of moment: HistoryMoment,
    at pointer: String,
    on connection: Connection
  ) throws -> Int64 {
    switch moment {
    case .token(let token):
      try check(token, at: pointer)
      return token.sequence
    case .date(let date):
      return try self.token(before: date.timeIntervalSinceReferenceDate, on: connection)
    }
  }
}

extension SQLiteValue {
  fileprivate var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }
}
