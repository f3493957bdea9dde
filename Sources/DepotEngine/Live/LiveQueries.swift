internal import DepotLinux
package import DepotProtocol
internal import DepotSQLite
internal import Synchronization

/// Keeps the answers of watched queries up to date.
///
/// It has a thread and a connection of its own. A commit only leaves a note of what it changed; all that
/// came until the thread looks is evaluated at once, in one snapshot.
package actor LiveQueries {
  let thread: WorkerThread
  private let path: String
  private let isFrozen: Bool
  let store: Store
  private let readers: ReaderPool
  private let feed: ChangeFeed
  /// How long others wait for a query that is run on their thread, in nanoseconds.
  let patience: UInt64
  private(set) var openConnection: Connection?
  var queries: [ObjectIdentifier: LiveQuery] = [:]
  var index = LiveIndex()
  /// The answers that watches share.
  var answers = SharedAnswers()
  nonisolated let lateness = WatchLateness()
  /// How many watches there are, for other threads.
  nonisolated let watchCount = Atomic(0)
  /// The queries that are histories.
  var histories: [LiveQuery] = []
  var sharedHistory = LiveHistory.Shared()
  /// The last commit of which it is known what it changed.
  var known: Int64 = 0
  /// The queries that are to be run again, one after the other.
  var runs: [ObjectIdentifier] = []
  /// The queries with something to tell that isn't evaluated yet.
  var dirty = DirtyQueries()
  /// Whether the thread is scheduled to evaluate the rest.
  private var isComingBack = false
  var barriers: [LiveBarrier] = []
  /// The snapshot's token when it was ahead of what is known, at the last tick.
  private var missing: Int64?
  /// Whether the store makes known what it commits.
  private var isListening = false
  private var isClosed = false

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    thread.asUnownedSerialExecutor()
  }

  /// Starts the thread; `patience` is the nanoseconds that a count or groups may take on it before
  /// a reader does them.
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

  /// Begins to watch.
  package nonisolated func begin(_ watch: LiveWatch) {
    thread.run { [self] in assumeIsolated { $0.start(watch) } }
  }

  /// Looks at a watch again: its client has room, or wants no more.
  nonisolated func attend(_ watch: LiveWatch) {
    thread.run { [self] in assumeIsolated { $0.look(at: watch) } }
  }

  /// Waits until a connection was told of everything that was committed before.
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

  /// Does what is due now and then.
  package nonisolated func tick() {
    thread.run { [self] in assumeIsolated { $0.doWhatIsDue() } }
  }

  /// Ends all watches and the thread, which calls `completion` when the connection is closed.
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
    try openConnection.made {
      try Connection.reader(path: path, isFrozen: isFrozen, cacheKiB: 2048)
    }
  }

  var catalog: Catalog { store.catalog }

  private func start(_ watch: LiveWatch) {
    do {
      if isClosed { throw ReaderPool.draining }
      // A cancellation that comes from now on finds its way here, and one that came before is seen.
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
      // Once it is registered, nothing may fail that it would have to be forgotten for.
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
  ) throws(DepotError) -> LiveQuery.Subject {
    let request = watch.request
    switch request.subject {
    case .fetch(let fetch):
      let plan = try watched("fetch") { () throws(DepotError) in try LivePlan(fetch, in: catalog) }
      return .rows(plan, LiveResult([], order: plan.order, window: plan.window))
    case .count, .aggregate:
      var value = try LiveValue(request.subject, in: catalog)
      let shape = SharedAnswer.Shape(
        subject: request.subject,
        form: watch.reply.int64,
        generation: catalog.generation
      )
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
    // The commits in a snapshot that is taken from now on needn't be made known.
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

  /// Has the rows that there are sent to the client, or the answer.
  func beginAnswer(_ query: LiveQuery) {
    query.stage = .beginning
    query.mustRestart = false
    switch query.subject {
    case .rows:
      var request = query.watch.request
      // After a gap the client knows no rows that what it has missed could be added to.
      if query.isForgotten { request.since = nil }
      read(query, request)
    case .history where query.watch.request.since != nil: catchUp(query)
    case .value, .history: enqueueRun(query)
    }
  }

  /// Has what a watch begins with, or what a client has missed, read and sent.
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
    query.stage = .live
    query.outbox.append(query.frames.plain("live", token: token))
    dirty.insert(query)
  }

  /// Begins anew, because what the client knows can't be brought up to date.
  func restart(_ query: LiveQuery, to token: Int64) {
    if query.history != nil { return leaveOut(query, to: token) }
    query.outbox = [query.frames.gap(from: query.token, to: token)]
    query.isLate = false
    query.mustRun = false
    query.touches.removeAll()
    query.isForgotten = true
    query.mustRestart = true
    query.stage = .beginning
    look(at: query.watch)
  }

  private func look(at watch: LiveWatch) {
    guard let query = queries[ObjectIdentifier(watch)] else { return }
    // The read of the rows sees for itself that it is to end.
    do throws(DepotError) {
      try watch.check()
    } catch {
      return end(query, error)
    }
    pump(query)
    if query.stage == .live {
      if !query.touches.isEmpty { dirty.insert(query) }
      // What came meanwhile may concern others, who have waited longer.
      if !dirty.isEmpty { comeBack() }
    }
    settleBarriers()
  }

  /// Evaluates the rest, after newer commits are noted.
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

  /// Sends what waits, as far as the client has room.
  func pump(_ query: LiveQuery) {
    var sent = 0
    while sent < query.outbox.count, query.watch.hasRoom() {
      query.watch.send(query.outbox[sent])
      sent += 1
    }
    guard sent > 0 else { return }
    query.outbox.removeFirst(sent)
    query.lastSent = Monotonic.now()
    guard query.outbox.isEmpty else { return }
    if query.stage == .beginning, query.mustRestart { return beginAnswer(query) }
    if !query.touches.isEmpty { dirty.insert(query) }
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
    updateIndex(query, key, isAdded: false)
    didForget(query)
    if queries.isEmpty { endListening() }
  }

  /// Notes that a query isn't among ``queries`` any more.
  func didForget(_ query: LiveQuery) {
    query.isRegistered = false
    if query.history != nil { histories.removeAll { $0 === query } }
    dirty.forget(query)
  }

  // MARK: - Commits

  /// Evaluates what commits changed.
  func commitsCame() {
    takeCommits()
    evaluate()
    settleBarriers()
  }

  /// Notes what commits changed.
  func takeCommits() {
    let (commits, since) = feed.takeAll()
    // All that is there is looked at for each watch once, however many commits that are.
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
      // Once the whole query is to be run, its rows don't matter.
      guard isMany || query.alwaysRuns || query.touches.isUnknown else {
        return body(query, isForeign)
      }
      query.touches.isUnknown = true
      query.touches.isForeign = query.touches.isForeign || isForeign
    }
    index.match(commit) { interest, changes in
      note(interest, isMany: changes.isMany) {
        if changes.rows.count > 1 {
          $0.touches.add(changes, of: interest.node, isForeign: $1)
        } else {
          $0.dependencies.note(changes, of: interest.node, isForeign: $1, in: &$0.touches)
        }
      }
    } links: { interest, rows in
      note(interest, isMany: rows.isMany) {
        $0.dependencies.note(rows, of: interest.node, isForeign: $1, in: &$0.touches)
      }
    }
    for key in concerned {
      guard let query = queries[key], !query.touches.isEmpty else { continue }
      query.touches.add(author: commit.author)
      // One whose client has no room is late by itself, and begins to wait when it has.
      if query.changedAt == nil { query.changedAt = since }
      // The rows of a count are looked at when it is evaluated, if nobody else has found the same.
      if query.touches.bound > PathWalk.limit, query.hasRows || query.touches.isLong {
        query.touches.settle(query.dependencies)
      }
      if query.touches.count > PathWalk.limit {
        query.isLate =
          query.hasRows && query.stage == .live
          && (!query.outbox.isEmpty || !query.watch.hasRoom())
        query.touches.forgetRows()
      }
      dirty.insert(query)
    }
  }

  private func doWhatIsDue() {
    let now = Monotonic.now()
    for query in Array(queries.values) {
      guard let wait = query.watch.request.bookmarkMilliseconds, query.stage == .live,
        query.outbox.isEmpty, query.touches.isEmpty, query.running == nil,
        now - query.lastSent >= UInt64(wait) * 1_000_000
      else { continue }
      query.token = max(query.token, known)
      query.outbox.append(query.frames.plain("mark", token: query.token))
      pump(query)
    }
    if !dirty.isEmpty { catchUp() }
    settleBarriers()
  }

  /// Goes on without what the store didn't make known.
  private func catchUp() {
    guard let head = try? connection().historyHead(), head > known else {
      missing = nil
      return evaluate()
    }
    if let missing, missing > known {
      known = missing
      for query in queries.values {
        query.touches.isUnknown = true
        query.touches.isForeign = true
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
