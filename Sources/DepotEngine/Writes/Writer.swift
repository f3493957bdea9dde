internal import DepotLinux
internal import DepotProtocol
internal import DepotSQLite

/// The only writing connection, with the current schema and the identifier counters.
///
/// Only the store actor uses it; it does nothing about threads and waiting.
final class Writer {
  let connection: Connection
  let tables: CatalogTables
  let outcomes: IdempotencyTable
  /// The recorder of the history.
  let recorder: ChangeRecorder
  /// The writer's epoch, and its time.
  var epoch: WriterEpoch { recorder.epoch }
  /// The schema as of the last commit.
  private(set) var catalog: Catalog
  let configuration: StoreConfiguration
  var statistics = StoreStatistics()
  private(set) var entities: EntityWriters
  private(set) var ceilings: [String: Int64]
  private var nextPruning: UInt64 = 0
  /// The path of the copy that the current transaction's migration made before it.
  var backup: String?
  /// The effect of the prepared transaction; `nil` if there is none.
  var prepared: WriteEffect?
  /// The approximate size of the history in bytes, as counted here and as stored.
  var historyBytes: Int64
  var storedHistoryBytes: Int64
  /// Both sizes before the current transaction; `nil` outside of one.
  private var earlierHistoryBytes: (counted: Int64, stored: Int64)?
  /// The last period with outcomes in the store.
  ///
  /// The clocks of its services differ, and a clock may be set back a little when its machine
  /// restarts.
  private var lastPeriod: Int64
  /// The size of the history when it was too large but nothing could be deleted.
  var heldHistoryBytes: Int64 = 0
  /// The ended connections that may have unfinished uploads.
  var endedUploads: [Int64] = []
  /// Whether the history may have rows that are no longer valid.
  var hasForgottenHistory: Bool
  /// The last history row up to which all insertions are indexed, now and after the next commit.
  private var indexedHistory: Int64
  var nextIndexedHistory: Int64
  /// The store's cluster; `nil` if the store isn't in one.
  let commitTarget: ClusterCommitTarget?

  init(
    _ connection: Connection,
    _ configuration: StoreConfiguration,
    _ commitTarget: ClusterCommitTarget? = nil
  ) throws {
    self.connection = connection
    self.configuration = configuration
    self.commitTarget = commitTarget
    try commitTarget?.begin(on: connection)
    tables = CatalogTables(connection: connection)
    outcomes = IdempotencyTable(connection: connection)
    catalog = try tables.load()
    SpecialTables(connection: connection).enable(catalog)
    // In a cluster the uploads may be those of another service.
    if commitTarget == nil {
      try BlobUploads(connection: connection).removeAll(catalog)
      try SpecialTables(connection: connection).complete(catalog)
    }
    historyBytes = try connection.number(.historyBytes)
    storedHistoryBytes = historyBytes
    lastPeriod = try outcomes.lastPeriod()
    let floor = try connection.number(.historyFloor)
    hasForgottenHistory = floor > 0
    indexedHistory = try connection.number(.historyIndexed)
    nextIndexedHistory = indexedHistory
    ceilings = try tables.ceilings()
    entities = EntityWriters(catalog, connection, ceilings: ceilings)
    recorder = try ChangeRecorder(
      on: connection,
      store: try tables.storeIdentifier(),
      floor: floor,
      configuration.clocks
    )
    entities.recorder = recorder
    connection.observe(recorder)
    if let commitTarget { try begin(commitTarget) }
  }

  /// Sends all commits to a cluster from now on.
  private func begin(_ commitTarget: ClusterCommitTarget) throws {
    entities.identifierBlock = 0
    try recorder.goOn(floor: try connection.number(.historyFloor), isBroken: false)
    recorder.notifiesOthers = true
    commitTarget.isObserved = { [interest = recorder.interest] in interest.isRaised }
    commitTarget.uncommittedChanges = { [unowned recorder] in recorder.uncommitted }
    connection.setCommitTarget(commitTarget)
    connection.work { [unowned commitTarget] in commitTarget.keepWriteLock() }
  }

  /// Applies other services' commits, and returns whether there were any.
  func catchUp() throws(SQLiteError) -> Bool {
    guard let commitTarget, prepared == nil, !commitTarget.holdsWriteLock else { return false }
    try commitTarget.catchUp(on: connection)
    guard commitTarget.hasForeignCommits else { return false }
    statistics.walBytes = connection.walBytes
    try goOn()
    return true
  }

  /// Locks the cluster of the store, unless the call was cancelled; applies others' commits.
  func acquireClusterLock(for control: CallControl) throws(SQLiteError) {
    guard let commitTarget else { return }
    try commitTarget.acquireWriteLock(on: connection, for: control)
    do throws(SQLiteError) {
      if commitTarget.hasForeignCommits || commitTarget.isOnNewTimeline { try goOn() }
    } catch {
      commitTarget.releaseWriteLock()
      throw error
    }
  }

  /// Reloads the state that others' commits have changed.
  private func goOn() throws(SQLiteError) {
    do {
      let next = try tables.catalog(orSame: catalog)
      lastPeriod = try outcomes.lastPeriod()
      let counted = try connection.number(.historyBytes)
      historyBytes += counted - storedHistoryBytes
      storedHistoryBytes = counted
      indexedHistory = try connection.number(.historyIndexed)
      nextIndexedHistory = indexedHistory
      ceilings = try tables.ceilings()
      let isBroken = commitTarget.map { $0.holdsWriteLock && $0.isOnNewTimeline } ?? false
      try recorder.goOn(floor: try connection.number(.historyFloor), isBroken: isBroken)
      if next === catalog {
        entities.goOn(at: ceilings)
      } else {
        SpecialTables(connection: connection).enable(next)
        use(next, counters: [:])
      }
      commitTarget?.hasForeignCommits = false
    } catch {
      throw error as? SQLiteError ?? .broken("\(error)")
    }
  }

  /// Uses another schema from now on.
  private func use(_ next: Catalog, counters: [String: IdentifierCounter]) {
    catalog = next
    entities = EntityWriters(next, connection, counters: counters, ceilings: ceilings)
    entities.recorder = recorder
    if commitTarget != nil { entities.identifierBlock = 0 }
    connection.forgetStatements()
  }

  // The recorder writes through the connection that it observes.
  deinit { connection.observe(nil) }

  /// The identifier of each table from which on none is in use.
  func safeCeilings() -> [String: Int64] {
    var result = ceilings
    for counter in entities.counters.values {
      result[counter.entity] = max(counter.next, counter.ceiling)
    }
    return result
  }

  /// The current period of the ``IdempotencyTable``.
  var keyPeriod: Int64 { max(lastPeriod, Int64(epoch.now()) / IdempotencyTable.lifetime) }

  /// Remembers the size of the history before a transaction.
  func noteHistoryBytes() { earlierHistoryBytes = (historyBytes, storedHistoryBytes) }

  /// Keeps the size that a committed transaction has counted.
  func keepHistoryBytes() { earlierHistoryBytes = nil }

  /// Restores the size of the history if a transaction was undone.
  func restoreHistoryBytes() {
    guard let earlierHistoryBytes else { return }
    (historyBytes, storedHistoryBytes) = earlierHistoryBytes
    keepHistoryBytes()
  }

  /// Begins a transaction for a call.
  func beginTransaction(for control: CallControl) throws {
    try acquireClusterLock(for: control)
    noteHistoryBytes()
    nextIndexedHistory = indexedHistory
    try connection.begin()
    try epoch.begin { try connection.number(.historyPurged) }
    commitTarget?.isOfEpoch = true
  }

  func endTransaction() throws(SQLiteError) {
    restoreHistoryBytes()
    if connection.isInTransaction { try connection.statement("ROLLBACK").runBound() }
    commitTarget?.releaseWriteLock()
    if let backup { StoreCopies(of: configuration.path).discard(backup) }
    backup = nil
  }

  /// Publishes a transaction's effect after its commit.
  func didCommit(_ effect: WriteEffect, _ stored: [(IdentifierCounter, Int64)]) {
    keepHistoryBytes()
    epoch.didCommit()
    if let backup { StoreCopies(of: configuration.path).finish(backup) }
    backup = nil
    for (counter, ceiling) in stored { counter.didStore(ceiling) }
    indexedHistory = nextIndexedHistory
    statistics.add(effect)
    statistics.walBytes = connection.walBytes
    if let next = effect.catalog {
      if let fresh = effect.ceilings { ceilings = fresh }
      use(next, counters: effect.ceilings == nil ? entities.counters : [:])
    }
  }

  /// Writes the parts of a transaction that don't belong to a request.
  ///
  /// - Returns: The identifier counters, with the limits that are stored with this transaction.
  func finishTransaction(_ effect: WriteEffect) throws -> [(IdentifierCounter, Int64)] {
    var stored: [(IdentifierCounter, Int64)] = []
    // A migration has already stored them under the new names of its entities.
    for counter in entities.counters.values where effect.ceilings == nil {
      guard let ceiling = counter.wantedCeiling else { continue }
      try tables.setCeiling(ceiling, of: counter.entity)
      stored.append((counter, ceiling))
    }
    try countHistory()
    try epoch.note()
    nextIndexedHistory = try recorder.history.advanceIndexes(from: nextIndexedHistory, catalog)
    let now = Monotonic.now()
    if now >= nextPruning {
      let hasMore = try outcomes.prune(in: keyPeriod)
      nextPruning = hasMore ? 0 : now + 60_000_000_000
    }
    return stored
  }

  /// Stores the exact next identifiers, and empties the log.
  func close() throws {
    connection.observe(nil)
    // The cluster has everything, and other services may continue.
    guard commitTarget == nil else { return }
    try connection.transaction {
      for counter in entities.counters.values where counter.next != counter.ceiling {
        try tables.setCeiling(counter.next, of: counter.entity)
      }
      if historyBytes != storedHistoryBytes { try storeHistoryBytes() }
      try epoch.noteEnd()
    }
    if try connection.checkpoint(.truncate) { try connection.finish() }
  }
}

/// The effect of the requests in a transaction.
struct WriteEffect {
  var writes = 0
  var failedWrites = 0
  var repeatedWrites = 0
  var rowsInserted = 0
  var rowsUpdated = 0
  var rowsDeleted = 0
  /// The schema, if it changed.
  var catalog: Catalog?
  /// The next identifier of each table, if rows were migrated.
  var ceilings: [String: Int64]?
  /// Whether everything is rolled back, even though it succeeds.
  ///
  /// A savepoint isn't enough: after a rollback to it, SQLite can't commit if full-text tables were
  /// dropped or created since.
  var isRehearsal = false
}

extension StoreStatistics {
  fileprivate mutating func add(_ effect: WriteEffect) {
    writes += effect.writes
    repeatedWrites += effect.repeatedWrites
    rowsInserted += effect.rowsInserted
    rowsUpdated += effect.rowsUpdated
    rowsDeleted += effect.rowsDeleted
  }
}
