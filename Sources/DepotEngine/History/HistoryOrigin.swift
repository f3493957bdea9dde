internal import DepotProtocol
internal import DepotSQLite

/// What the history says of a transaction as a whole.
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
  init(token: Int64, _ row: borrowing Row, from column: Int) {
    self.token = token
    at = row.real(column)
    author = row.isNull(column + 1) ? nil : row.text(column + 1)
    process = row.isNull(column + 2) ? nil : row.text(column + 2)
    group = row.isNull(column + 3) ? nil : row.text(column + 3)
    origin = row.isNull(column + 4) ? nil : row.text(column + 4)
  }

  /// Writes the members that tell who made a change.
  func writeMembers(_ bounds: HistoryBounds, to writer: inout JSONWriter) {
    writer.raw("\"token\":")
    writer.string(bounds.token(token).description)
    writer.raw(",\"at\":")
    DateText.write(at, to: &writer)
    if let author {
      writer.raw(",\"author\":")
      writer.string(author)
    }
    if let process {
      writer.raw(",\"process\":")
      writer.string(process)
    }
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
