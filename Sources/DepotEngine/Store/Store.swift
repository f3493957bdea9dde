package import DepotLinux
package import DepotProtocol
internal import DepotSQLite
internal import Glibc
internal import Synchronization

/// The owner of the only writing connection, which also makes all checkpoints.
///
/// It runs on its own thread, and executes waiting requests together in one transaction (group
/// commit).
package actor Store {
  private let thread: WorkerThread
  private let writeQueue = WriteQueue()
  private let published: Published
  /// The wait for the store's cluster; `nil` if the store isn't in one.
  private nonisolated let turn: ClusterTurn?
  /// The lock on the store, held until the file is closed.
  private var lock: FileLock?
  /// The lock on the store, so that the caller can hold it longer; `nil` after its release.
  package nonisolated weak let heldLock: FileLock?
  private let configuration: StoreConfiguration
  private let onCommit: @Sendable ([WriteOutcome]) -> Void
  private let onChanges: @Sendable ([CommittedChanges]) -> Void
  private let onFatal: @Sendable (DepotError) -> Void
  /// The writer; `nil` for a read-only store, and after the store was closed or failed.
  private var writer: Writer?
  private var checkpointing: CheckpointPolicy
  private var logRoom: WALSpace
  /// The last commit of another service that ``catchUp(to:)`` must apply; 0 if there is none.
  private nonisolated let newest = Atomic<Int64>(0)
  /// The monotonic time of the last submitted write, if the store is in a cluster.
  private nonisolated let lastWrite = Atomic<UInt64>(0)
  /// The feed of other services' commits; `nil` if the store isn't in a cluster.
  private var feed: ClusterFeed?
  /// Whether the next step of deleting history is already queued.
  private var isPurging = false
  /// The unique identifier of the store.
  package nonisolated let storeIdentifier: String
  /// Whether the store is read-only, because that was requested or because it can't be written.
  package nonisolated let isReadOnly: Bool
  /// The store's writer epochs, including the current one.
  nonisolated var epochs: EpochChain { published.epochs.withLock { $0 } }
  /// Whether `onChanges` must be called.
  package nonisolated let interest: ChangeInterest

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    thread.asUnownedSerialExecutor()
  }

  /// Opens the store, which is created if it is missing, and verifies its files.
  ///
  /// A read-only store must exist; submit no writes to it.
  ///
  /// - Parameters:
  ///   - configuration: The store's path and options.
  ///   - lock: The lock on its file, if this process has it.
  ///   - onCommit: Receives the outcomes of requests, on the store's thread, when they are on disk;
  ///     an empty array for a commit of a chunk that others follow.
  ///   - onChanges: Receives committed transactions, on the store's thread, before the outcomes are
  ///     delivered, while ``interest`` is raised: in their order, without any that changed nothing.
  ///   - onFatal: Is called once, on the store's thread, if the disk's content is unknown from now
  ///     on; the process must then end without another answer to a write.
  /// - Throws: ``DepotError`` `unavailable.busy` if another process has the store,
  ///   `storage.corrupt` if it is damaged, and others of class `storage` and `unavailable`.
  package init(
    configuration: StoreConfiguration,
    lock: FileLock? = nil,
    onCommit: @escaping @Sendable ([WriteOutcome]) -> Void,
    onChanges: @escaping @Sendable ([CommittedChanges]) -> Void = { _ in },
    onFatal: @escaping @Sendable (DepotError) -> Void
  ) throws(DepotError) {
    let opened = try StoreOpening(configuration, lock).open()
    do {
      thread = try WorkerThread(name: "depot-store")
    } catch {
      throw DepotError(.busy, "The store's thread can't start: \(error).")
    }
    self.configuration = configuration
    self.onCommit = onCommit
    self.onChanges = onChanges
    self.onFatal = onFatal
    self.lock = opened.lock
    heldLock = opened.lock
    storeIdentifier = opened.identifier
    let pageSize = opened.writer?.connection.pageSize ?? DatabaseHeader.newPageSize
    checkpointing = CheckpointPolicy(limitPages: configuration.walLimitBytes / pageSize)
    logRoom = WALSpace(configuration, pageSize: pageSize)
    published = Published(opened.catalog, opened.epochs, opened.writer?.commitTarget?.state)
    interest = opened.interest
    service = opened.writer?.commitTarget?.service ?? 0
    turn = opened.writer?.commitTarget?.turn
    isReadOnly = opened.writer == nil
    let isLasting = opened.writer != nil && !configuration.isInMemory
    keptFiles = isLasting ? StoreFiles(configuration.path).kept : []
    writer = opened.writer
    if isReadOnly { return }
    thread.run { [self] in
      assumeIsolated { store in
        store.logRoom.grow(pages: 0)
        store.listen()
      }
    }
  }

  /// The number of this service in the store's cluster; 0 if the store isn't in one.
  private nonisolated let service: Int64

  /// Returns a number for a connection of this service that is unique among all services.
  nonisolated func own(_ connection: Int64) -> Int64 {
    WriteRequest.connections(of: service).lowerBound | connection
  }

  /// Starts to receive commits of other services, for a store in a cluster.
  private func listen() {
    guard let commitTarget = writer?.commitTarget else { return }
    do throws(SystemError) {
      let feed = try ClusterFeed(
        commitTarget.address,
        onForeignCommit: { [weak self] last in self?.catchUp(to: last) ?? false },
        onBase: { [weak self] in self?.didWriteBase($0, missing: $1) }
      )
      feed.note(commitTarget.sequence)
      self.feed = feed
    } catch {
      // Without the feed, commits of other services would not be noticed.
      onFatal(DepotError(.busy, "The feed of the store's cluster can't start: \(error)."))
    }
  }

  private nonisolated func didWriteBase(_ sequence: Int64?, missing pages: Set<UInt32>) {
    thread.run { [self] in
      assumeIsolated { $0.writer?.commitTarget?.didWriteBase(sequence, missing: pages) }
    }
  }

  /// Submits writes; each of them gets one outcome through `onCommit`.
  ///
  /// The writes of a connection are executed in this order, after earlier ones. Only a chunked
  /// write lets later ones overtake it: to prevent that, submit them after its outcome.
  package nonisolated func submit(_ writes: [WriteRequest]) {
    if service != 0 {
      lastWrite.store(Monotonic.now(), ordering: .relaxed)
      for write in writes { write.connection = own(write.connection) }
    }
    if writeQueue.add(writes) { thread.run { [self] in assumeIsolated { $0.drain() } } }
  }

  /// Returns the running writes, and at most so many of the waiting ones.
  package nonisolated func survey(most: Int) -> WriteSurvey {
    var survey = writeQueue.survey(most: most)
    survey.clusterWait = turn?.since
    return survey
  }

  /// Withdraws waiting writes, including ones with remaining chunks, and returns their outcomes.
  ///
  /// The outcomes are the given errors, by the writes' tokens. A write that is being executed isn't
  /// withdrawn.
  package nonisolated func withdraw(_ errors: [UInt64: DepotError]) -> [WriteOutcome] {
    writeQueue.withdraw(Set(errors.keys)).compactMap { entry in
      errors[entry.request.token].map(entry.outcome)
    }
  }

  /// The files that must stay at their paths while the store is open; empty for one in memory.
  package nonisolated let keptFiles: [KeptFile]

  /// The current schema of the store.
  package nonisolated var catalog: Catalog { published.catalog.withLock { $0 } }

  package nonisolated var statistics: StoreStatistics { statistics { $0 } }

  /// Returns a value from the statistics, without a copy of the rest.
  package nonisolated func statistics<Value>(_ read: (StoreStatistics) -> Value) -> Value {
    published.statistics.withLock { read($0) }
  }

  /// Executes all submitted writes, empties the log, and closes the file.
  ///
  /// All readers must be closed before. Writes that are submitted later are ignored.
  package nonisolated func close(completion: @escaping @Sendable () -> Void) {
    writeQueue.close()
    thread.run { [self] in
      assumeIsolated { $0.finish() }
      completion()
      thread.stop()
    }
  }

  /// Frees the cached pages that writes would use again.
  package nonisolated func giveBackMemory() {
    thread.run { [self] in assumeIsolated { $0.writer?.connection.releaseMemory() } }
  }

  /// Copies the log into the database now, instead of when it is due.
  package nonisolated func checkpoint() {
    thread.run { [self] in
      assumeIsolated { store in
        guard let writer = store.writer else { return }
        do throws(SQLiteError) {
          try store.copyLog(writer)
        } catch {
          store.fail(error)
        }
      }
    }
  }

  /// Applies and publishes other services' commits in a cluster, up to a given one at least.
  ///
  /// - Returns: Whether they are needed soon: by a watcher, or by the next write of this service if
  ///   it had one in the last second. A lock without commits to apply is shorter, so others can
  ///   write sooner.
  private nonisolated func catchUp(to last: Int64) -> Bool {
    // This is read before the commit is queued, so that a write in between isn't missed.
    let isWriting = Monotonic.now() < lastWrite.load(ordering: .relaxed) + 1_000_000_000
    let isAwaited = isWriting || interest.isRaised
    guard newest.max(last, ordering: .sequentiallyConsistent).oldValue == 0 else {
      return isAwaited
    }
    thread.run { [self] in
      assumeIsolated { store in
        let last = store.newest.exchange(0, ordering: .sequentiallyConsistent)
        // It may be this service's own commit, or a write may already have applied it.
        if store.writer?.commitTarget.map({ $0.sequence < last || $0.hasForeignCommits }) ?? false {
          store.takeForeignCommits()
        }
      }
    }
    return isAwaited
  }

  /// Waits for other services' commits, so that the tokens of their clients can be used here.
  ///
  /// - Returns: Whether other services may have committed something.
  package nonisolated func waitForForeignCommits() -> Bool {
    guard service != 0, let signal = try? WakeSignal(isBlocking: false) else { return false }
    thread.run { [self] in
      assumeIsolated { $0.takeForeignCommits() }
      signal.signal()
    }
    signal.descriptor.waitUntilReadable(milliseconds: 5000)
    return true
  }

  private func takeForeignCommits() {
    guard let writer, !writeQueue.isClosed else { return }
    do throws(SQLiteError) {
      if try writer.catchUp() { try makeKnown(writer) }
    } catch {
      // If the cluster can't be reached, it is tried again later.
      if error.kind != .refused { fail(error) }
    }
  }

  /// Deletes expired history, in small steps between writes.
  package nonisolated func purgeHistory() {
    thread.run { [self] in assumeIsolated { $0.purge() } }
  }

  private func purge() {
    isPurging = false
    guard let writer, writer.prepared == nil else { return }
    do {
      let hasMore = try writer.purgeHistory()
      // The purge may have applied commits of other services.
      try makeKnown(writer)
      if hasMore { purgeLater() }
    } catch {
      fail(error)
    }
  }

  /// Queues the next step after waiting writes.
  private func purgeLater() {
    guard !isPurging, !writeQueue.isClosed else { return }
    isPurging = true
    purgeHistory()
  }

  private func drain() {
    while let writer, let entry = writeQueue.take(isPrepared: writer.prepared != nil) {
      do {
        switch entry {
        case .chunks(let write): try runChunk(of: write, writer)
        case .request(let request) where request.phase == .whole: try run(request, writer)
        case .request(let request): try runPhase(request, writer)
        }
      } catch {
        fail(error)
      }
    }
  }

  /// Prepares a transaction, or commits or undoes the prepared one.
  private func runPhase(_ request: WriteRequest, _ writer: Writer) throws(SQLiteError) {
    let outcome = try writer.runPhase(request)
    publish(writer)
    // A prepared transaction may still be undone.
    if writer.prepared == nil { notifyWatchers(writer) }
    onCommit([outcome])
    if writer.prepared == nil { try checkpoint(writer) }
  }

  /// Executes a chunk of the next write.
  private func runChunk(of write: ChunkedWrite, _ writer: Writer) throws(SQLiteError) {
    var write = write
    var outcome =
      writeQueue.isClosed
      ? writer.fail(write, DepotError(.draining, "The store is being closed."))
      : try writer.runChunk(of: &write)
    publish(writer)
    notifyWatchers(writer)
    if outcome == nil {
      do throws(DepotError) {
        try writeQueue.putBack(write)
      } catch {
        outcome = writer.fail(write, error)
      }
    }
    onCommit(outcome.map { [$0] } ?? [])
    try checkpoint(writer)
  }

  private func run(_ first: WriteRequest, _ writer: Writer) throws(SQLiteError) {
    if case .compact = first.operation, !first.endsConnection {
      let outcome = try writer.compact(first)
      publish(writer)
      notifyWatchers(writer)
      onCommit([outcome])
      return try copyLog(writer)
    }
    var batch = Batch(
      first,
      waiting: writeQueue.count,
      isInCluster: writer.commitTarget != nil,
      writer.catalog
    )
    let outcomes = try writer.run(first) { writeQueue.take(into: &batch) }
    publish(writer)
    notifyWatchers(writer)
    let isAnswered = outcomes.count == 1 && first.answer?(outcomes[0]) == true
    if !isAnswered { onCommit(outcomes) }
    if case .beginMigration = first.operation { endChunkedWrites(writer) }
    try checkpoint(writer)
    if writer.isPurgeDue { purgeLater() }
  }

  /// Ends chunked writes before a migration, since the migrated copy wouldn't have their changes.
  private func endChunkedWrites(_ writer: Writer) {
    let error = DepotError(.migrating, "The store is being migrated.")
    onCommit(writeQueue.takeChunked().map { writer.fail($0, error) })
  }

  /// Publishes commits that have no request's outcome.
  private func makeKnown(_ writer: Writer) throws(SQLiteError) {
    publish(writer)
    notifyWatchers(writer)
    onCommit([])
    try checkpoint(writer)
  }

  /// Sends the committed transactions to watchers.
  private func notifyWatchers(_ writer: Writer) {
    var changes = writer.recorder.takeCommitted()
    if let foreign = writer.commitTarget?.takeForeign(), !foreign.isEmpty {
      changes += foreign.map(interest.adapt)
      // The requests of a failed batch are repeated one by one, and others may commit in
      // between.
      changes.sort { $0.token < $1.token }
    }
    if !changes.isEmpty { onChanges(changes) }
  }

  private func publish(_ writer: Writer) {
    let catalog = writer.catalog
    var statistics = writer.statistics
    statistics.cluster = writer.commitTarget?.state
    published.catalog.withLock { $0 = catalog }
    published.statistics.withLock { $0 = statistics }
    guard let commitTarget = writer.commitTarget else { return }
    published.epochs.withLock { $0 = writer.epoch.chain }
    feed?.note(commitTarget.sequence)
    if let pages = commitTarget.takeBase(of: configuration.path) { feed?.write(pages) }
  }

  private func checkpoint(_ writer: Writer) throws(SQLiteError) {
    let pages = writer.connection.walPageCount
    guard checkpointing.isDue(pages: pages) else { return logRoom.grow(pages: pages) }
    try copyLog(writer)
  }

  private func copyLog(_ writer: Writer) throws(SQLiteError) {
    do {
      let isComplete = try writer.connection.checkpoint(.passive)
      writer.statistics.checkpoints += 1
      if !isComplete { writer.statistics.incompleteCheckpoints += 1 }
      if isComplete, writer.statistics.isShortening, try writer.shortenLog(to: logRoom.firstBytes) {
        logRoom = WALSpace(configuration, pageSize: writer.connection.pageSize)
      }
    } catch {
      // If the disk is full, the log grows, and the next commit finds out whether it can. A damaged
      // page causes errors for its readers only.
      guard [.full, .busy, .readOnly, .damaged].contains(error.kind) else { throw error }
    }
    checkpointing.didCheckpoint(pages: writer.connection.walPageCount)
    publish(writer)
  }

  /// Ends all writing: after a failed write or flush the content of the disk is unknown.
  private func fail(_ error: SQLiteError) {
    writeQueue.close()
    feed?.stop()
    // The cluster's failure explains more than that the local copy can't be used.
    let failure = writer?.commitTarget?.failure.map { failure in
      // It is unknown whether the cluster has the last commit.
      guard failure.code == .unreachable else { return failure }
      return DepotError(.io, "The store's cluster can't be relied on. \(failure.message)")
    }
    writer = nil
    let hasNoWay = error.systemErrno == EROFS
    let own = hasNoWay ? .unwritableFileSystem(configuration.path) : DepotError(error)
    onFatal(failure ?? own)
  }

  private func finish() {
    drain()
    feed?.end()
    undoPrepared()
    defer { lock = nil }
    if configuration.isTemporary {
      writer = nil
      return StoreFiles(configuration.path).remove()
    }
    guard let writer else { return }
    do {
      try writer.close()
    } catch let error as SQLiteError where error.kind == .broken {
      return fail(error)
    } catch {
      // The log stays unchanged, and the next start repairs the rest.
    }
    self.writer = nil
  }

  /// Rolls back a prepared transaction without a decision, and runs the writes that waited for it.
  private func undoPrepared() {
    guard let writer, writer.prepared != nil else { return }
    do {
      try writer.undoPrepared()
    } catch {
      return fail(error)
    }
    drain()
  }
}

/// The state of a store that other threads may read.
private final class Published: Sendable {
  let catalog: Mutex<Catalog>
  let statistics = Mutex(StoreStatistics())
  let epochs: Mutex<EpochChain>

  init(_ catalog: Catalog, _ epochs: EpochChain, _ cluster: ClusterState?) {
    self.catalog = Mutex(catalog)
    statistics.withLock { $0.cluster = cluster }
    self.epochs = Mutex(epochs)
  }
}
