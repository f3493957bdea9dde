internal import DepotLinux
package import DepotProtocol
internal import Synchronization

/// Runs long reads on threads of their own.
///
/// A read whose client has no room for rows is parked: its statement stays open, but it holds no
/// thread. More reads than the limit wait for others to end.
package final class ReaderPool: Sendable {
  let workers: [ReadWorker]
  private let link: ReaderPoolLink
  let limit: Int
  let state: Mutex<State>

  struct State {
    var active: [ObjectIdentifier: (read: LongRead, worker: Int)] = [:]
    /// How many active reads each worker has.
    var loads: [Int]
    var waiting: [LongRead] = []
    var started = 0
    var pins: [ObjectIdentifier: Pin] = [:]
    /// The takers of snapshots for pins that were held back.
    var waitingPins: [@Sendable () -> Void] = []
    var pinCount = 0
    var expiredPins = 0
    /// Whether nothing may begin that isn't pinned.
    var isHeld = false
    /// When the last read ended, by the monotonic clock; `nil` if the workers rest since.
    var lastEnd: UInt64?
    var isClosing = false
    var completion: (@Sendable () -> Void)?
  }

  /// Starts the threads, each of which runs one read at a time; at most `limit` reads may be open,
  /// parked ones included.
  package init(
    path: String,
    isFrozen: Bool = false,
    threads: Int = 2,
    limit: Int = Limits.streams
  ) throws(DepotError) {
    let link = ReaderPoolLink()
    var workers: [ReadWorker] = []
    do {
      for index in 0..<threads {
        let thread = try WorkerThread(name: "reader-\(index)", givesWay: true)
        workers.append(ReadWorker(path: path, isFrozen: isFrozen, thread: thread, pool: link))
      }
    } catch {
      throw DepotError(.busy, "There are no more threads: \(error).")
    }
    self.workers = workers
    self.link = link
    self.limit = limit
    state = Mutex(State(loads: Array(repeating: 0, count: threads)))
    link.attach(self)
  }

  /// Starts a read, or keeps it until others ended.
  package func start(_ read: LongRead) {
    let start: Start = state.withLock { state in
      if state.isClosing { return .refuse }
      state.started += 1
      if state.active.count >= limit || state.isHeld && read.pin == nil {
        read.beginWaiting(in: self)
        state.waiting.append(read)
        return .wait
      }
      return .run(activate(read, &state))
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

  func activate(_ read: LongRead, _ state: inout State) -> ReadWorker {
    let least =
      read.pin?.place ?? state.loads.indices.min { state.loads[$0] < state.loads[$1] } ?? 0
    state.loads[least] += 1
    state.active[ObjectIdentifier(read)] = (read, least)
    return workers[least]
  }

  /// Ends a waiting read if it was stopped.
  func dropIfStopped(_ read: LongRead) {
    do {
      try read.check()
    } catch {
      let isDropped = state.withLock { state in
        guard let index = state.waiting.firstIndex(where: { $0 === read }) else { return false }
        state.waiting.remove(at: index)
        return true
      }
      if isDropped { read.fail(error) }
    }
  }

  /// Gives back the memory of connections that no read has used for so many nanoseconds.
  ///
  /// Until then they keep the pages that they have read, which similar reads want again.
  package func rest(after nanoseconds: UInt64) {
    let isDue = state.withLock { state in
      guard let end = state.lastEnd, state.active.isEmpty, state.pins.isEmpty, !state.isClosing,
        Monotonic.now() - end >= nanoseconds
      else { return false }
      state.lastEnd = nil
      return true
    }
    if isDue { for worker in workers { worker.rest() } }
  }

  /// Ends parked reads whose clients have taken nothing for so long and whose snapshots keep the
  /// log from shrinking, with `stream.expired`, and returns their number.
  @discardableResult
  package func expireParked(olderThan nanoseconds: UInt64) -> Int {
    let now = Monotonic.now()
    let reads = state.withLock { $0.active.values.map(\.read) }
    return reads.count { $0.expire(parkedBefore: now > nanoseconds ? now - nanoseconds : 0) }
  }

  /// Ends all reads, closes the connections, ends the threads, and calls `completion` once after
  /// that, on a reader's thread.
  package func close(
    reason: DepotError = ReaderPool.draining,
    completion: @escaping @Sendable () -> Void
  ) {
    let (waiting, active, pins, held, isDone) = state.withLock { state in
      precondition(!state.isClosing, "A pool closes once.")
      state.isClosing = true
      state.completion = completion
      defer {
        state.waiting = []
        state.waitingPins = []
      }
      let reads = state.active.values.map(\.read)
      return (
        state.waiting, reads, Array(state.pins.values), state.waitingPins, state.active.isEmpty
      )
    }
    for pin in pins { end(pin, reason) }
    for open in held { open() }
    for read in waiting { read.fail(reason) }
    for read in active { read.stop(reason) }
    if isDone { closeWorkers() }
  }

  /// Counts what the pool did and does.
  package var statistics: Statistics {
    let state = state.withLock { $0 }
    let reads = state.active.values.map(\.read)
    return Statistics(
      active: reads.count,
      parked: reads.count { $0.isParked },
      waiting: state.waiting.count,
      started: state.started,
      rows: link.rowCount,
      pins: state.pins.count,
      pinned: state.pinCount,
      expiredPins: state.expiredPins
    )
  }

  /// The counts of a pool.
  package struct Statistics: Hashable, Sendable {
    /// How many reads are open, parked ones included.
    package var active: Int
    package var parked: Int
    /// How many reads wait for others to end.
    package var waiting: Int
    /// How many reads there were since the pool was made.
    package var started: Int
    /// How many rows were streamed since then.
    package var rows: Int
    /// How many pins are held.
    package var pins: Int
    /// How many pins there were since the pool was made.
    package var pinned: Int
    /// How many of them ended because their time was over, or to keep the log short.
    package var expiredPins: Int
  }

  /// Makes room for the next read.
  func didEnd(_ read: LongRead) {
    let (next, isDone): ((LongRead, ReadWorker)?, Bool) = state.withLock { state in
      guard let entry = state.active.removeValue(forKey: ObjectIdentifier(read)) else {
        return (nil, false)
      }
      state.loads[entry.worker] -= 1
      state.lastEnd = Monotonic.now()
      let next =
        state.isHeld ? state.waiting.firstIndex { $0.pin != nil } : state.waiting.indices.first
      guard let next else { return (nil, state.isClosing && state.active.isEmpty) }
      let read = state.waiting.remove(at: next)
      return ((read, activate(read, &state)), false)
    }
    if let (read, worker) = next { read.beginRunning(on: worker) }
    if isDone { closeWorkers() }
  }

  private func closeWorkers() {
    let completion = state.withLock { state in
      defer { state.completion = nil }
      return state.completion
    }
    closeWorkers(workers[...], completion: completion ?? {})
  }

  private func closeWorkers(
    _ rest: ArraySlice<ReadWorker>,
    completion: @escaping @Sendable () -> Void
  ) {
    guard let first = rest.first else { return completion() }
    first.close { self.closeWorkers(rest.dropFirst(), completion: completion) }
  }

  package static let draining = DepotError(.draining, "The service is stopping.")
}

/// The link by which workers tell their pool, which they don't keep alive.
final class ReaderPoolLink: Sendable {
  private let rows = Atomic(0)
  private let pool = Mutex(WeakPool())

  private struct WeakPool {
    weak var pool: ReaderPool?
  }

  func attach(_ pool: ReaderPool) { self.pool.withLock { $0.pool = pool } }

  func didEnd(_ read: LongRead) { pool.withLock { $0.pool }?.didEnd(read) }

  func didWrite(rows count: Int) { rows.add(count, ordering: .relaxed) }

  var rowCount: Int { rows.load(ordering: .relaxed) }
}
