internal import DepotProtocol

/// A watched query, with its client's state.
///
/// Only the thread of ``LiveQueries`` uses it.
final class LiveQuery {
  let watch: LiveWatch
  let frames: LiveFrames
  /// The schema that it is compiled for.
  private(set) var catalog: Catalog
  var subject: CompiledSubject
  var stage = Stage.beginning
  /// The token up to which the client has all changes, including those in ``outbox``.
  var token: Int64 = 0
  var dirtyRows: DirtyRows
  /// The frames that wait until the client can receive them.
  var outbox: [[UInt8]] = []
  /// The monotonic time of the first change that wasn't sent yet.
  var changedAt: UInt64?
  /// The monotonic time of the last sent frame.
  var lastSent: UInt64 = 0
  /// The monotonic time of its last evaluation.
  var lastEvaluated: UInt64 = 0
  /// Whether too much changed while the client received nothing, so that it must start again.
  var isLate = false
  /// Whether the query must run again although its changed rows are known.
  var mustRun = false
  /// Whether it is queued to run again.
  var isQueued = false
  /// Whether its rows take too long to be read on this thread, so that it starts again instead.
  var isLong = false
  /// Whether the current read is for an older schema.
  var mustRestart = false
  /// The changes to send after the current run by a reader.
  var running: DirtyRows?
  /// Whether the client knows the rows of ``token`` from changes that were found from rows, as others may too.
  var isInStep = false
  /// Whether the client was told to forget the rows that it had.
  var isForgotten = false
  /// The author whose transactions the client of a history excludes.
  var own: HistorySelection.Own?
  /// Whether there are transactions of ``own`` since the client's position.
  var hasOwn = false
  /// The number of transactions that wait for the client of a history.
  var waiting = 0
  /// Whether the client of a history was sent `live`.
  var isLiveReported = false
  /// The watched history; `nil` for a query.
  private(set) var history: LiveHistory?
  /// The number of the history's form.
  var historyForm = 0
  /// Whether it is a member of ``DirtyQueries``, and whether it is in their list.
  var isDirty = false
  var isListedAsDirty = false
  /// Whether ``LiveQueries`` has it.
  var isRegistered = false

  enum Stage {
    /// The existing rows are being read, or are still to be read.
    case beginning
    case live
  }

  /// The subject of the watch, compiled for a schema.
  enum CompiledSubject {
    case rows(LivePlan, LiveResult)
    case value(LiveValue)
    case history(LiveHistory)
  }

  init(_ watch: LiveWatch, _ frames: LiveFrames, _ subject: CompiledSubject, _ catalog: Catalog) {
    self.watch = watch
    self.catalog = catalog
    self.frames = frames
    self.subject = subject
    dirtyRows = DirtyRows(nodeCount: 1)
    dirtyRows = DirtyRows(nodeCount: dependencies.nodes.count)
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

  /// Whether knowing the changed rows is useless.
  var alwaysRuns: Bool {
    switch subject {
    case .rows(let plan, _): plan.isTimeDependent
    case .value(let value): !value.shared.keepsTotals
    case .history: true
    }
  }

  /// Examines the changed rows, to find their effect on the answer.
  func settleDirtyRows() { dirtyRows.settle(dependencies) }

  /// The names of the columns of the answer.
  var names: [String]? {
    switch subject {
    case .rows(let plan, _): plan.names
    case .value(let value): value.names
    case .history: nil
    }
  }

  /// Uses the query compiled for another schema.
  func adopt(_ fresh: CompiledSubject, _ catalog: Catalog) {
    self.catalog = catalog
    isInStep = false
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
    dirtyRows = DirtyRows(nodeCount: dependencies.nodes.count)
  }

  /// Whether the query must run again to find the changes.
  var needsRun: Bool {
    switch subject {
    case .rows(let plan, _): mustRun || dirtyRows.isUnknown || plan.isTimeDependent
    case .value(let value): dirtyRows.isUnknown || value.shared.totals == nil
    case .history: true
    }
  }

  /// Whether it watches the rows of a fetch.
  var hasRows: Bool {
    if case .rows = subject { true } else { false }
  }
}
