internal import DepotLinux
internal import Synchronization

/// A scheduler for the reads of all stores, so that short reads don't wait for long ones.
///
/// A read starts in the short lane. When it has computed for a while, it moves to the long lane. In
/// each lane, as many reads compute at once as there are processors, and a long read is queued
/// behind waiting ones after each time slice. The next read is one of a client with no other read
/// in the lane, and among such clients, of the one that has used the least time recently.
/// and among such clients of the one that has used the least time lately.
final class ReadTurns: Sendable {
  /// The scheduler of the process.
  static let shared = ReadTurns(places: Thread.processorCount)

  /// The computing time in nanoseconds after which a read is long.
  static let short: UInt64 = 10_000_000
  /// The time slice of a long read in nanoseconds.
  static let slice: UInt64 = 5_000_000

  private let state: Mutex<State>

  /// Creates a scheduler for `places` reads at once in each lane.
  init(places: Int) {
    let long = Lane(places: max(1, places))
    state = Mutex(State(short: Lane(places: max(2, places)), long: long))
  }

  /// The state of one read in the scheduler.
  final class Turn: Sendable {
    let client: Int64
    /// The monotonic time of the next check of its time slice.
    private let end = Atomic<UInt64>(0)
    /// Its earlier computing time, in nanoseconds of its threads.
    private let used = Atomic<UInt64>(0)
    /// Its thread's computing time when it last started.
    private let began = Atomic<UInt64>(0)

    init(client: Int64) {
      self.client = client
    }

    /// Whether it has computed for long, without its waiting time.
    var isLong: Bool { used.load(ordering: .relaxed) >= ReadTurns.short }

    /// Whether its time slice is over, so that it must call ``ReadTurns/goOn(_:)``.
    var isOver: Bool {
      let now = Monotonic.now()
      if now < end.load(ordering: .relaxed) { return false }
      if isLong { return true }
      let time = used.load(ordering: .relaxed) + Thread.time - began.load(ordering: .relaxed)
      if time >= ReadTurns.short { return true }
      grant(until: now + ReadTurns.short - time)
      return false
    }

    fileprivate func grant(until time: UInt64) { end.store(time, ordering: .relaxed) }

    /// Starts counting computing time on the calling thread.
    func begin() { began.store(Thread.time, ordering: .relaxed) }

    /// Stops counting computing time, on the same thread.
    fileprivate func pause() {
      used.add(Thread.time - began.load(ordering: .relaxed), ordering: .relaxed)
    }
  }

  /// A computing read.
  private struct Running {
    let turn: Turn
    var began: UInt64
  }

  /// A waiting read, with the closure that resumes it.
  private struct Waiting {
    let turn: Turn
    let resume: @Sendable () -> Void
  }

  private struct Lane {
    let places: Int
    var running: [Running] = []
    var queue = FairQueue<Waiting>()

    /// Removes a computing read; returns whether it was in this lane.
    mutating func end(_ turn: Turn, _ now: UInt64) -> Bool {
      guard let index = running.firstIndex(where: { $0.turn === turn }) else { return false }
      queue.charge(now - running.remove(at: index).began, to: turn.client)
      return true
    }

    /// Starts waiting reads while processors are free; returns closures that resume them.
    mutating func fill(_ now: UInt64, _ time: UInt64) -> [@Sendable () -> Void] {
      var resumed: [@Sendable () -> Void] = []
      while running.count < places, let next = queue.next(after: running.map(\.turn.client)) {
        running.append(Running(turn: next.turn, began: now))
        next.turn.grant(until: now + time)
        resumed.append(next.resume)
      }
      return resumed
    }
  }

  private struct State {
    var short: Lane
    var long: Lane

    mutating func add(_ waiting: Waiting) {
      let client = waiting.turn.client
      if waiting.turn.isLong {
        long.queue.add(waiting, of: client)
      } else {
        short.queue.add(waiting, of: client)
      }
    }

    mutating func fill(_ now: UInt64) -> [@Sendable () -> Void] {
      short.fill(now, ReadTurns.short) + long.fill(now, ReadTurns.slice)
    }
  }

  /// Queues a read; `resume` is called when it may compute, and must call ``Turn/begin()``.
  func enter(_ turn: Turn, resume: @escaping @Sendable () -> Void) {
    change { state, _ in state.add(Waiting(turn: turn, resume: resume)) }
  }

  /// Removes a read, if it is computing.
  func leave(_ turn: Turn) {
    turn.pause()
    change { state, now in
      if !state.short.end(turn, now) { _ = state.long.end(turn, now) }
    }
  }

  /// Lets other reads compute, and waits on the calling thread for the next time slice.
  func goOn(_ turn: Turn) {
    let semaphore = Semaphore()
    turn.pause()
    change { state, now in
      guard state.short.end(turn, now) || state.long.end(turn, now) else {
        // The read continues without time slices until its end.
        turn.grant(until: .max)
        return semaphore.signal()
      }
      state.add(Waiting(turn: turn) { semaphore.signal() })
    }
    semaphore.wait()
    turn.begin()
  }

  /// Lets a waiting read continue without a time slice, since it is about to end.
  func dismiss(_ turn: Turn) {
    let found = state.withLock { state in
      state.short.queue.remove { $0.turn === turn } ?? state.long.queue.remove { $0.turn === turn }
    }
    found?.resume()
  }

  private func change(_ body: (inout State, _ now: UInt64) -> Void) {
    let now = Monotonic.now()
    let resumed = state.withLock { state in
      body(&state, now)
      return state.fill(now)
    }
    for resume in resumed { resume() }
  }
}
