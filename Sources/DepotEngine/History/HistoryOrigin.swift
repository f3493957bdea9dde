internal import DepotProtocol
internal import DepotSQLite

/// The facts of a transaction as a whole, as the history has them.
struct HistoryOrigin: Equatable {
  let token: Int64
  /// When it was, in seconds since 2001.
  let at: Double
  let author: String?
  let process: String?
  let group: String?
  /// `schema`, or `undo:` or `redo:` and the number of a transaction.
  let origin: String?

  /// Reads the columns from `at` to `origin`, without the connection.
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

  /// Writes the members that tell who made a change.
  func writeMembers(_ bounds: HistoryBounds, to writer: inout JSONWriter) {
    writer.member("token", bounds.token(token))
    writer.member("at")
    DateText.write(at, to: &writer)
    if let author { writer.member("author", author) }
    if let process { writer.member("process", process) }
  }

  /// Returns an origin as clients see it, with whole tokens.
  static func text(_ origins: [String], _ bounds: HistoryBounds) -> String? {
    guard let first = origins.first else { return nil }
    guard let colon = first.firstIndex(of: ":") else { return first }
    let tokens = origins.compactMap { $0.split(separator: ":").last.flatMap { Int64($0) } }
      .map { bounds.token($0).description }
    return "\(first[...colon])\(tokens.joined(separator: ","))"
  }
}
