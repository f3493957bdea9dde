internal import DepotProtocol
internal import DepotSQLite

/// The facts about a transaction as a whole, read from the history.
struct HistoryOrigin: Equatable {
  let token: Int64
  /// The time of the commit, in seconds since 2001.
  let at: Double
  let author: String?
  let process: String?
  let group: String?
  /// The kind: `schema`, or `undo:` or `redo:` and the number of a transaction; `nil` for none.
  let origin: String?

  /// Reads the columns from `at` to `origin`, except the connection.
  init(token: Int64, _ row: borrowing Row, from column: Int, _ bounds: HistoryBounds) {
    self.token = token
    at = bounds.epochs.date(row.real(column), of: token)
    author = row.isNull(column + 1) ? nil : row.text(column + 1)
    process = row.isNull(column + 2) ? nil : row.text(column + 2)
    group = row.isNull(column + 3) ? nil : row.text(column + 3)
    origin = row.isNull(column + 4) ? nil : row.text(column + 4)
  }

  init(_ set: ChangeSet) {
    token = set.token
    at = set.at
    author = set.origin.author
    process = set.origin.process
    group = set.origin.group
    origin = set.origin.kind
  }

  /// Returns the kinds of a transaction in the form for clients, with complete tokens.
  static func text(_ origins: [String], _ bounds: HistoryBounds) -> String? {
    guard let first = origins.first else { return nil }
    guard let colon = first.firstIndex(of: ":") else { return first }
    let tokens = origins.compactMap { $0.split(separator: ":").last.flatMap { Int64($0) } }
      .map { bounds.token($0).description }
    return "\(first[...colon])\(tokens.joined(separator: ","))"
  }
}
