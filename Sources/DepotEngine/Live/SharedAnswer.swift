internal import DepotProtocol

/// The answer of all watches that ask for the same count or the same groups, found once for each moment.
///
/// It lives on the thread of ``LiveQueries``.
final class SharedAnswer {
  /// The totals that tell the answer from the rows that changed; `nil` if only the whole query does.
  var totals: LiveTotals?
  /// Whether ``totals`` are of use.
  var keepsTotals: Bool
  /// Whether running the query takes so long that others should not wait for it.
  var isLong = false
  /// The last moment for which the answer was found.
  private(set) var token: Int64 = -1
  /// How often it was found.
  private(set) var findCount = 0
  /// The rows of the answer, if they are few.
  private var rows: [[UInt8]]?

  /// How many rows are kept, each of which is a group or the count.
  private static let rowLimit = 100

  init(keepsTotals: Bool) { self.keepsTotals = keepsTotals }

  /// Notes the rows of the answer at a moment.
  func note(_ rows: [[UInt8]], at token: Int64) {
    findCount += 1
    self.token = token
    self.rows = rows.count > Self.rowLimit ? nil : rows
  }

  /// Returns the rows of the answer if they are known for a moment.
  func rows(at token: Int64) -> [[UInt8]]? { token == self.token ? rows : nil }

  /// The common facts of watches whose answers are the same.
  struct Shape: Hashable {
    var subject: WatchRequest.Subject
    var form: Hello.Int64Form
    /// The schema's generation.
    var generation: Int
  }
}

/// The shared answers of all watches, which go with the last watch that has them.
struct SharedAnswers {
  private var all: [SharedAnswer.Shape: Entry] = [:]

  private struct Entry {
    weak var answer: SharedAnswer?
  }

  /// Returns the answer that others of a shape share, or keeps `own` as that.
  mutating func answer(_ shape: SharedAnswer.Shape, or own: SharedAnswer) -> SharedAnswer {
    if let known = all[shape]?.answer { return known }
    all[shape] = Entry(answer: own)
    return own
  }

  /// Forgets the answers that nobody has any more, if there are more entries than `limit`.
  mutating func tidy(beyond limit: Int) {
    guard all.count > limit else { return }
    all = all.filter { $0.value.answer != nil }
  }
}
