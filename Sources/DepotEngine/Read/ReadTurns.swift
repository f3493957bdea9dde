internal import DepotLinux
internal import Synchronization

/// A scheduler of the reads of all stores, which keeps short reads from waiting for long ones.
///
/// A read begins in the short lane. When it has computed for a while, it moves to the long lane. In
/// each lane as many reads compute at a time as there are cores, and a long read goes behind
/// waiting ones after each time slice. The next read is of a client with no other read in the lane,
/// and among such clients of the one that has used the least time lately.
final class ReadTurns: Sendable {
  /// The turns of the process.
  static let shared = ReadTurns(places: Thread.processorCount)

  /// How long a read computes before it is long, in nanoseconds.
  static let short: UInt64 = 10_000_000
  /// How long a long read computes before others have their turns.
  static let slice: UInt64 = 5_000_000

  private let state: Mutex<State>

  /// Creates turns for so many long reads at a time.
  init(places: Int) {
    let long = Lane(places: max(1, places))
    state = Mutex(State(short: Lane(places: max(2, places)), long: long))
  }

  /// The part that one read has in the turns.
  final class Turn: Sendable {
    let client: Int64
    /// When to look whether it is over, by the monotonic clock.
    private let end = Atomic<UInt64>(0)
    /// How long it computed before, in nanoseconds of its threads.
    private let used = Atomic<UInt64>(0)
    /// The time of its thread when it began.
    private let began = Atomic<UInt64>(0)

    init(client: Int64) {
      self.client = client
    }

    /// Whether it has computed for long, waiting for the processor not included.
    var isLong: Bool { used.load(ordering: .relaxed) >= ReadTurns.short }

    /// Whether it has computed for so long that it must call ``ReadTurns/goOn(_:)``.
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

    /// Begins to compute on the calling thread.
    func begin() { began.store(Thread.time, ordering: .relaxed) }

    /// Ends computing on the calling thread, which is the one that it began on.
    fileprivate func pause() {
      used.add(Thread.time - began.load(ordering: .relaxed), ordering: .relaxed)
    }
  }

  /// A read that computes.
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

    /// Ends the turn of a read; returns whether it had one here.
    mutating func end(_ turn: Turn, _ now: UInt64) -> Bool {
      guard let index = running.firstIndex(where: { $0.turn === turn }) else { return false }
      queue.charge(now - running.remove(at: index).began, to: turn.client)
      return true
    }

    /// Grants time slices while there are free places; returns closures that resume the reads.
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

  /// Asks for a turn; `resume` is called when it is there, perhaps at once, and has ``Turn/begin()`` called.
  func enter(_ turn: Turn, resume: @escaping @Sendable () -> Void) {
    change { state, _ in state.add(Waiting(turn: turn, resume: resume)) }
  }

  /// Ends a turn, if the read has one.
  func leave(_ turn: Turn) {
    turn.pause()
    change { state, now in
      if !state.short.end(turn, now) { _ = state.long.end(turn, now) }
    }
  }

  /// Lets others have their turns, and waits on the calling thread for the next turn of the read.
  func goOn(_ turn: Turn) {
    let semaphore = Semaphore()
    turn.pause()
    change { state, now in
      guard state.short.end(turn, now) || state.long.end(turn, now) else {
        // It continues without time slices until its end.
        turn.grant(until: .max)
        return semaphore.signal()
      }
      state.add(Waiting(turn: turn) { semaphore.signal() })
    }
    semaphore.wait()
    turn.begin()
  }

  /// Lets a read that waits go on without a turn, since it is about to end.
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
