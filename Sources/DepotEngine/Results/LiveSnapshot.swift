internal import DepotProtocol

/// The rows of a watched query at a token.
struct LiveSnapshot: Sendable {
  let token: Int64
  private(set) var entries: [LiveEntry] = []
  /// The answer, if it is a count or groups.
  var answer: LiveValue.Answer?

  mutating func add(_ entry: LiveEntry) throws(DepotError) {
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
