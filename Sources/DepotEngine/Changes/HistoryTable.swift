internal import DepotSQLite

/// Writes the table of the history.
///
/// The rows of a transaction are consecutive, and the first one has the facts about the whole
/// transaction. Applied in order to the state before the transaction, they result in the state
/// after it: for the same row, a deletion comes before an insertion, and that before an update. A
/// large transaction may change a row several times.
final class HistoryTable {
  /// The kinds of rows.
  enum Kind: Int64 {
    case insert
    case update
    case delete
    case links
  }

  /// The size of a row's changes in bytes after which another row is begun.
  static let pageBytes = 256 << 10

  /// The most rows of the history without entries in the indexes.
  private static let lag: Int64 = 128

  /// The SQL that creates the tables.
  static let definition = """
    CREATE TABLE depot_history (id INTEGER PRIMARY KEY, token INTEGER NOT NULL, at REAL, author TEXT,
      process TEXT, connection INTEGER, grouping TEXT, origin TEXT, entity TEXT, kind INTEGER,
      first INTEGER, last INTEGER, changes BLOB) STRICT;
    \(ChangeIndex.definition)
    \(InsertionIndex.definition)
    """

  /// The columns of a full row.
  static let fullRow = """
    id, token, at, author, process, connection, grouping, origin, entity, kind, first, last, changes
    """

  private unowned let connection: Connection
  private var nextIdentifier: Int64
  /// The clock of its transactions; set before the first row is written.
  unowned var epoch: WriterEpoch?
  /// The store time of the last transaction; it never decreases.
  private(set) var lastTime = 0.0
  /// The token and the time of the current transaction; `nil` before its first row.
  private(set) var current: (token: Int64, at: Double)?
  /// The size of the current transaction in bytes, and of earlier ones since ``takeAddedBytes()``.
  private var currentBytes: Int64 = 0
  private var addedBytes: Int64 = 0
  /// Whether the rows of transactions are kept in memory until they are committed.
  var keepsPages = false
  /// The rows of the current transaction, and its further kinds; `nil` if they are too large.
  private var pages: [ChangeSet.Page]? = []
  private var kinds: [String] = []
  private var insertion: Statement?
  /// The origin that is bound to ``insertion``, if one is, and the entity.
  private var boundOrigin = TransactionOrigin.none
  private var hasBoundOrigin = false
  private var boundEntity: String?
  private let changeIndex: ChangeIndex
  /// Whether there may be insertions and other changes without entries in the indexes.
  private var mayLackEntries = (insertions: true, changes: true)

  /// Finds the end of the table.
  ///
  /// `floor` is the greatest identifier of any deleted row.
  init(on connection: Connection, floor: Int64) throws(SQLiteError) {
    self.connection = connection
    changeIndex = ChangeIndex(connection: connection)
    nextIdentifier = 0
    try goOn(floor: floor)
  }

  /// Finds the end of the table after other services have added rows.
  func goOn(floor: Int64) throws(SQLiteError) {
    let last = try connection.integer("SELECT max(id) FROM depot_history") ?? 0
    nextIdentifier = max(last, floor) + 1
    mayLackEntries = (last > 0, last > 0)
    lastTime = try Self.lastTime(on: connection)
  }

  /// Returns the store time of the last transaction; 0 if there is none.
  static func lastTime(on connection: Connection) throws(SQLiteError) -> Double {
    let statement = try connection.statement(
      "SELECT at FROM depot_history WHERE id = token ORDER BY id DESC LIMIT 1"
    )
    defer { statement.reset() }
    return try statement.step() ? statement.row.real(0) : 0
  }

  /// The last row of the history.
  var lastIdentifier: Int64 { nextIdentifier - 1 }

  /// Ends the transaction; returns its token and its time, or `nil` if it has no rows.
  func finish() -> (token: Int64, at: Double)? {
    defer { forgetPages() }
    addedBytes += currentBytes
    currentBytes = 0
    defer { current = nil }
    return current
  }

  /// Returns the current transaction in its stored form; `nil` if its rows aren't kept.
  func changeSet(_ origin: TransactionOrigin, _ inserted: InsertedRows) -> ChangeSet? {
    guard keepsPages, let current, let pages, let epoch else { return nil }
    return ChangeSet(
      token: current.token,
      at: epoch.date(current.at),
      origin: origin,
      kinds: kinds,
      pages: pages,
      inserted: inserted.all
    )
  }

  /// Discards the transaction, which is rolled back.
  func discard() {
    current = nil
    currentBytes = 0
    mayLackEntries = (true, true)
    forgetPages()
  }

  private func forgetPages() {
    pages = []
    if !kinds.isEmpty { kinds = [] }
  }

  private func keep(_ page: HistoryPage, _ bytes: [UInt8], _ identifier: Int64) {
    guard currentBytes <= ChangeSet.byteLimit else {
      pages = nil
      return
    }
    pages?.append(
      ChangeSet.Page(identifier: identifier, entity: page.entity, kind: page.kind, bytes: bytes)
    )
  }

  /// Returns the approximate number of bytes added since the last call.
  func takeAddedBytes() -> Int64 {
    defer { addedBytes = 0 }
    return addedBytes
  }

  /// The approximate size of a row with `count` bytes of changes.
  static func size(ofChanges count: Int) -> Int64 { Int64(count) + 128 }

  /// Adds a row to the transaction, without a page if it has no changes.
  ///
  /// `kind` is a further kind of the transaction, besides the one in its first row.
  func add(_ page: HistoryPage?, _ origin: TransactionOrigin, kind: String? = nil) throws {
    let statement = try insertion ?? insertionStatement()
    let identifier = nextIdentifier
    let isFirst = current == nil
    let (token, at) = current ?? (identifier, max(epoch?.now() ?? 0, lastTime))
    lastTime = at
    var row = try HistoryRow(identifier: identifier, token: token, statement)
    if isFirst {
      try row.bind(at)
      try bind(origin, kind, &row)
    } else {
      hasBoundOrigin = false
      try row.skip(5)
      try row.bind(kind)
    }
    if let page {
      try bind(entity: page.entity, &row)
      try row.bind(page.kind.rawValue)
      try row.bind(page.first)
      try row.bind(page.last)
      let bytes = page.bytes
      currentBytes += Self.size(ofChanges: bytes.count)
      try bytes.withUnsafeBufferPointer { bytes in
        try row.bind(bytes)
        try store(statement)
      }
      if keepsPages { keep(page, bytes, identifier) }
    } else {
      boundEntity = nil
      try row.skip(5)
      try store(statement)
      currentBytes += Self.size(ofChanges: 0)
    }
    if let kind { kinds.append(kind) }
    current = (token, at)
    nextIdentifier = identifier + 1
    guard let page else { return }
    guard page.kind != .insert else {
      mayLackEntries.insertions = true
      return
    }
    mayLackEntries.changes = true
    if page.rows.count > ChangeIndex.fewRows {
      try changeIndex.add(identifier, about: page.rows, of: page.root)
    }
  }

  private func store(_ statement: Statement) throws(SQLiteError) {
    try connection.unobserved { () throws(SQLiteError) in try statement.runBound() }
  }

  /// Binds the origin, and a kind in the place of its own, unless the row before had the same.
  private func bind(
    _ origin: TransactionOrigin,
    _ kind: String?,
    _ row: inout HistoryRow
  ) throws {
    if kind == nil, hasBoundOrigin, boundOrigin.isSame(as: origin) { return row.keep(5) }
    hasBoundOrigin = false
    try row.bind(origin.author)
    try row.bind(origin.process)
    try row.bind(origin.connection == 0 ? nil : origin.connection)
    try row.bind(origin.group)
    try row.bind(kind ?? origin.kind)
    guard kind == nil else { return }
    boundOrigin = origin
    hasBoundOrigin = true
  }

  /// Binds the entity, unless the row before had the same.
  private func bind(entity: String, _ row: inout HistoryRow) throws {
    if boundEntity == entity { return row.keep(1) }
    boundEntity = nil
    try row.bind(entity)
    boundEntity = entity
  }

  /// Adds entries to the indexes for history rows without any, if they are many or `mustIndex`.
  ///
  /// It returns the last row with entries.
  func advanceIndexes(
    from position: Int64,
    _ catalog: Catalog,
    mustIndex: Bool = false
  ) throws -> Int64 {
    let last = lastIdentifier
    guard last > position, mustIndex || last - position >= Self.lag else { return position }
    try connection.unobserved {
      if mayLackEntries.insertions {
        try InsertionIndex(connection: connection).add(after: position, through: last)
      }
      if mayLackEntries.changes {
        try changeIndex.add(after: position, through: last, catalog)
      }
    }
    mayLackEntries = (false, false)
    try CatalogTables(connection: connection).set(.historyIndexed, last)
    return last
  }

  private func insertionStatement() throws(SQLiteError) -> Statement {
    let statement = try connection.statement(
      """
      INSERT INTO depot_history (\(Self.fullRow)) \
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
      """
    )
    insertion = statement
    return statement
  }
}

/// A row of the history, whose columns are bound in order.
private struct HistoryRow {
  private let statement: Statement
  private var index = 3

  init(identifier: Int64, token: Int64, _ statement: Statement) throws(SQLiteError) {
    self.statement = statement
    try statement.bind(identifier, at: 1)
    try statement.bind(token, at: 2)
  }

  /// Passes columns that have their values already.
  mutating func keep(_ count: Int) { index += count }

  mutating func skip(_ count: Int) throws(SQLiteError) {
    for _ in 0..<count {
      try statement.bindNull(at: index)
      index += 1
    }
  }

  mutating func bind(_ value: Int64?) throws(SQLiteError) {
    guard let value else { return try skip(1) }
    try statement.bind(value, at: index)
    index += 1
  }

  mutating func bind(_ value: Double) throws(SQLiteError) {
    try statement.bind(value, at: index)
    index += 1
  }

  mutating func bind(_ value: String?) throws {
    guard let value else { return try skip(1) }
    try statement.bind(.text(value), at: index)
    index += 1
  }

  /// Binds a blob whose bytes must stay valid until the row is stored.
  mutating func bind(_ blob: UnsafeBufferPointer<UInt8>) throws(SQLiteError) {
    try statement.bind(borrowingBlob: blob, at: index)
    index += 1
  }
}
