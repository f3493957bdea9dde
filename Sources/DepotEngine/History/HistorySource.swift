internal import DepotProtocol
internal import DepotSQLite

/// Reads the transactions of a history in order, each with its changes.
struct HistorySource {
  struct Transaction {
    var origin: HistoryOrigin
    /// The transaction's kind, and its further ones if it undid several transactions.
    var origins: [String]
  }

  /// An item is large, so that it isn't copied with its place.
  indirect enum Item {
    case begin(Transaction)
    /// A change, with the values of the row that it lacks if they are requested and known.
    case change(RecordedChange, RowState? = nil)
    case end
    /// The combined transactions of a group.
    case group(Transaction, HistoryGroup)
  }

  private let selection: HistorySelection
  private let past: PastReader
  private let connection: Connection
  /// The numbers of the transactions, if they are known in advance.
  private var tokens: ArraySlice<Int64>?
  private let heads: Statement
  private let rows: Statement
  /// The current transaction, and whether it was returned.
  private var current: Transaction?
  private var isReported = false
  private var record: HistoryRecord?
  private var elements: ArraySlice<HistoryRecord.ElementPlace> = []
  private var ranges: ArraySlice<ClosedRange<Int64>> = []
  /// The items to return before the others.
  private var pending: [Item] = []
  /// The reader of groups, if they are combined.
  private let groups: HistoryGroup.Reader?

  init(_ selection: HistorySelection, _ past: PastReader) throws {
    self.selection = selection
    self.past = past
    connection = past.connection
    groups = selection.joinsGroups ? HistoryGroup.Reader(selection, past) : nil
    var known = try selection.tokens(past)
    if selection.request.isDescending { known?.reverse() }
    tokens = known.map { $0[...] }
    let author = selection.request.author == nil ? "" : " AND author = ?3"
    let own = selection.own == nil ? "" : " AND NOT (connection IS ?4 AND id > ?5)"
    let order = selection.request.isDescending ? "DESC" : "ASC"
    heads = try connection.statement(
      """
      SELECT id, at, author, process, grouping, origin FROM depot_history \
      WHERE id = token AND id > ?1 AND id <= ?2\(author)\(own) ORDER BY id \(order)
      """
    )
    rows = try connection.statement(
      "SELECT \(HistoryTable.fullRow) FROM depot_history WHERE id >= ?1 ORDER BY id"
    )
    if tokens == nil { try bindHeads(selection.after, selection.until) }
  }

  private func bindHeads(_ after: Int64, _ until: Int64) throws(SQLiteError) {
    heads.restart()
    try heads.bind(max(after, selection.bounds.floor), at: 1)
    try heads.bind(until, at: 2)
    if let author = selection.request.author { try heads.bind(.text(author), at: 3) }
    if let own = selection.own {
      try heads.bind(own.connection, at: 4)
      try heads.bind(own.after, at: 5)
    }
  }

  /// Ends the running statements.
  func close() {
    heads.reset()
    rows.reset()
  }

  mutating func next() throws -> Item? {
    while true {
      if !pending.isEmpty { return pending.removeFirst() }
      guard let transaction = current else {
        guard try begin() else { return nil }
        continue
      }
      if let change = try nextChange() {
        guard isReported else {
          isReported = true
          pending = [.change(change)]
          return .begin(transaction)
        }
        return .change(change)
      }
      current = nil
      rows.reset()
      if isReported { return .end }
      if !selection.isFiltered {
        pending = [.end]
        return .begin(transaction)
      }
    }
  }

  /// Moves to the next transaction; returns whether there is one.
  private mutating func begin() throws -> Bool {
    if let token = tokens?.popFirst() {
      try bindHeads(token - 1, token)
      guard try heads.step() else { return true }
    } else {
      guard tokens == nil, try heads.step() else { return false }
    }
    let origin = HistoryOrigin(
      token: heads.row.integer(0),
      heads.row,
      from: 1,
      selection.bounds
    )
    var origins = origin.origin.map { [$0] } ?? []
    if let groups, origin.group != nil {
      switch try groups.place(of: origin) {
      case .alone: break
      case .behind: return true
      case .first:
        if let group = try groups.read(origin) {
          pending = [.group(Transaction(origin: origin, origins: origins), group)]
        }
        return true
      }
    }
    if origins.first?.contains(":") == true { origins = try otherOrigins(origin.token) }
    current = Transaction(origin: origin, origins: origins)
    isReported = false
    record = nil
    rows.restart()
    try rows.bind(origin.token, at: 1)
    return true
  }

  /// Returns the kinds for all transactions that a transaction undid.
  private func otherOrigins(_ token: Int64) throws -> [String] {
    var origins: [String] = []
    let statement = try connection.statement(
      "SELECT token, origin FROM depot_history WHERE id >= ?1 ORDER BY id"
    )
    defer { statement.reset() }
    try statement.bind(token, at: 1)
    while try statement.step(), statement.row.integer(0) == token {
      if !statement.row.isNull(1) { origins.append(statement.row.text(1)) }
    }
    return origins
  }

  private mutating func nextChange() throws -> RecordedChange? {
    while true {
      if let record {
        while let range = ranges.popFirst() {
          if range.lowerBound < range.upperBound {
            ranges = [range.lowerBound + 1...range.upperBound] + ranges
          }
          return record.insertion(of: range.lowerBound)
        }
        while let element = elements.popFirst() {
          let change = try record.change(element)
          if selection.includes(change), try selection.hasEntity(change, past) { return change }
        }
      }
      guard try nextRecord() else { return nil }
    }
  }

  private mutating func nextRecord() throws -> Bool {
    record = nil
    elements = []
    ranges = []
    guard let token = current?.origin.token, try rows.step(), rows.row.integer(1) == token else {
      return false
    }
    let record = try HistoryRecord(rows.row)
    self.record = record
    guard selection.includes(record) else { return true }
    if record.kind == .insert {
      ranges = try record.ranges().flatMap(selection.ranges)[...]
    } else {
      elements = try record.elements()[...]
    }
    return true
  }
}
