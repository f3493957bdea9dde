internal import DepotLinux
package import DepotProtocol
internal import Synchronization

/// A read that takes longer than its client's thread may be kept, and the handle to steer it.
///
/// All methods may be called from any thread, also after the read ended.
package final class LongRead: Sendable {
  /// Receives frames for the client, on a reader's thread, which it must not block.
  ///
  /// `nextFrameCount` is the number of `next` frames, and `isLast` tells whether the terminal one
  /// is included.
  package typealias Delivery =
    @Sendable (_ frames: [UInt8], _ nextFrameCount: Int, _ isLast: Bool) -> Void

  package let operation: Operation
  package let catalog: Catalog
  package let control: CallControl
  package let reply: ReplyWriter
  /// The moment that it reads; the latest if `nil`.
  let pin: Pin?
  /// The needs of a watched query's read.
  let live: Live?
  let turn: ReadTurns.Turn
  private let delivery: Delivery
  private let state: Mutex<State>

  /// The needs of a watched query's read.
  package struct Live: Sendable {
    /// The chain that writes tokens.
    var epochs: EpochChain
    /// The author whose transactions aren't wanted.
    var own: HistorySelection.Own?
    /// Whether the totals of a count or of groups are of use.
    var keepsTotals = true
    /// Receives the snapshot to keep of the rows, before the last frame is delivered.
    var didRead: @Sendable (LiveSnapshot) -> Void
  }

  private struct State {
    var phase = Phase.new
    /// How many `next` frames the client has room for.
    var allowance: Int
    /// Why the service wants the read to end.
    var stop: DepotError?
    /// When the read was parked last, by the monotonic clock.
    var parkedAt: UInt64?
    /// Whether its connection has given back its memory since.
    var isRested = false
    /// When the read began to run, by the monotonic clock.
    var began = UInt64.max
    /// Whether the client knows a part of the answer.
    var hasDelivered = false
    /// Whether the read must restart later, since others need its connection.
    var mustRestart = false
  }

  private enum Phase {
    case new
    /// It waits for other reads to end.
    case waiting(ReaderPool)
    /// It has work to do on a thread.
    case running(ReadWorker)
    /// It has no allowance; its statement stays open without a thread.
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
    pin: Pin? = nil,
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
    turn = ReadTurns.Turn(client: client)
    state = Mutex(State(allowance: allowance ?? .max))
  }

  /// Allows more `next` frames, and continues the read if it was parked for lack of them.
  package func grant(_ frames: Int) {
    precondition(frames >= 0, "An allowance can't be taken back.")
    state.withLock { state in
      let (sum, isOverflow) = state.allowance.addingReportingOverflow(frames)
      state.allowance = isOverflow ? .max : sum
    }
    if frames > 0 { wake() }
  }

  /// Makes the read look at its ``control`` and its allowance again.
  ///
  /// A parked read doesn't notice by itself that its deadline passed.
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

  /// Makes the read end with `error`, unless it ends before.
  package func stop(_ error: DepotError) {
    state.withLock { $0.stop = $0.stop ?? error }
    wake()
  }

  /// Checks that the read should go on, and throws its end otherwise.
  func check() throws(DepotError) {
    if let stop = state.withLock({ $0.stop }) { throw stop }
    try control.check()
  }

  /// Whether it is about to end.
  var isStopped: Bool { (try? check()) == nil }

  /// Whether a read that computes must leave its thread.
  var isInterrupted: Bool { isStopped || state.withLock { $0.mustRestart } }

  /// Ends the read if it is parked and past its deadline; frees its memory if parked before `time`.
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

  /// Has the read begin again later, and returns whether it can; it can't once its client knows a part
  /// of the answer.
  func postpone() -> Bool {
    state.withLock { state in
      guard live == nil, pin == nil, !state.hasDelivered, case .running = state.phase else {
        return false
      }
      state.mustRestart = true
      return true
    }
  }

  /// Returns whether the read was interrupted to begin again.
  func takeRestart() -> Bool {
    state.withLock { state in
      defer { state.mustRestart = false }
      return state.mustRestart
    }
  }

  /// When the read was parked, by the monotonic clock; `nil` if it isn't.
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

  /// Takes one frame from the allowance, or parks the read if there is none.
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
    /// There is none; a grant resumes the read.
    case parked
    /// There is none, and something came between that ends the read.
    case stopped
  }

  /// When the read began to run, by the monotonic clock; the far future if it hasn't.
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
    var writer = JSONWriter()
    reply.failure(error, to: &writer)
    end(writer.bytes)
  }
}

extension Operation {
  /// Whether its rows are sent as they are read, of a snapshot that stays for as long.
  package var isStream: Bool {
    switch self {
    case .fetch, .aggregate, .history, .readBlob, .watch, .backup: true
    default: false
    }
  }
}
