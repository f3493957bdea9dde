internal import DepotProtocol

/// The answer to all watches of the same count or groups, found once for each token.
///
/// Only the thread of ``LiveQueries`` uses it.
final class SharedAnswer {
  /// The totals to update the answer from changed rows; `nil` if that isn't possible.
  var totals: LiveTotals?
  /// Whether ``totals`` can be used.
  var keepsTotals: Bool
  /// Whether running the query takes so long that other queries shouldn't wait for it.
  var isLong = false
  /// The last token for which the answer was found.
  private(set) var token: Int64 = -1
  /// The number of times that it was found.
  private(set) var findCount = 0
  /// The rows of the answer, if they are few.
  private var rows: [[UInt8]]?

  /// The most rows to keep; each is a group or the count.
  private static let rowLimit = 100

  init(keepsTotals: Bool) { self.keepsTotals = keepsTotals }

  /// Stores the rows of the answer at a token.
  func note(_ rows: [[UInt8]], at token: Int64) {
    findCount += 1
    self.token = token
    self.rows = rows.count > Self.rowLimit ? nil : rows
  }

  /// Returns the rows of the answer if they are known for a token.
  func rows(at token: Int64) -> [[UInt8]]? { token == self.token ? rows : nil }

  /// The facts that watches with the same answer share.
  struct Shape: Hashable {
    var subject: WatchRequest.Subject
    var form: Int64Form
    /// The schema's generation.
    var generation: Int
  }
}

/// The shared answers of all watches, or their shared rows, which go with the last watch that has them.
struct SharedAnswers<Answer: AnyObject> {
  private var all: [SharedAnswer.Shape: Entry] = [:]

  private struct Entry {
    weak var answer: Answer?
  }

  /// Returns the answer that others of a shape share, or keeps `own` as that.
  mutating func answer(_ shape: SharedAnswer.Shape, or own: Answer) -> Answer {
    if let known = all[shape]?.answer { return known }
    all[shape] = Entry(answer: own)
    return own
  }

  /// Removes the answers without watches, if there are more entries than `limit`.
  mutating func tidy(beyond limit: Int) {
    guard all.count > limit else { return }
    all = all.filter { $0.value.answer != nil }
  }
}
