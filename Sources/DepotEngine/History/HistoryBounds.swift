internal import DepotProtocol
internal import DepotSQLite
internal import FoundationEssentials

/// The range of the kept history, in one snapshot.
///
/// A purge takes effect at once, but rows are deleted gradually: rows up to ``floor`` are invalid,
/// even if they still exist.
struct HistoryBounds: Equatable {
  /// The epochs, to write and check tokens.
  private(set) var epochs: EpochChain
  /// The greatest identifier of any purged row; 0 if there was no purge.
  let floor: Int64
  /// The token of the last purged transaction; 0 if there was no purge.
  let purged: Int64
  /// The token of the first kept transaction.
  let oldest: Int64?
  /// The token of the last transaction.
  private(set) var head: Int64
  /// The last row up to which all insertions are indexed.
  let indexed: Int64
  /// The last row before a migration that changed the meaning of identifiers or entity names.
  ///
  /// It is 0 if there was none.
  let renamed: Int64

  /// The SQL that creates the tables for reading and purging the history.
  static let definition = """
    CREATE INDEX depot_history_author ON depot_history (author) WHERE author IS NOT NULL;
    CREATE INDEX depot_history_group ON depot_history (grouping) WHERE grouping IS NOT NULL;
    CREATE INDEX depot_history_origin ON depot_history (origin) WHERE origin IS NOT NULL;
    CREATE TABLE depot_consumer (name TEXT PRIMARY KEY, token INTEGER NOT NULL, at REAL NOT NULL) STRICT;
    """

  init(on connection: Connection) throws {
    var members: [String: SQLiteValue] = [:]
    try connection.statement(
      """
      SELECT key, value FROM depot_meta \
      WHERE key IN ('store', 'history_floor', 'history_purged', 'history_indexed', 'history_renamed')
      """
    ).run { members[$0.text(0)] = $0[1] }
    guard case .text(let identifier)? = members["store"] else {
      throw DepotError(.corrupt, "The store's catalog can't be read.")
    }
    epochs = EpochChain(store: identifier, try EpochTable(connection: connection).all())
    let floor = members["history_floor"]?.integer ?? 0
    let purged = members["history_purged"]?.integer ?? 0
    self.floor = floor
    self.purged = purged
    oldest = try connection.integer(
      "SELECT token FROM depot_history WHERE id > ?1 ORDER BY id LIMIT 1",
      [.integer(floor)]
    )
    head = max(purged, try connection.lastToken() ?? 0)
    indexed = members["history_indexed"]?.integer ?? 0
    renamed = members["history_renamed"]?.integer ?? 0
  }

  /// Returns the bounds after later transactions, assuming no purge since.
  func advanced(to head: Int64, _ epochs: EpochChain) -> HistoryBounds {
    var bounds = self
    bounds.head = max(purged, head)
    bounds.epochs = epochs
    return bounds
  }

  /// Returns the bounds in a later snapshot with a known last transaction.
  ///
  /// It reads them from the store only if some history was purged since.
  func renewed(
    to head: Int64,
    _ epochs: EpochChain,
    on connection: Connection
  ) throws -> HistoryBounds {
    guard try connection.number(.historyPurged) == purged else {
      return try HistoryBounds(on: connection)
    }
    return advanced(to: head, epochs)
  }

  /// Returns the token of a transaction.
  func token(_ sequence: Int64) -> HistoryToken { epochs.token(sequence) }

  /// Checks that all transactions after a token are kept; `pointer` is the token's in the request.
  func check(_ token: HistoryToken, at pointer: String) throws(DepotError) {
    try checkOrigin(token, at: pointer)
    guard token.sequence >= purged else {
      throw DepotError(.historyExpired, "The history after \(token) isn't kept any more.")
        .hint("Read the rows anew, and go on from \(self.token(head)).").details(of: self)
        .at(pointer)
    }
  }

  /// Checks that a token is one of the store, even if later transactions aren't kept.
  func checkOrigin(_ token: HistoryToken, at pointer: String) throws(DepotError) {
    do throws(DepotError) {
      try epochs.check(token, head: head)
    } catch {
      throw error.details(of: self).at(pointer)
    }
  }

  /// Returns the first row of the history after a transaction and all earlier ones.
  func edge(after token: Int64, on connection: Connection) throws -> Int64 {
    try connection.integer(
      "SELECT id FROM depot_history WHERE id > ?1 AND id = token ORDER BY id LIMIT 1",
      [.integer(max(token, floor))]
    ) ?? .max
  }

  /// Returns the number of the last transaction before a date.
  ///
  /// If there is none, it is the number before the oldest transaction.
  func token(before date: Double, on connection: Connection) throws -> Int64 {
    try lastToken(on: connection) { epochs.date($1, of: $0) < date }
  }

  /// Returns the number of the last transaction before a store time, or else before the oldest.
  func token(beforeTime time: Double, on connection: Connection) throws -> Int64 {
    try lastToken(on: connection) { $1 < time }
  }

  /// Returns the number of the last transaction that satisfies `isBefore`.
  ///
  /// It gets the transaction's number and store time.
  private func lastToken(
    on connection: Connection,
    _ isBefore: (Int64, Double) -> Bool
  ) throws -> Int64 {
    var token = purged
    // The times of transactions never decrease.
    var (low, high) = (floor + 1, head)
    let statement = try connection.statement(
      "SELECT id, at FROM depot_history WHERE id >= ?1 AND id <= ?2 AND id = token ORDER BY id LIMIT 1"
    )
    while low <= high {
      let middle = low + (high - low) / 2
      let found = try statement.first([.integer(middle), .integer(high)]) {
        ($0.integer(0), $0.real(1))
      }
      if let (identifier, time) = found, isBefore(identifier, time) {
        token = max(purged, identifier)
        low = identifier + 1
      } else {
        high = middle - 1
      }
    }
    return token
  }

  /// Returns the number of a token in a request.
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

extension Connection {
  /// Returns the number of the last transaction in the history; `nil` if there is none.
  func lastToken() throws(SQLiteError) -> Int64? {
    try integer("SELECT token FROM depot_history ORDER BY id DESC LIMIT 1")
  }

  /// Returns the number of the last transaction, or 0 if there is none.
  func historyHead() throws(SQLiteError) -> Int64 {
    // `??` would lose the error's type.
    if let token = try lastToken() { return token }
    return try number(.historyPurged)
  }
}

extension SQLiteValue {
  fileprivate var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }
}
