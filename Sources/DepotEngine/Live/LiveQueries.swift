internal import DepotLinux
package import DepotProtocol
internal import DepotSQLite
internal import Synchronization

/// Keeps the answers of watched queries up to date.
///
/// It has its own thread and connection. A commit only adds its changes to a queue; the thread
/// evaluates all queued commits together, in one snapshot.
package actor LiveQueries {
  let thread: WorkerThread
  private let path: String
  private let isFrozen: Bool
  let store: Store
  private let readers: ReaderPool
  private let feed: ChangeFeed
  /// The longest time in nanoseconds to run a count or groups on this thread.
  let patience: UInt64
  private(set) var openConnection: Connection?
  var queries: [ObjectIdentifier: LiveQuery] = [:]
  var index = LiveIndex()
  /// The answers that watches share.
  var answers = SharedAnswers<SharedAnswer>()
  /// The steps of rows that watches share.
  var rows = SharedAnswers<SharedRows>()
  /// Those of them that have a step.
  var steps: [SharedRows] = []
  nonisolated let lateness = WatchLateness()
  /// The number of watches, for other threads.
  nonisolated let watchCount = Atomic(0)
  /// The watches of histories.
  var histories: [LiveQuery] = []
  var sharedHistory = LiveHistory.Shared()
  /// The last commit whose changes are known.
  var known: Int64 = 0
  /// The queries to run again, in order.
  var runs: [ObjectIdentifier] = []
  /// The queries with changes to evaluate.
  var dirty = DirtyQueries()
  /// Whether the thread is scheduled to evaluate the remaining changes.
  private var isComingBack = false
  var barriers: [LiveBarrier] = []
  /// The last commit at the previous tick, if its changes weren't known then.
  private var missing: Int64?
  /// Whether the store publishes its commits.
  private var isListening = false
  private var isClosed = false

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    thread.asUnownedSerialExecutor()
  }

  /// Starts the thread.
  ///
  /// A count or groups may take `patience` nanoseconds on it; otherwise a reader runs them.
  package init(
    _ configuration: StoreConfiguration,
    store: Store,
    readers: ReaderPool,
    feed: ChangeFeed,
    patience: UInt64 = 2_000_000
  ) throws(DepotError) {
    do {
      thread = try WorkerThread(name: "depot-live")
    } catch {
      throw DepotError(.busy, "There are no more threads: \(error).")
    }
    path = configuration.path
    isFrozen = store.isReadOnly
    self.store = store
    self.readers = readers
    self.feed = feed
    self.patience = patience
  }

  // MARK: - From other threads

  /// Starts a watch.
  package nonisolated func begin(_ watch: LiveWatch) {
    thread.run { [self] in assumeIsolated { $0.start(watch) } }
  }

  /// Checks a watch again, because its client can receive more or has cancelled it.
  nonisolated func attend(_ watch: LiveWatch) {
    thread.run { [self] in assumeIsolated { $0.look(at: watch) } }
  }

  /// Waits until a connection has received all earlier commits.
  package nonisolated func add(_ barrier: LiveBarrier) {
    thread.run { [self] in
      assumeIsolated { live in
        do {
          var barrier = barrier
          barrier.target = max(try live.connection().historyHead(), live.known)
          live.barriers.append(barrier)
          live.takeCommits()
          live.evaluate()
          live.settleBarriers()
        } catch {
          barrier.completion(.failure(ReadEnd(error).error))
        }
      }
    }
  }

  /// Sends due bookmarks, and evaluates changes that the store didn't publish.
  package nonisolated func tick() {
    thread.run { [self] in assumeIsolated { $0.doWhatIsDue() } }
  }

  /// Ends all watches and the thread, and calls `completion` when the connection is closed.
  package nonisolated func close(
    reason: DepotError,
    completion: @escaping @Sendable () -> Void
  ) {
    thread.run { [self] in
      assumeIsolated { $0.finish(reason) }
      completion()
    }
    thread.stop()
  }

  // MARK: - On the thread

  func connection() throws -> Connection {
    try openConnection.getOrInsert {
      try Connection.reader(path: path, isFrozen: isFrozen, cacheKiB: 2048)
    }
  }

  var catalog: Catalog { store.catalog }

  private func start(_ watch: LiveWatch) {
    do {
      if isClosed { throw ReaderPool.draining }
      // Later cancellations arrive here, and an earlier one is noticed by the check.
      watch.begin(self)
      try watch.check()
      if queries.isEmpty { try beginListening() }
      let catalog = catalog
      let query = LiveQuery(
        watch,
        LiveFrames(reply: watch.reply, epochs: store.epochs),
        try subject(of: watch, in: catalog),
        catalog
      )
      try checkSince(query)
      // After registration, nothing may fail that would require removing it again.
      if query.history != nil { try beginHistory(query) }
      let key = ObjectIdentifier(watch)
      queries[key] = query
      query.isRegistered = true
      watchCount.store(queries.count, ordering: .relaxed)
      updateIndex(query, key, isAdded: true)
      if query.outbox.isEmpty { beginAnswer(query) } else { pump(query) }
    } catch {
      watch.end(ReadEnd(error).error)
      if queries.isEmpty { endListening() }
    }
  }

  func subject(
    of watch: LiveWatch,
    in catalog: Catalog
  ) throws(DepotError) -> LiveQuery.CompiledSubject {
    let request = watch.request
    let shape = SharedAnswer.Shape(
      subject: request.subject,
      form: watch.reply.int64,
      generation: catalog.generation
    )
    switch request.subject {
    case .fetch(let fetch):
      var plan = try watched("fetch") { () throws(DepotError) in try LivePlan(fetch, in: catalog) }
      plan.shared = rows.answer(shape, or: plan.shared)
      return .rows(plan, LiveResult([], order: plan.order, window: plan.window))
    case .count, .aggregate:
      var value = try LiveValue(request.subject, in: catalog)
      value.shared = answers.answer(shape, or: value.shared)
      return .value(value)
    case .history(let history):
      return .history(
        try watched("history") { () throws(DepotError) in try LiveHistory(history, in: catalog) }
      )
    }
  }

  private func beginListening() throws {
    isListening = true
    feed.listen { [self] in
      thread.run { [self] in assumeIsolated { $0.commitsCame() } }
    }
    store.interest.raise()
    // Commits in a snapshot taken from now on needn't be published.
    known = max(known, try connection().historyHead())
    sharedHistory.recent = RecentChanges(after: known)
  }

  func endListening() {
    guard isListening else { return }
    isListening = false
    sharedHistory.removeAll()
    store.interest.lower()
    feed.listen(nil)
    openConnection?.releaseMemory()
  }

  /// Starts to send the existing rows, or the answer, to the client.
  func beginAnswer(_ query: LiveQuery) {
    query.stage = .beginning
    query.mustRestart = false
    switch query.subject {
    case .rows:
      var request = query.watch.request
      // After a gap the client has no rows, so an update since its token wouldn't be enough.
      if query.isForgotten { request.since = nil }
      read(query, request)
    case .history where query.watch.request.since != nil: catchUp(query)
    case .value, .history: enqueueRun(query)
    }
  }

  /// Makes a reader send the first rows, or the changes that a client has missed.
  func read(_ query: LiveQuery, _ request: WatchRequest) {
    let (watch, box) = (query.watch, SnapshotBox())
    let read = LongRead(
      operation: .watch(request),
      catalog: query.catalog,
      control: watch.control,
      reply: watch.reply,
      client: watch.connection,
      allowance: 0,
      live: LongRead.Live(
        epochs: store.epochs,
        own: query.own,
        keepsTotals: !query.alwaysRuns
      ) { box.put($0) }
    ) { [self] frames, count, isLast in
      guard isLast else {
        watch.noteSent(count)
        return watch.deliver(frames, count, false)
      }
      let snapshot = box.take()
      if snapshot == nil {
        watch.end(frames)
      } else if count > 0 {
        watch.noteSent(count)
        watch.deliver(frames, count, false)
      }
      thread.run { [self] in assumeIsolated { $0.didRead(watch, snapshot) } }
    }
    watch.beginRead(read)
    readers.start(read)
  }

  private func didRead(_ watch: LiveWatch, _ snapshot: LiveSnapshot?) {
    guard let query = queries[ObjectIdentifier(watch)] else { return }
    watch.endRead()
    guard let snapshot else {
      forget(query)
      return settleBarriers()
    }
    switch query.subject {
    case .rows(let plan, _):
      if query.mustRestart { return restart(query, to: snapshot.token) }
      query.subject = .rows(
        plan,
        LiveResult(snapshot.entries, order: plan.order, window: plan.window)
      )
      goLive(query, at: snapshot.token)
    case .value: didReadValue(query, snapshot)
    case .history: didCatchUp(query, to: snapshot.token)
    }
    look(at: watch)
  }

  func goLive(_ query: LiveQuery, at token: Int64) {
    query.token = token
    query.isInStep = false
    query.stage = .live
    query.outbox.append(query.frames.plain("live", token: token))
    dirty.insert(query)
  }

  /// Starts from the beginning, because the client's state can't be updated.
  func restart(_ query: LiveQuery, to token: Int64) {
    if query.history != nil { return leaveOut(query, to: token) }
    query.outbox = [query.frames.gap(from: query.token, to: token)]
    query.isLate = false
    query.mustRun = false
    query.dirtyRows.removeAll()
    query.isForgotten = true
    query.mustRestart = true
    query.stage = .beginning
    look(at: query.watch)
  }

  private func look(at watch: LiveWatch) {
    guard let query = queries[ObjectIdentifier(watch)] else { return }
    // A running read notices its end itself.
    do throws(DepotError) {
      try watch.check()
    } catch {
      return end(query, error)
    }
    pump(query)
    if query.stage == .live {
      if !query.dirtyRows.isEmpty { dirty.insert(query) }
      // New commits may affect other queries, which have waited longer.
      if !dirty.isEmpty { comeBack() }
    }
    settleBarriers()
  }

  /// Schedules the evaluation of the remaining changes, together with newer commits.
  func comeBack() {
    guard !isComingBack else { return }
    isComingBack = true
    thread.run { [self] in
      assumeIsolated { live in
        live.isComingBack = false
        live.commitsCame()
      }
    }
  }

  /// Sends waiting frames, as far as the client can receive them.
  func pump(_ query: LiveQuery) {
    var sent = 0
    while sent < query.outbox.count, query.watch.hasRoom() {
      query.watch.send(query.outbox[sent])
      sent += 1
    }
    guard sent > 0 else { return }
    if sent < query.outbox.count { query.outbox.removeFirst(sent) } else { query.outbox = [] }
    query.lastSent = Monotonic.now()
    guard query.outbox.isEmpty else { return }
    if query.stage == .beginning, query.mustRestart { return beginAnswer(query) }
    if !query.dirtyRows.isEmpty { dirty.insert(query) }
  }

  func end(_ query: LiveQuery, _ error: DepotError) {
    forget(query)
    query.watch.end(error)
    settleBarriers()
  }

  private func forget(_ query: LiveQuery) {
    let key = ObjectIdentifier(query.watch)
    guard queries.removeValue(forKey: key) != nil else { return }
    watchCount.store(queries.count, ordering: .relaxed)
    answers.tidy(beyond: 2 * queries.count + 64)
    rows.tidy(beyond: 2 * queries.count + 64)
    updateIndex(query, key, isAdded: false)
    didForget(query)
    if queries.isEmpty { endListening() }
  }

  /// Records that a query isn't in ``queries`` any more.
  func didForget(_ query: LiveQuery) {
    query.isRegistered = false
    if query.history != nil { histories.removeAll { $0 === query } }
    dirty.forget(query)
  }

  // MARK: - Commits

  /// Evaluates the changes of queued commits.
  func commitsCame() {
    takeCommits()
    evaluate()
    settleBarriers()
  }

  /// Assigns the changes of queued commits to queries.
  func takeCommits() {
    let (commits, since) = feed.takeAll()
    // All commits are combined, so that each watch examines their changes only once.
    var merged = MergedCommits()
    for commit in commits {
      known = max(known, commit.token)
      if commit.isSchemaChange {
        for other in merged.takeAll() { note(other, since) }
        compileAll()
      } else {
        noteHistories(commit)
        if queries.count > histories.count { merged.add(commit) }
      }
    }
    for commit in merged.takeAll() { note(commit, since) }
  }

  private func note(_ commit: CommittedChanges, _ since: UInt64) {
    var concerned: Set<ObjectIdentifier> = []
    func note(_ interest: LiveIndex.Interest, isMany: Bool, _ body: (LiveQuery, Bool) -> Void) {
      guard let query = queries[interest.query] else { return }
      concerned.insert(interest.query)
      let isForeign = commit.connection != store.own(query.watch.connection)
      // If the whole query must run, its changed rows don't matter.
      guard isMany || query.alwaysRuns || query.dirtyRows.isUnknown else {
        return body(query, isForeign)
      }
      query.dirtyRows.isUnknown = true
      query.dirtyRows.isForeign = query.dirtyRows.isForeign || isForeign
    }
    index.match(commit) { interest, changes in
      note(interest, isMany: changes.isMany) {
        if changes.rows.count > 1 {
          $0.dirtyRows.add(changes, of: interest.node, isForeign: $1)
        } else {
          $0.dependencies.note(changes, of: interest.node, isForeign: $1, in: &$0.dirtyRows)
        }
      }
    } links: { interest, rows in
      note(interest, isMany: rows.isMany) {
        $0.dependencies.note(rows, of: interest.node, isForeign: $1, in: &$0.dirtyRows)
      }
    }
    for key in concerned {
      guard let query = queries[key], !query.dirtyRows.isEmpty else { continue }
      query.dirtyRows.add(author: commit.author)
      // While a client can't receive frames, the delay isn't the service's; the time starts later.
      if query.changedAt == nil { query.changedAt = since }
      // The rows of a count are examined at its evaluation, unless another watch has the answer by
      // then.
      if query.dirtyRows.bound > PathWalk.limit, query.hasRows || query.dirtyRows.isLong {
        query.dirtyRows.settle(query.dependencies)
      }
      if query.dirtyRows.count > PathWalk.limit {
        query.isLate =
          query.hasRows && query.stage == .live
          && (!query.outbox.isEmpty || !query.watch.hasRoom())
        query.dirtyRows.forgetRows()
      }
      dirty.insert(query)
    }
  }

  private func doWhatIsDue() {
    let now = Monotonic.now()
    for query in Array(queries.values) {
      guard let wait = query.watch.request.bookmarkMilliseconds, query.stage == .live,
        query.outbox.isEmpty, query.dirtyRows.isEmpty, query.running == nil,
        now - query.lastSent >= UInt64(wait) * 1_000_000
      else { continue }
      query.token = max(query.token, known)
      query.outbox.append(query.frames.plain("mark", token: query.token))
      pump(query)
    }
    if !dirty.isEmpty { catchUp() }
    settleBarriers()
  }

  /// Continues without the commits that the store didn't publish.
  private func catchUp() {
    let head: Int64
    do {
      head = try connection().historyHead()
    } catch {
      // The next tick asks again; ``missing`` is kept for it.
      return evaluate()
    }
    guard head > known else {
      missing = nil
      return evaluate()
    }
    if let missing, missing > known {
      known = missing
      for query in queries.values {
        query.dirtyRows.isUnknown = true
        query.dirtyRows.isForeign = true
        dirty.insert(query)
      }
      evaluate()
    }
    missing = head
  }

  private func finish(_ reason: DepotError) {
    isClosed = true
    for query in Array(queries.values) { end(query, reason) }
    for barrier in barriers { barrier.completion(.failure(reason)) }
    barriers = []
    openConnection = nil
  }
}
