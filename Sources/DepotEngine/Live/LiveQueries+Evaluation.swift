internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// Evaluates queries in one snapshot.
extension LiveQueries {
  /// The most bytes of rows to keep until a client can receive them; a single row may have more.
  private static let changeBytes = 4 << 20

  /// The time in nanoseconds after which an evaluation of queries pauses for other work.
  private static let slice: UInt64 = 5_000_000

  /// Evaluates the changes of queries whose clients can receive frames.
  ///
  /// The least recently evaluated query is first, so that a query with few changes doesn't wait for
  /// queries with constant changes. The rest is evaluated later, together with newer commits.
  func evaluate() {
    defer { forgetSteps() }
    guard !dirty.isEmpty else { return }
    var ready: [LiveQuery] = []
    for query in dirty.all() where query.isDirty {
      guard isReady(query) else {
        dirty.remove(query)
        continue
      }
      if query.isLate || query.mustRestart {
        restart(query, to: known)
      } else if query.needsRun, query.history == nil {
        enqueueRun(query)
      } else {
        ready.append(query)
        continue
      }
      dirty.remove(query)
    }
    guard !ready.isEmpty else { return }
    if ready.count > 1 { ready.sort { $0.lastEvaluated < $1.lastEvaluated } }
    do {
      try evaluate(ready)
      endSnapshot()
    } catch {
      for query in ready { end(query, ReadEnd(error).error) }
    }
  }

  /// Evaluates queries one after the other, sharing a snapshot if they need one.
  private func evaluate(_ ready: [LiveQuery]) throws {
    var snapshot: Int64?
    let begin = Monotonic.now()
    var now = begin
    for query in ready where query.isRegistered {
      guard now - begin < Self.slice else { return comeBack() }
      defer { now = Monotonic.now() }
      do {
        if try sendRecent(query) {
          dirty.remove(query)
          query.lastEvaluated = now
          continue
        }
      } catch {
        end(query, ReadEnd(error).error)
        continue
      }
      guard let token = try snapshot ?? beginSnapshot() else { return }
      snapshot = token
      dirty.remove(query)
      query.lastEvaluated = now
      do {
        try evaluate(query, at: token)
      } catch {
        end(query, ReadEnd(error).error)
      }
    }
  }

  private func isReady(_ query: LiveQuery) -> Bool {
    pump(query)
    return query.stage == .live && query.outbox.isEmpty && !query.dirtyRows.isEmpty
      && query.running == nil && query.watch.hasRoom()
  }

  /// Begins a snapshot whose commits are all known, and returns its token.
  ///
  /// It is `nil` if there was a commit whose changes aren't known yet.
  private func beginSnapshot() throws -> Int64? {
    try connection().run("BEGIN")
    do {
      let head = try connection().historyHead()
      let wasKnown = head <= known
      if !wasKnown {
        takeCommits()
        // The received commits may affect other queries too.
        thread.run { [self] in assumeIsolated { $0.commitsCame() } }
      }
      // Otherwise the received commits may be newer than the snapshot.
      if wasKnown || head == known { return known }
    } catch {
      endSnapshot()
      throw error
    }
    endSnapshot()
    return nil
  }

  private func endSnapshot() {
    if let openConnection, openConnection.isInTransaction { try? openConnection.run("COMMIT") }
  }

  private func evaluate(_ query: LiveQuery, at token: Int64) throws {
    if let history = query.history { return try runHistory(query, history, at: token) }
    if query.needsRun { return enqueueRun(query) }
    guard case .rows(let plan, var result) = query.subject else {
      return try updateValue(query, at: token)
    }
    if takeStep(query, plan, at: token) { return }
    query.settleDirtyRows()
    let walk = try PathWalk(dependencies: plan.dependencies, connection: connection())
    guard let changedRows = try walk.changedRows(query.dirtyRows) else {
      query.dirtyRows.forgetRows()
      return enqueueRun(query)
    }
    let rows =
      try changedRows.isEmpty
      ? [:] : hurrying { try read(Array(changedRows.keys), plan, query) } ?? nil
    guard let rows else { return restart(query, to: token) }
    // A second reference to the result would make each change copy it.
    query.subject = .rows(plan, LiveResult([], order: plan.order, window: plan.window))
    let difference = result.apply(changedRows, rows) {
      plan.dependencies.membership.isAffected(by: $0)
    }
    query.subject = .rows(plan, result)
    guard let difference else {
      query.mustRun = true
      return enqueueRun(query)
    }
    try send(difference, changedRows, plan, query, at: token)
  }

  /// Returns those among some rows that satisfy a query; `nil` if they are too large to keep.
  private func read(
    _ identifiers: [Int64],
    _ plan: LivePlan,
    _ query: LiveQuery
  ) throws -> [Int64: LiveResult.Row]? {
    var rows: [Int64: LiveResult.Row] = [:]
    var byteCount = 0
    let statement = try connection().prepared(plan.statement(for: identifiers))
    defer { statement.reset() }
    while try statement.step() {
      let row = try row(of: statement, plan, query)
      byteCount += row.json.count
      if byteCount > Self.changeBytes, !rows.isEmpty { return nil }
      rows[row.entry.identifier] = row
    }
    return rows
  }

  private func row(
    of statement: Statement,
    _ plan: LivePlan,
    _ query: LiveQuery
  ) throws -> LiveResult.Row {
    let json = try plan.stream.form.writing.bytes(
      of: statement.row,
      int64: query.watch.reply.int64
    )
    let entry = LiveEntry(statement.row, plan.keys, json: json[...])
    return LiveResult.Row(entry: entry, json: json)
  }

  /// Sends the changes to the client, and advances its position.
  private func send(
    _ difference: LiveDifference,
    _ changedRows: [Int64: RowChangeSummary]?,
    _ plan: LivePlan,
    _ query: LiveQuery,
    at token: Int64
  ) throws {
    var difference = difference
    if !query.watch.request.echoes {
      let isForeign =
        query.dirtyRows.isForeign || changedRows?.values.contains(where: \.isForeign) ?? false
      difference.placed.removeAll { !(changedRows?[$0.identifier]?.isForeign ?? isForeign) }
      difference.removed.removeAll { !(changedRows?[$0.identifier]?.isForeign ?? isForeign) }
    }
    let author = query.dirtyRows.author
    let from = query.isInStep && wantsAll(query) ? query.token : nil
    let bodies =
      difference.isEmpty
      ? []
      : try query.frames.changes(
        difference,
        LiveFrames.Head(token: token, author: author),
        properties: { plan.dependencies.properties(changedBy: changedRows?[$0]) },
        related: { identifiers in
          var run = try PrefetchRun(connection(), query.watch.reply, byteLimit: 1 << 20)
          return try run.related(plan.stream.form.prefetch, of: identifiers)
        },
        hasRelated: !plan.stream.form.prefetch.isEmpty
      )
    if let from, case .rows(_, let result) = query.subject, !plan.isTimeDependent,
      result.count <= SharedRows.rowLimit
    {
      plan.shared.note(SharedRows.Step(from: from, to: token, result: result, bodies: bodies))
      steps.append(plan.shared)
    }
    tell(query, bodies, at: token)
  }

  /// Sends the client a difference that was found for an equal watch.
  ///
  /// - Returns: Whether there is one between the same snapshots.
  private func takeStep(_ query: LiveQuery, _ plan: LivePlan, at token: Int64) -> Bool {
    guard query.isInStep, let step = plan.shared.step, step.from == query.token, step.to == token,
      wantsAll(query)
    else { return false }
    query.subject = .rows(plan, step.result)
    tell(query, step.bodies, at: token)
    return true
  }

  /// Whether a client gets all changes: it wants its own, or it has made none of them.
  private func wantsAll(_ query: LiveQuery) -> Bool {
    query.watch.request.echoes || query.dirtyRows.isAllForeign
  }

  /// Hands changes over, and notes that the client knows.
  private func tell(_ query: LiveQuery, _ bodies: [[UInt8]], at token: Int64) {
    query.dirtyRows.removeAll()
    query.mustRun = false
    query.token = token
    query.isInStep = true
    let since = query.changedAt
    query.changedAt = nil
    guard !bodies.isEmpty else { return }
    if let since { lateness.note(since: since) }
    query.outbox = bodies.map(query.frames.change)
    pump(query)
  }

  /// Forgets the steps when nobody is left who may take them.
  private func forgetSteps() {
    guard dirty.isEmpty, runs.isEmpty else { return }
    for shared in steps { shared.step = nil }
    steps = []
  }

  // MARK: - Running again

  /// Schedules a new run of the query, after the others.
  func enqueueRun(_ query: LiveQuery) {
    guard !query.isQueued else { return }
    query.isQueued = true
    runs.append(ObjectIdentifier(query.watch))
    if runs.count == 1 { thread.run { [self] in assumeIsolated { $0.runNext() } } }
  }

  private func runNext() {
    guard let key = runs.first else { return }
    runs.removeFirst()
    if let query = queries[key] {
      query.isQueued = false
      do {
        try run(query)
      } catch {
        end(query, ReadEnd(error).error)
      }
    }
    if !runs.isEmpty { thread.run { [self] in assumeIsolated { $0.runNext() } } }
    forgetSteps()
    settleBarriers()
  }

  private func run(_ query: LiveQuery) throws {
    let isFirst = query.stage == .beginning
    guard query.running == nil else { return }
    guard query.outbox.isEmpty, isFirst || query.watch.hasRoom() else {
      dirty.insert(query)
      return
    }
    guard let token = try beginSnapshot() else {
      // The changes in the snapshot will be known soon.
      if isFirst { return enqueueRun(query) }
      dirty.insert(query)
      return
    }
    defer { endSnapshot() }
    // Compiling for a new schema may have ended the query meanwhile.
    guard query.isRegistered else { return }
    if isFirst { try fit(query) }
    switch query.subject {
    case .rows(let plan, let result):
      if query.mustRestart || query.isLate { return restart(query, to: token) }
      if takeStep(query, plan, at: token) { return }
      try runRows(query, plan, result, at: token)
    case .value(let value):
      try runValue(query, value, at: token)
    case .history(let history):
      try runHistory(query, history, at: token)
    }
  }

  private func runRows(
    _ query: LiveQuery,
    _ old: LivePlan,
    _ result: LiveResult,
    at token: Int64
  ) throws {
    if !query.isLong {
      let isDone = try hurrying { try runRowsInTime(query, old, result, at: token) } != nil
      if isDone { return }
    }
    query.isLong = true
    restart(query, to: token)
  }

  /// Reads rows on this thread, which all queries wait for, with a time limit.
  ///
  /// - Returns: `nil` if it takes too long; then a reader with time slices must read the rows.
  private func hurrying<Result>(_ body: () throws -> Result) throws -> Result? {
    let end = Monotonic.now() + Self.rowPatience
    let connection = try connection()
    connection.watch(every: 1000, ProgressCheck { Monotonic.now() > end })
    defer { connection.unwatch() }
    do {
      return try body()
    } catch {
      guard case .interrupted = ReadEnd(error) else { throw error }
      return nil
    }
  }

  /// The longest time in nanoseconds to read the rows of one query on this thread.
  private static let rowPatience: UInt64 = 100_000_000

  private func runRowsInTime(
    _ query: LiveQuery,
    _ old: LivePlan,
    _ result: LiveResult,
    at token: Int64
  ) throws {
    let plan = try old.isTimeDependent ? LivePlan(old.request, in: query.catalog) : old
    var changedRows: [Int64: RowChangeSummary]?
    if !query.dirtyRows.isUnknown {
      query.settleDirtyRows()
      let walk = try PathWalk(dependencies: plan.dependencies, connection: connection())
      changedRows = try walk.changedRows(query.dirtyRows)
    }
    // It is then unknown which rows have changed related rows.
    let isEveryRowNew = changedRows == nil && !plan.stream.form.prefetch.isEmpty
    var result = result
    var snapshot = LiveSnapshot(token: token)
    var json: [Int64: [UInt8]] = [:]
    var byteCount = 0
    let statement = try connection().prepared(plan.stream.statement)
    defer { statement.reset() }
    while try statement.step() {
      let row = try row(of: statement, plan, query)
      try snapshot.add(row.entry)
      let identifier = row.entry.identifier
      if isEveryRowNew || result.isNew(row.entry, summary: changedRows?[identifier]) {
        byteCount += row.json.count
        if byteCount > Self.changeBytes, !json.isEmpty { return restart(query, to: token) }
        json[identifier] = row.json
      }
    }
    let difference = result.replace(snapshot.entries, json)
    query.subject = .rows(plan, result)
    try send(difference, changedRows, plan, query, at: token)
  }
}
