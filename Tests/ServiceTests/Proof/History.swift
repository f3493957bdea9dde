import TestSupport

/// What clients did to the rows of one entity, and what they saw of them.
struct History: Sendable {
  /// In any order; what was there at the beginning is the write of a transaction before all others.
  var transactions: [Transaction] = []
  var subscriptions: [Subscription] = []
  /// The rows in the end, when nobody wrote any more; `nil` if nobody looked.
  var final: [ObservedRow]?
}

/// One call as its client saw it, or several reads of one moment.
struct Transaction: Sendable {
  enum Outcome: Sendable {
    case committed
    /// The service said that nothing was stored.
    case refused
    /// No answer came, not even to a repetition with the same key.
    case unknown
  }

  /// What its client calls it; the idempotency key of a write.
  var name: String
  /// Those of one session follow each other.
  var session = ""
  /// When it was sent, in nanoseconds.
  var invoked: Int64
  /// When the answer came.
  var completed = Int64.max
  var outcome = Outcome.committed
  var reads: [Read] = []
  /// The rows that it asked for and that weren't there.
  var missing: Set<Int64> = []
  /// Whether it asked for all rows.
  var isScan = false
  var writes: [Write] = []
  /// The place among the writes that the service gave it.
  var token: Int64?
  /// The token of the moment that it reads.
  var snapshot: Int64?
  /// Queries and what they gave, rows in order.
  var answers: [Answer] = []

  struct Read: Hashable, Sendable {
    var row: Int64
    var version: Int64
    /// The value; `nil` if only the version was looked at.
    var value: Int64?
  }

  struct Answer: Sendable {
    var query: CellQuery
    var rows: [ObservedRow]
  }
}

/// A change of one row.
struct Write: Hashable, Sendable {
  enum Kind: Sendable {
    case insert, update, delete
  }

  var kind: Kind
  /// The row; `nil` if nobody was told which one was inserted.
  var row: Int64?
  /// A value that no other write has; means nothing for a deletion.
  var value: Int64 = 0
  var bin: Int64?
  /// The version that it made, if the service said so.
  var version: Int64?
}

/// A query that the checker can answer itself.
struct CellQuery: Hashable, Sendable {
  /// Only rows of this bin.
  var bin: Int64?
  /// Only so many, the greatest values first; all in the order of their identifiers if `nil`.
  var limit: Int?

  func answer(_ rows: some Sequence<ObservedRow>) -> [ObservedRow] {
    let matching = rows.filter { bin == nil || $0.bin == bin }
    guard let limit else { return matching.sorted { $0.id < $1.id } }
    return Array(matching.sorted { $0.value > $1.value }.prefix(limit))
  }

  /// Tells where rows differ from those that should be there.
  static func difference(_ rows: [ObservedRow], _ expected: [ObservedRow]) -> String {
    func text(_ row: ObservedRow?) -> String {
      row.map { "row \($0.id) version \($0.version) bin \($0.bin) value \($0.value)" } ?? "nothing"
    }
    let place = (0..<max(rows.count, expected.count)).first { index in
      !rows.indices.contains(index) || !expected.indices.contains(index)
        || rows[index] != expected[index]
    }
    guard let place else { return "the same" }
    let found = rows.indices.contains(place) ? rows[place] : nil
    let due = expected.indices.contains(place) ? expected[place] : nil
    return "\(text(found)) at \(place) instead of \(text(due))"
  }
}

/// A contradiction between a history and what the service promises.
struct Violation: Hashable, Sendable, CustomStringConvertible {
  enum Kind: String, Sendable {
    /// A write that was acknowledged isn't there.
    case lostWrite
    /// A write has been made more often than once, or something was made that nobody wanted.
    case appliedTwice
    /// What a refused write would have made was seen.
    case abortedRead
    /// Something was seen that nobody wrote.
    case unwrittenValue
    /// Two writes made the same version, or a write two.
    case conflictingVersions
    /// A session saw an older version after a newer one.
    case versionWentBack
    /// Two transactions changed a row from the same state, and one of them is forgotten.
    case lostUpdate
    /// Two transactions each decided by what the other changed.
    case writeSkew
    /// The transactions can't be put into an order in which each sees what those before it did.
    case notSerialisable
    /// Such an order exists only if something happened before it was asked for, or was seen too late.
    case staleRead
    /// What was read at a token isn't what there was.
    case wrongSnapshot
    /// Two transactions have the same token, or one has none though others have.
    case badToken
    /// A subscriber was told of an earlier moment after a later one.
    case tokenWentBack
    /// What a subscriber has at a token isn't what there was.
    case diverged
    /// What a subscriber was told can't be applied to what it had.
    case badFrame
    /// A subscriber doesn't have in the end what there is.
    case notConverged
  }

  var kind: Kind
  var text: String

  init(_ kind: Kind, _ text: String) {
    self.kind = kind
    self.text = text
  }

  var description: String { "\(kind.rawValue): \(text)" }
}
