internal import DepotLinux
package import DepotProtocol
internal import Synchronization

/// Executes long reads, each with its own connection and snapshot.
///
/// Reads compute in the time slices of ``ReadScheduler``. Only a limited number may hold a
/// connection for long: streams whose client accepts no rows now, and reads that turned out to be
/// long. When others need a connection, either the longest waiting stream of the client with the
/// most reads is ended, or a read is restarted later if nothing of its answer was delivered.
package final class ReaderPool: Sendable {
  let path: String
  let isFrozen: Bool
  /// The threads of all readers of the process.
  let crew = readers
  let scheduler: ReadScheduler
  /// Waits for other services' commits in a cluster; returns whether there can be any.
  let waitForForeignCommits: @Sendable () -> Bool
  /// The most reads that hold a connection for long, and the most short reads in addition.
  let limit: Int
  let shortLimit: Int
  let state = Mutex(State())
  private let rowCount = Atomic(0)

  struct State {
    var workers: [ReadWorker] = []
    /// The workers without a read.
    var idle: [ReadWorker] = []
    var active: [ObjectIdentifier: Active] = [:]
    var waiting = FairQueue<LongRead>()
    /// The reads that must restart and hold a connection for long.
    var postponed = FairQueue<LongRead>()
    var started = 0
    var pins: [ObjectIdentifier: SharedSnapshot] = [:]
    /// The closures that begin the snapshots of pins that were held back.
    var waitingPins: [@Sendable () -> Void] = []
    var pinCount = 0
    var expiredPins = 0
    /// Whether no read may start except those of pins.
    var isHeld = false
    /// The monotonic time of the last read's end; `nil` once the idle workers' memory is freed.
    var lastEnd: UInt64?
    var isClosing = false
    var completion: (@Sendable () -> Void)?

    var unpinnedCount: Int { active.values.count { $0.read.pin == nil } }
    var heldCount: Int { active.values.count { $0.holdsConnection } }
    var clients: [Int64] { active.values.map(\.read.timeSlice.client) }
  }

  /// A started read.
  struct Active {
    let read: LongRead
    let worker: ReadWorker
    /// Whether it holds its connection for long.
    var holdsConnection: Bool
  }

  /// Creates a pool for the store at `path`.
  ///
  /// At most `limit` reads hold a connection for long, and `shortLimit` others may run.
  init(
    path: String,
    isFrozen: Bool = false,
    limit: Int,
    shortLimit: Int = 8,
    scheduler: ReadScheduler = .shared,
    waitForForeignCommits: @escaping @Sendable () -> Bool = { false }
  ) {
    self.path = path
    self.isFrozen = isFrozen
    self.limit = limit
    self.shortLimit = shortLimit
    self.scheduler = scheduler
    self.waitForForeignCommits = waitForForeignCommits
    crew.prepare()
  }

  /// Creates a pool for the store at `path`, which doesn't change if `isFrozen`.
  ///
  /// - Parameters:
  ///   - path: The store's file.
  ///   - isFrozen: Whether the store doesn't change.
  ///   - waitForForeignCommits: Waits for other services' commits; returns whether any can come.
  package convenience init(
    path: String,
    isFrozen: Bool = false,
    waitForForeignCommits: @escaping @Sendable () -> Bool = { false }
  ) {
    self.init(
      path: path,
      isFrozen: isFrozen,
      limit: Limits.streams,
      waitForForeignCommits: waitForForeignCommits
    )
  }

  /// Starts a read, or queues it until others have ended.
  package func start(_ read: LongRead) {
    read.pin?.lease.add(read)
    let start: Start = state.withLock { state in
      if state.isClosing { return .refuse }
      state.started += 1
      if read.pin != nil { return .run(activate(read, &state)) }
      if mayBegin(state) { return .run(activate(read, &state)) }
      read.beginWaiting(in: self)
      state.waiting.add(read, of: read.timeSlice.client)
      return .wait
    }
    switch start {
    case .refuse: read.fail(Self.draining)
    case .wait: dropIfStopped(read)
    case .run(let worker): read.beginRunning(on: worker)
    }
  }

  private enum Start {
    case refuse
    case wait
    case run(ReadWorker)
  }

  private func mayBegin(_ state: State) -> Bool {
    !state.isHeld && state.unpinnedCount < limit + shortLimit
  }

  /// Removes and returns waiting reads that may start now.
  func takeWaiting(_ state: inout State) -> [(LongRead, ReadWorker)] {
    var reads: [(LongRead, ReadWorker)] = []
    while mayBegin(state) {
      if state.heldCount < limit, let read = state.postponed.next(after: state.clients) {
        reads.append((read, activate(read, &state, holdsConnection: true)))
      } else if let read = state.waiting.next(after: state.clients) {
        reads.append((read, activate(read, &state)))
      } else {
        break
      }
    }
    return reads
  }

  private func activate(
    _ read: LongRead,
    _ state: inout State,
    holdsConnection: Bool = false
  ) -> ReadWorker {
    let worker = read.pin?.worker ?? takeWorker(&state)
    state.waiting.charge(1, to: read.timeSlice.client)
    state.postponed.charge(1, to: read.timeSlice.client)
    state.active[ObjectIdentifier(read)] =
      Active(read: read, worker: worker, holdsConnection: holdsConnection)
    return worker
  }

  func takeWorker(_ state: inout State) -> ReadWorker {
    if let worker = state.idle.popLast() { return worker }
    let worker = ReadWorker(of: self)
    state.workers.append(worker)
    return worker
  }

  /// Ends a waiting read if it was stopped.
  func dropIfStopped(_ read: LongRead) {
    do {
      try read.check()
    } catch {
      let found = state.withLock { state in
        state.waiting.remove { $0 === read } ?? state.postponed.remove { $0 === read }
      }
      found?.fail(error)
    }
  }

  /// Records that a read holds its connection for long.
  func holdsConnection(_ read: LongRead) {
    guard read.pin == nil else { return }
    state.withLock { state in
      state.active[ObjectIdentifier(read)]?.holdsConnection = true
      // The client's next reads are queued behind other clients' short ones.
      state.waiting.charge(10, to: read.timeSlice.client)
    }
    makeRoom(for: read)
  }

  /// Ends or restarts a read, perhaps this one, if too many hold a connection for long.
  private func makeRoom(for read: LongRead) {
    // A read that is about to end already makes room.
    let held = state.withLock { state in state.active.values.filter(\.holdsConnection) }
      .filter { !$0.read.isStopped }
    guard held.count > limit else { return }
    var counts: [Int64: Int] = [:]
    for other in held { counts[other.read.timeSlice.client, default: 0] += 1 }
    let client = read.timeSlice.client
    let own = max(1, counts[client] ?? 0)
    let others = held.filter { $0.read.timeSlice.client != client }
      .map { (read: $0.read, worker: $0.worker, count: counts[$0.read.timeSlice.client] ?? 0) }
    let parked = others.compactMap { other in
      other.read.parkedSince.map { (read: other.read, count: other.count, since: $0) }
    }
    for other in parked.sorted(by: { ($1.count, $0.since) < ($0.count, $1.since) })
    where other.count >= own {
      if other.read.expireParked(Self.connectionNeeded) { return }
    }
    let latest = others.sorted { ($1.count, $1.read.began) < ($0.count, $0.read.began) }
    for other in latest where other.count > own && other.read.postpone() {
      return other.worker.dismiss(other.read)
    }
    if read.postpone() { return }
    let ownParked = held.filter { $0.read.timeSlice.client == client }.map(\.read)
      .sorted { $0.parkedSince ?? .max < $1.parkedSince ?? .max }
    for other in ownParked where other.expireParked(Self.connectionNeeded) { return }
  }

  private static let connectionNeeded = DepotError(
    .streamExpired,
    "Other reads needed the reader of this stream, whose client read no rows."
  )
  .hint("Continue after the last row with \"after\"; rows come from a later snapshot.")

  /// Closes the connections unused for `nanoseconds`, except one, whose memory is freed.
  ///
  /// Until then they keep the pages that they have read, which similar reads use again.
  package func rest(after nanoseconds: UInt64) {
    let resting: [ReadWorker] = state.withLock { state in
      guard let end = state.lastEnd, state.active.isEmpty, state.pins.isEmpty, !state.isClosing,
        Monotonic.now() - end >= nanoseconds
      else { return [] }
      state.lastEnd = nil
      return state.idle
    }
    if resting.isEmpty { return }
    resting.last?.rest()
    for worker in resting.dropLast() { worker.close {} }
    crew.rest()
  }

  /// Ends parked reads past their deadlines, and frees memory of reads parked for `nanoseconds`.
  package func tendParked(olderThan nanoseconds: UInt64) {
    let now = Monotonic.now()
    let reads = state.withLock { $0.active.values.map(\.read) }
    for read in reads { read.tend(parkedBefore: now > nanoseconds ? now - nanoseconds : 0) }
  }

  /// Ends all reads, closes the connections, and ends the threads.
  ///
  /// It then calls `completion` once, on a reader's thread.
  package func close(
    reason: DepotError = ReaderPool.draining,
    completion: @escaping @Sendable () -> Void
  ) {
    let (waiting, active, pins, held, isDone) = state.withLock { state in
      precondition(!state.isClosing, "A pool closes once.")
      state.isClosing = true
      state.completion = completion
      var waiting: [LongRead] = []
      while let read = state.waiting.next() ?? state.postponed.next() { waiting.append(read) }
      defer { state.waitingPins = [] }
      let reads = state.active.values.map(\.read)
      return (waiting, reads, Array(state.pins.values), state.waitingPins, state.active.isEmpty)
    }
    for pin in pins { end(pin, reason) }
    for open in held { open() }
    for read in waiting { read.fail(reason) }
    for read in active { read.stop(reason) }
    if isDone { closeWorkers() }
  }

  /// The counts of past and current reads.
  package var statistics: Statistics {
    let state = state.withLock { $0 }
    let reads = state.active.values.map(\.read)
    return Statistics(
      active: reads.count,
      parked: reads.count { $0.parkedSince != nil },
      waiting: state.waiting.count + state.postponed.count,
      started: state.started,
      rows: rowCount.load(ordering: .relaxed),
      pins: state.pins.count,
      pinned: state.pinCount,
      expiredPins: state.expiredPins
    )
  }

  /// Counts about a pool.
  package struct Statistics: Hashable, Sendable {
    /// The number of open reads, including parked ones.
    package var active: Int
    package var parked: Int
    /// The number of reads that wait for others to end.
    package var waiting: Int
    /// The number of reads since the pool was made.
    package var started: Int
    /// The number of rows streamed since then.
    package var rows: Int
    /// The number of current pins.
    package var pins: Int
    /// The number of pins since the pool was made.
    package var pinned: Int
    /// The number of pins that expired, or were ended to keep the log short.
    package var expiredPins: Int
  }

  /// Starts waiting reads after one has ended.
  func didEnd(_ read: LongRead) {
    endUse { state in
      guard let entry = state.active.removeValue(forKey: ObjectIdentifier(read)) else { return }
      state.lastEnd = Monotonic.now()
      if read.pin == nil { state.idle.append(entry.worker) }
    }
  }

  /// Queues a read to restart.
  func restart(_ read: LongRead) {
    endUse { [self] state in
      guard let entry = state.active.removeValue(forKey: ObjectIdentifier(read)) else { return }
      state.idle.append(entry.worker)
      read.beginWaiting(in: self)
      state.postponed.add(read, of: read.timeSlice.client)
    }
    dropIfStopped(read)
  }

  /// Counts written rows.
  func didWrite(rows count: Int) { rowCount.add(count, ordering: .relaxed) }

  /// Records that the transaction of a pin has ended.
  func didEndPin(_ worker: ReadWorker) {
    endUse { $0.idle.append(worker) }
  }

  private func endUse(_ body: @Sendable (inout State) -> Void) {
    let (reads, isDone) = state.withLock { state in
      body(&state)
      return (state.isClosing ? [] : takeWaiting(&state), state.isClosing && state.active.isEmpty)
    }
    for (read, worker) in reads { read.beginRunning(on: worker) }
    if isDone { closeWorkers() }
  }

  private func closeWorkers() {
    let (completion, workers) = state.withLock { state in
      defer { state.completion = nil }
      return (state.completion, state.workers)
    }
    guard let completion else { return }
    closeWorkers(workers[...], completion: completion)
  }

  private func closeWorkers(
    _ rest: ArraySlice<ReadWorker>,
    completion: @escaping @Sendable () -> Void
  ) {
    guard let first = rest.first else {
      crew.release()
      return completion()
    }
    first.close { self.closeWorkers(rest.dropFirst(), completion: completion) }
  }

  package static let draining = DepotError(.draining, "The service is stopping.")

  private static let readers = ThreadCrew(name: "depot-reader")
}
