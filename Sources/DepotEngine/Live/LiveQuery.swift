internal import DepotProtocol

/// A watched query with what its client knows of its answer.
///
/// It lives on the thread of ``LiveQueries``.
final class LiveQuery {
  let watch: LiveWatch
  let frames: LiveFrames
  /// The schema that it is compiled for.
  private(set) var catalog: Catalog
  var subject: Subject
  var stage = Stage.beginning
  /// The token up to which the client knows everything, once it has what ``outbox`` holds.
  var token: Int64 = 0
  var touches: LiveTouches
  /// The frames that wait for the client to have room.
  var outbox: [[UInt8]] = []
  /// When the first of the changes came that the client wasn't told of, by the monotonic clock.
  var changedAt: UInt64?
  /// When the last frame was sent, by the monotonic clock.
  var lastSent: UInt64 = 0
  /// When it was evaluated last, by the monotonic clock.
  var lastEvaluated: UInt64 = 0
  /// Whether so much changed while the client had no room that it begins anew.
  var isLate = false
  /// Whether the query must be run again though it is known which rows changed.
  var mustRun = false
  /// Whether it is among those that are to be run, one after the other.
  var isQueued = false
  /// Whether its rows take too long to be read beside other queries, so that it begins anew instead.
  var isLong = false
  /// Whether what is being read is for an older schema.
  var mustRestart = false
  /// The changes that the client is to be told of once the query has been run, while a reader does
  /// that.
  var running: LiveTouches?
  /// Whether the client was told to forget the rows that it had.
  var isForgotten = false
  /// The author whose transactions the client of a history doesn't want.
  var own: HistorySelection.Own?
  /// Whether transactions of ``own`` are among those that its client isn't told of yet.
  var hasOwn = false
  /// How many transactions wait for the client of a history.
  var waiting = 0
  /// Whether the client of a history was told that it is live.
  var isTold = false
  /// The history that is watched; `nil` if it is a query.
  private(set) var history: LiveHistory?
  /// The number of the form in which it is watched.
  var historyForm = 0
  /// Whether it is a member of ``DirtyQueries``, and whether it is in their list.
  var isDirty = false
  var isListedAsDirty = false
  /// Whether ``LiveQueries`` knows it.
  var isRegistered = false

  enum Stage {
    /// The rows that there are, are still to be read, or are being read.
    case beginning
    case live
  }

  /// The subject of the watch.
  enum Subject {
    case rows(LivePlan, LiveResult)
    case value(LiveValue)
    case history(LiveHistory)
  }

  init(_ watch: LiveWatch, _ frames: LiveFrames, _ subject: Subject, _ catalog: Catalog) {
    self.watch = watch
    self.catalog = catalog
    self.frames = frames
    self.subject = subject
    touches = LiveTouches(nodeCount: 1)
    touches = LiveTouches(nodeCount: dependencies.nodes.count)
    if case .history(let history) = subject { self.history = history }
  }

  /// The dependencies of the answer.
  var dependencies: QueryDependencies {
    switch subject {
    case .rows(let plan, _): plan.dependencies
    case .value(let value): value.dependencies
    case .history: QueryDependencies(nodes: [])
    }
  }

  /// Whether it is of no use to know which rows changed.
  var alwaysRuns: Bool {
    switch subject {
    case .rows(let plan, _): plan.isMomentary
    case .value(let value): !value.shared.keepsTotals
    case .history: true
    }
  }

  /// Finds out which rows changed, to tell what that means for the answer.
  func settleTouches() { touches.settle(dependencies) }

  /// The names of the columns of the answer.
  var names: [String]? {
    switch subject {
    case .rows(let plan, _): plan.names
    case .value(let value): value.names
    case .history: nil
    }
  }

  /// Goes on as compiled for another schema.
  func adopt(_ fresh: Subject, _ catalog: Catalog) {
    self.catalog = catalog
    switch (subject, fresh) {
    case (.rows(_, let result), .rows(let plan, _)): subject = .rows(plan, result)
    case (.value(let old), .value(var value)):
      value.checksum = old.checksum
      if old.shared.isLong { value.shared.isLong = true }
      subject = .value(value)
    case (.history, .history(let history)):
      subject = fresh
      self.history = history
    default: subject = fresh
    }
    touches = LiveTouches(nodeCount: dependencies.nodes.count)
  }

  /// Whether the query must be run again to tell what changed.
  var needsRun: Bool {
    switch subject {
    case .rows(let plan, _): mustRun || touches.isUnknown || plan.isMomentary
    case .value(let value): touches.isUnknown || value.shared.totals == nil
    case .history: true
    }
  }

  /// Whether it is the rows of a fetch.
  var hasRows: Bool {
    if case .rows = subject { true } else { false }
  }
}
