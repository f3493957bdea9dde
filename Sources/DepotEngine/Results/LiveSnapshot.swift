internal import DepotProtocol
internal import DepotSQLite

/// The rows of a watched query at a token.
struct LiveSnapshot: Sendable {
  /// The most bytes of the sort keys.
  private static let keyByteLimit = 256 << 20

  let token: Int64
  private(set) var entries: [LiveEntry] = []
  /// The size of the sort keys.
  private(set) var keyBytes = 0
  /// The answer, if it is a count or groups.
  var answer: LiveValue.Answer?

  mutating func add(_ entry: LiveEntry) throws(DepotError) {
    keyBytes += entry.terms.reduce(0) { $0 + $1.byteCount }
    guard keyBytes <= Self.keyByteLimit else {
      throw DepotError(
        .tooManyWatchedRows,
        "The sort keys of the query's rows have more than 256 MiB, too many to be watched."
      )
      .hint("Give it a limit or a narrower predicate, or sort by a shorter value.")
    }
    guard entries.count < Limits.watchRows else {
      throw DepotError(
        .tooManyWatchedRows,
        "The query has more than \(Limits.watchRows) rows, too many to be watched."
      )
      .hint("Give it a limit or a narrower predicate, or watch a count.")
    }
    entries.append(entry)
  }
}
