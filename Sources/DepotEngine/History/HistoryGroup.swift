internal import DepotProtocol
internal import DepotSQLite

/// The transactions of a group, combined for a reader of the history.
struct HistoryGroup {
  /// The first and the last transaction.
  var first: Int64
  var last: Int64
  var count = 0
  /// The number of changes of each kind.
  var rows: [HistoryTable.Kind: Int] = [:]

  /// The position of a transaction within its group.
  enum PositionInGroup {
    /// It is the only one.
    case alone
    /// The others follow it, in the order of the read.
    case first
    /// It follows another one.
    case behind
  }

  /// Reads the groups of a history in one snapshot.
  struct Reader {
    private let selection: HistorySelection
    private let past: PastReader

    init(_ selection: HistorySelection, _ past: PastReader) {
      self.selection = selection
      self.past = past
    }

    private static let members = """
      FROM depot_history WHERE grouping = ?1 AND id = token AND id > ?2 AND id <= ?3 \
      AND origin IS NOT '\(TransactionOrigin.schemaKind)'
      """

    private func values(_ group: String?) -> [SQLiteValue] {
      let after = max(selection.after, selection.bounds.floor)
      return [.text(group ?? ""), .integer(after), .integer(selection.until)]
    }

    /// Returns the position of a transaction in its group.
    func place(of origin: HistoryOrigin) throws -> PositionInGroup {
      guard origin.origin != TransactionOrigin.schemaKind else { return .alone }
      let values = values(origin.group)
      func extreme(_ function: String) throws -> Int64? {
        try past.connection.integer("SELECT \(function)(id) \(Self.members)", values)
      }
      guard let first = try extreme("min"), let last = try extreme("max"), first < last else {
        return .alone
      }
      return origin.token == (selection.request.isDescending ? last : first) ? .first : .behind
    }

    /// Returns a group's transactions and counts of changes; `nil` if none of them is requested.
    func read(_ origin: HistoryOrigin) throws -> HistoryGroup? {
      var group = HistoryGroup(first: .max, last: 0)
      let tokens = try past.connection.statement("SELECT id \(Self.members) ORDER BY id")
        .rows(values(origin.group)) { $0.integer(0) }
      let pages = try past.connection.statement(
        "SELECT \(HistoryTable.fullRow) FROM depot_history WHERE id >= ?1 ORDER BY id"
      )
      defer { pages.reset() }
      for token in tokens {
        var isWanted = !selection.isFiltered
        pages.restart()
        try pages.bind(token, at: 1)
        while try pages.step(), pages.row.integer(1) == token {
          try past.check(pages.row.bytes(12).count)
          guard try group.add(pages.row, selection, past) else { continue }
          isWanted = true
        }
        guard isWanted else { continue }
        group.first = min(group.first, token)
        group.last = max(group.last, token)
        group.count += 1
      }
      return group.count == 0 ? nil : group
    }
  }

  /// Adds a row of the history, and returns whether it is requested.
  private mutating func add(
    _ row: borrowing Row,
    _ selection: HistorySelection,
    _ past: PastReader
  ) throws -> Bool {
    guard !row.isNull(8), let kind = HistoryTable.Kind(rawValue: row.integer(9)),
      selection.includes(row.text(8), kind)
    else { return false }
    let record = try HistoryRecord(row)
    let count =
      if kind == .insert {
        try record.ranges().reduce(0) { $0 + $1.count }
      } else if selection.isMixed(row.text(8), kind) {
        try record.changes().count { try selection.hasEntity($0, past) }
      } else {
        record.count
      }
    if count > 0 { rows[kind, default: 0] += count }
    return count > 0
  }
}

extension HistorySource.Item {
  /// Whether it is the first item of a transaction, or a group.
  var beginsTransaction: Bool {
    switch self {
    case .begin, .group: true
    case .change, .end: false
    }
  }
}
