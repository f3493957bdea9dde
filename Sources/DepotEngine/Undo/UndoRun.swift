internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// The result of an undo or a redo.
struct UndoOutcome {
  /// The first transactions that were undone.
  let tokens: [HistoryToken]
  /// The number of all that were undone.
  let count: Int
  /// The policy's decisions about later changes, up to a limit.
  let conflicts: [RowConflict]

  init(_ tokens: [Int64], count: Int, _ conflicts: [RowConflict], _ epochs: EpochChain) {
    self.tokens = tokens.map(epochs.token)
    self.count = count
    self.conflicts = Array(conflicts.prefix(ChunkProgress.conflictLimit))
  }
}

/// Undoes transactions, or redoes undone ones, in one transaction.
struct UndoRun {
  let writer: Writer
  let entities: EntityWriters
  let request: UndoRequest
  let write: WriteRequest
  var isRedo = false

  private var connection: Connection { writer.connection }

  /// Undoes the transactions.
  func run(_ effect: inout WriteEffect) throws -> UndoOutcome {
    let bounds = try HistoryBounds(on: connection)
    var selection = UndoSelection(
      bounds: bounds,
      isRedo: isRedo,
      connection: connection,
      control: write.control
    )
    let tokens = try selection.tokens(request.target, author: write.author)
    let name = isRedo ? "redo" : "undo"
    if let first = tokens.first { writer.recorder.setKind("\(name):\(first)") }
    var conflicts: [RowConflict] = []
    // A row deleted by this request isn't in the history yet.
    var versions: [Inverse.Key: Int64]? = tokens.count > 1 ? [:] : nil
    for token in tokens {
      try write.control.check()
      conflicts += try undo(token, bounds, &versions, &effect)
    }
    for token in tokens.dropFirst() { try writer.recorder.addKind("\(name):\(token)") }
    return UndoOutcome(tokens, count: tokens.count, conflicts, bounds.epochs)
  }

  /// Undoes some transactions of a group, last first; returns whether none are left.
  ///
  /// It ends after a short time, but undoes each transaction completely.
  func runPart(_ progress: inout ChunkProgress, _ effect: inout WriteEffect) throws -> Bool {
    let bounds = try HistoryBounds(on: connection)
    var selection = UndoSelection(
      bounds: bounds,
      isRedo: isRedo,
      connection: connection,
      control: write.control
    )
    let isFirst = progress.after == nil
    let unit =
      try isFirst
      ? selection.unit(request.target, author: write.author) : selection.unit(of: progress.through)
    progress.through = unit.token
    progress.group = unit.group
    let name = isRedo ? "redo" : "undo"
    var group = try progress.after.flatMap { try selection.groupOfUndo(of: $0) }
    var versions: [Inverse.Key: Int64]? = [:]
    var undone: [Int64] = []
    let end = Monotonic.now() + ChunkedWrite.duration
    var isLast = false
    repeat {
      try write.control.check()
      guard let token = try selection.member(of: unit, before: progress.after ?? .max) else {
        isLast = true
        break
      }
      progress.after = token
      guard try selection.isEffective(token) else {
        group = try group ?? selection.groupOfUndo(of: token)
        continue
      }
      try selection.checkNames(of: token)
      if undone.isEmpty {
        writer.recorder.setKind("\(name):\(token)")
        if unit.group != nil, write.group == nil {
          let next = writer.recorder.history.lastIdentifier + 1
          writer.recorder.setGroup(group ?? "\(name)-\(next)")
        }
      }
      let conflicts = try undo(token, bounds, &versions, &effect)
      progress.add(conflicts)
      undone.append(token)
    } while Monotonic.now() < end
    if isLast, isFirst, undone.count < 2, group == nil { writer.recorder.setGroup(write.group) }
    for token in undone.dropFirst() { try writer.recorder.addKind("\(name):\(token)") }
    progress.identifiers += undone.prefix(max(0, Self.reportedCount - progress.done))
    progress.done += undone.count
    guard !isLast || progress.done > 0 else {
      throw DepotError(
        .alreadyUndone,
        "The whole group is \(isRedo ? "redone" : "undone") already."
      )
    }
    return isLast
  }

  /// The most undone transactions named in the answer.
  private static let reportedCount = 1000

  /// Undoes one transaction; returns the conflicts resolved by the policy.
  private func undo(
    _ token: Int64,
    _ bounds: HistoryBounds,
    _ versions: inout [Inverse.Key: Int64]?,
    _ effect: inout WriteEffect
  ) throws -> [RowConflict] {
    let pages = try UndoPages(of: token, bounds, entities.catalog, on: connection)
    if pages.canBeSliced { return try undo(token, inSlicesOf: pages, bounds, &versions, &effect) }
    guard let inverse = try pages.inverse(writer.configuration.undo, write.control) else {
      return try undo(token, inPartsOf: pages, bounds, &versions, &effect)
    }
    // An undo has only changes that the history keeps, so if it has none, it changed nothing.
    guard !inverse.isEmpty || isRedo || !hasUnkeptEntities else {
      throw DepotError(
        .historyNoValues,
        "The history keeps no changes of \(bounds.token(token))."
      )
      .hint("Give the entities \"history\": \"values\" in the schema.")
    }
    let policy = request.policy ?? .error
    let plan = try UndoPlan(inverse, of: token, policy, past(bounds), versions ?? [:])
    if let refusal = plan.refusal { throw refusal }
    try versions?.merge(plan.deletedVersions()) { $1 }
    try apply(plan, &effect)
    return plan.conflicts.list
  }

  /// Undoes a transaction with independent rows in slices, so that memory is limited.
  ///
  /// It returns the conflicts resolved by the policy.
  private func undo(
    _ token: Int64,
    inSlicesOf pages: UndoPages,
    _ bounds: HistoryBounds,
    _ versions: inout [Inverse.Key: Int64]?,
    _ effect: inout WriteEffect
  ) throws -> [RowConflict] {
    let policy = request.policy ?? .error
    var conflicts = UndoConflicts()
    let past = past(bounds)
    try pages.forEachSlice { inverse in
      try write.control.check()
      let plan = try UndoPlan(inverse, of: token, policy, past, versions ?? [:])
      conflicts.add(plan.conflicts)
      // After a conflict nothing is undone; the remaining ones are only searched to be reported.
      guard policy != .error || conflicts.count == 0 else { return }
      try versions?.merge(plan.deletedVersions()) { $1 }
      try apply(plan, &effect)
    }
    if policy == .error, let refusal = conflicts.refusal(token, bounds) { throw refusal }
    return conflicts.list
  }

  /// Undoes a large transaction with related rows in parts; returns the conflicts resolved by the
  /// policy.
  ///
  /// The parts are written as one save: all deleted rows release their unique values first, rows
  /// refer to rows of later parts, and the rules are checked at the end.
  private func undo(
    _ token: Int64,
    inPartsOf pages: UndoPages,
    _ bounds: HistoryBounds,
    _ versions: inout [Inverse.Key: Int64]?,
    _ effect: inout WriteEffect
  ) throws -> [RowConflict] {
    let (policy, past, earlier) = (request.policy ?? .error, past(bounds), versions ?? [:])
    let parts = UndoParts()
    func forEachPlan(ofLinks isOfLinks: Bool, _ body: (UndoPlan) throws -> Void) throws {
      try pages.forEachPart(writer.configuration.undo, ofLinks: isOfLinks, write.control) {
        try body(UndoPlan($0, of: token, policy, past, earlier, parts))
      }
    }
    var conflicts = UndoConflicts()
    try forEachPlan(ofLinks: false) { plan in
      conflicts.add(plan.conflicts)
      parts.add(plan.deletions)
      try versions?.merge(plan.deletedVersions()) { $1 }
    }
    try forEachPlan(ofLinks: true) { conflicts.add($0.conflicts) }
    if policy == .error, let refusal = conflicts.refusal(token, bounds) { throw refusal }
    parts.isSearching = false
    let save = UndoSave(self, parts)
    try save.write(deleting: parts.deletions, &effect) { isOfLinks, write in
      try forEachPlan(ofLinks: isOfLinks, write)
    }
    return conflicts.list
  }

  private func past(_ bounds: HistoryBounds) -> PastReader {
    PastReader(connection, entities.catalog, bounds) { _ in try write.control.check() }
  }

  private func apply(_ plan: UndoPlan, _ effect: inout WriteEffect) throws {
    let deletions = Dictionary(grouping: plan.deletions, by: \.entity)
      .mapValues { $0.map(\.key.identifier) }
    try UndoSave(self).write(deleting: deletions, &effect) { _, write in try write(plan) }
  }

  /// Whether a transaction without changes may have changed rows that the history doesn't record.
  private var hasUnkeptEntities: Bool {
    let schema = entities.catalog.schema
    return schema.entities.contains { schema.historyPolicy(of: $0) == .none }
  }
}
