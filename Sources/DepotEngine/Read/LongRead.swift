internal import DepotLinux
package import DepotProtocol
internal import Synchronization

/// A read that may take long or stream many rows, with methods to control it.
///
/// All methods may be called from any thread, even after the read has ended.
package final class LongRead: Sendable {
  /// Receives frames for the client, on a reader's thread, which it must not block.
  ///
  /// `nextFrameCount` is the number of `next` frames, and `isLast` is true if the final frame is
  /// included.
  package typealias Delivery =
    @Sendable (_ frames: [UInt8], _ nextFrameCount: Int, _ isLast: Bool) -> Void

  package let operation: Operation
  package let catalog: Catalog
  package let control: CallControl
  package let reply: ReplyWriter
  /// The pinned snapshot to read; `nil` for the latest commit.
  let pin: SharedSnapshot?
  /// The requirements of a watched query's read.
  let live: Live?
  let timeSlice: ReadScheduler.TimeSlice
  private let delivery: Delivery
  private let state: Mutex<State>

  /// The requirements of a watched query's read.
  package struct Live: Sendable {
    /// The epochs, to write tokens.
    var epochs: EpochChain
    /// The author whose transactions are excluded.
    var own: HistorySelection.Own?
    /// Whether to keep the totals of a count or of groups.
    var keepsTotals = true
    /// Receives the snapshot of the rows to keep, before the last frame is delivered.
    var didRead: @Sendable (LiveSnapshot) -> Void
  }

  private struct State {
    var phase = Phase.new
    /// The number of `next` frames that the client accepts.
    var allowance: Int
    /// The error with which the service ends the read.
    var stop: DepotError?
    /// The monotonic time when the read was last parked.
    var parkedAt: UInt64?
    /// Whether its connection's memory was freed since then.
    var isRested = false
    /// The monotonic time when the read started to run.
    var began = UInt64.max
    /// Whether a part of the answer was delivered.
    var hasDelivered = false
    /// Whether the read must restart later, since other reads need its connection.
    var mustRestart = false
  }

  private enum Phase {
    case new
    /// It waits until other reads end.
    case waiting(ReaderPool)
    /// It has work to do on a worker.
    case running(ReadWorker)
    /// The client accepts no more frames; its statement stays open without a thread.
    case parked(ReadWorker)
    case ended
  }

  /// Creates a read of a pinned snapshot, of the latest commit, or for a watched query.
  ///
  /// Call ``wake()`` after cancelling its control. ``grant(_:)`` allows more `next` frames than
  /// `allowance`; `nil` allows any number. The reads of a `client` share its time slices.
  package init(
    operation: Operation,
    catalog: Catalog,
    control: CallControl,
    reply: ReplyWriter,
    client: Int64 = 0,
    pin: SharedSnapshot? = nil,
    allowance: Int? = nil,
    live: Live? = nil,
    deliver: @escaping Delivery
  ) {
    self.live = live
    self.operation = operation
    self.catalog = catalog
    self.control = control
    self.reply = reply
    self.pin = pin
    delivery = deliver
    timeSlice = ReadScheduler.TimeSlice(client: client)
    state = Mutex(State(allowance: allowance ?? .max))
  }

  /// Accepts more `next` frames, and continues the read if it was parked for lack of them.
  package func grant(_ frames: Int) {
    precondition(frames >= 0, "An allowance can't be taken back.")
    state.withLock { state in
      let (sum, isOverflow) = state.allowance.addingReportingOverflow(frames)
      state.allowance = isOverflow ? .max : sum
    }
    if frames > 0 { wake() }
  }

  /// Makes the read check its ``control`` and its accepted frames again.
  ///
  /// A parked read doesn't notice on its own that its deadline has passed.
  package func wake() {
    let phase = state.withLock { state in
      let phase = state.phase
      if case .parked(let worker) = phase { state.phase = .running(worker) }
      return phase
    }
    switch phase {
    case .parked(let worker): worker.run(self)
    case .waiting(let pool): pool.dropIfStopped(self)
    case .running(let worker): if isStopped { worker.dismiss(self) }
    case .new, .ended: break
    }
  }

  /// Ends the read with `error`, unless it ends before.
  package func stop(_ error: DepotError) {
    state.withLock { $0.stop = $0.stop ?? error }
    wake()
  }

  /// Checks that the read may continue, and otherwise throws its error.
  func check() throws(DepotError) {
    if let stop = state.withLock({ $0.stop }) { throw stop }
    try control.check()
  }

  /// Whether it is going to end with an error.
  var isStopped: Bool { (try? check()) == nil }

  /// Whether a computing read must leave its thread.
  var isInterrupted: Bool { isStopped || state.withLock { $0.mustRestart } }

  /// Ends the read if it is parked and past its deadline, and frees memory if parked before `time`.
  ///
  /// The client may continue at any time, so the connection and the log are kept until others need
  /// them.
  func tend(parkedBefore time: UInt64) {
    if (try? control.check()) == nil { return wake() }
    let worker: ReadWorker? = state.withLock { state in
      guard case .parked(let worker) = state.phase, let parkedAt = state.parkedAt,
        parkedAt < time, !state.isRested
      else { return nil }
      state.isRested = true
      return worker
    }
    worker?.rest()
  }

  /// Ends the read with `error` if it is parked, and returns whether it was.
  func expireParked(_ error: DepotError) -> Bool {
    guard parkedSince != nil else { return false }
    stop(error)
    return true
  }

  /// Makes the read restart later, and returns whether it can.
  ///
  /// It can't if a part of its answer was already delivered.
  func postpone() -> Bool {
    state.withLock { state in
      guard live == nil, pin == nil, !state.hasDelivered, case .running = state.phase else {
        return false
      }
      state.mustRestart = true
      return true
    }
  }

  /// Returns whether the read was interrupted to restart, and resets that.
  func takeRestart() -> Bool {
    state.withLock { state in
      defer { state.mustRestart = false }
      return state.mustRestart
    }
  }

  /// The monotonic time when the read was parked; `nil` if it isn't parked.
  var parkedSince: UInt64? {
    state.withLock { if case .parked = $0.phase { $0.parkedAt } else { nil } }
  }

  // MARK: - Called by the pool and its workers

  func beginWaiting(in pool: ReaderPool) { state.withLock { $0.phase = .waiting(pool) } }

  func beginRunning(on worker: ReadWorker) {
    state.withLock { state in
      state.phase = .running(worker)
      state.began = Monotonic.now()
    }
    worker.run(self)
  }

  /// Uses one accepted frame, or parks the read if there is none.
  func takeAllowance() -> Allowance {
    state.withLock { state in
      if state.allowance > 0 {
        if state.allowance != .max { state.allowance -= 1 }
        return .granted
      }
      guard case .running(let worker) = state.phase, state.stop == nil, !control.isCancelled else {
        return .stopped
      }
      state.phase = .parked(worker)
      state.parkedAt = Monotonic.now()
      state.isRested = false
      return .parked
    }
  }

  enum Allowance {
    case granted
    /// There is none; accepting more resumes the read.
    case parked
    /// There is none, and an event meanwhile ends the read.
    case stopped
  }

  /// The monotonic time when the read started to run; the far future if it hasn't.
  var began: UInt64 { state.withLock { $0.began } }

  var isEnded: Bool {
    state.withLock { if case .ended = $0.phase { true } else { false } }
  }

  /// Delivers a frame that isn't the last.
  func deliver(_ frame: [UInt8]) {
    state.withLock { state in
      state.hasDelivered = true
      state.mustRestart = false
    }
    delivery(frame, 1, false)
  }

  /// Delivers the last frames.
  func end(_ frames: [UInt8], nextFrameCount: Int = 0) {
    state.withLock { $0.phase = .ended }
    pin?.remove(self)
    pin?.lease.remove(self, at: Monotonic.now())
    delivery(frames, nextFrameCount, true)
  }

  func fail(_ error: DepotError) {
    end(reply.failure(error))
  }
}

extension Operation {
  /// Whether its rows are sent while they are read from one snapshot.
  package var isStream: Bool {
    switch self {
    case .fetch, .aggregate, .history, .readBlob, .watch, .backup: true
    default: false
    }
  }
}
