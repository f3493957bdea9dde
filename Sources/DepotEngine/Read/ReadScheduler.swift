internal import DepotLinux
internal import Synchronization

/// A scheduler for the reads of all stores, so that short reads don't wait for long ones.
///
/// A read starts in the short lane. When it has computed for a while, it moves to the long lane. In
/// each lane, as many reads compute at once as there are processors, and a long read is queued
/// behind waiting ones after each time slice. The next read is one of a client with no other read
/// in the lane, and among such clients, of the one that has used the least time recently.
final class ReadScheduler: Sendable {
  /// The scheduler of the process.
  static let shared = ReadScheduler(concurrency: Thread.processorCount)

  /// The computing time in nanoseconds after which a read is long.
  static let short: UInt64 = 10_000_000
  /// The time slice of a long read in nanoseconds.
  static let slice: UInt64 = 5_000_000

  private let state: Mutex<State>

  /// Creates a scheduler for `concurrency` reads at once in each lane.
  init(concurrency: Int) {
    let long = Lane(concurrency: max(1, concurrency))
    state = Mutex(State(short: Lane(concurrency: max(2, concurrency)), long: long))
  }

  /// The state of one read in the scheduler.
  final class TimeSlice: Sendable {
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
    var isLong: Bool { used.load(ordering: .relaxed) >= ReadScheduler.short }

    /// Whether its time slice is over, so that it must call ``ReadScheduler/goOn(_:)``.
    var isOver: Bool {
      let now = Monotonic.now()
      if now < end.load(ordering: .relaxed) { return false }
      if isLong { return true }
      let time = used.load(ordering: .relaxed) + Thread.time - began.load(ordering: .relaxed)
      if time >= ReadScheduler.short { return true }
      grant(until: now + ReadScheduler.short - time)
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
    let timeSlice: TimeSlice
    var began: UInt64
  }

  /// A waiting read, with the closure that resumes it.
  private struct Waiting {
    let timeSlice: TimeSlice
    let resume: @Sendable () -> Void
  }

  private struct Lane {
    let concurrency: Int
    var running: [Running] = []
    var queue = FairQueue<Waiting>()

    /// Removes a computing read; returns whether it was in this lane.
    mutating func end(_ timeSlice: TimeSlice, _ now: UInt64) -> Bool {
      guard let index = running.firstIndex(where: { $0.timeSlice === timeSlice }) else {
        return false
      }
      queue.charge(now - running.remove(at: index).began, to: timeSlice.client)
      return true
    }

    /// Starts waiting reads while processors are free; returns closures that resume them.
    mutating func fill(_ now: UInt64, _ time: UInt64) -> [@Sendable () -> Void] {
      var resumed: [@Sendable () -> Void] = []
      while running.count < concurrency,
        let next = queue.next(after: running.map(\.timeSlice.client))
      {
        running.append(Running(timeSlice: next.timeSlice, began: now))
        next.timeSlice.grant(until: now + time)
        resumed.append(next.resume)
      }
      return resumed
    }
  }

  private struct State {
    var short: Lane
    var long: Lane

    mutating func add(_ waiting: Waiting) {
      let client = waiting.timeSlice.client
      if waiting.timeSlice.isLong {
        long.queue.add(waiting, of: client)
      } else {
        short.queue.add(waiting, of: client)
      }
    }

    mutating func fill(_ now: UInt64) -> [@Sendable () -> Void] {
      short.fill(now, ReadScheduler.short) + long.fill(now, ReadScheduler.slice)
    }
  }

  /// Queues a read; `resume` is called when it may compute, and must call ``TimeSlice/begin()``.
  func enter(_ timeSlice: TimeSlice, resume: @escaping @Sendable () -> Void) {
    change { state, _ in state.add(Waiting(timeSlice: timeSlice, resume: resume)) }
  }

  /// Removes a read, if it is computing.
  func leave(_ timeSlice: TimeSlice) {
    timeSlice.pause()
    change { state, now in
      if !state.short.end(timeSlice, now) { _ = state.long.end(timeSlice, now) }
    }
  }

  /// Lets other reads compute, and waits on the calling thread for the next time slice.
  func goOn(_ timeSlice: TimeSlice) {
    let semaphore = Semaphore()
    timeSlice.pause()
    change { state, now in
      guard state.short.end(timeSlice, now) || state.long.end(timeSlice, now) else {
        // The read continues without time slices until its end.
        timeSlice.grant(until: .max)
        return semaphore.signal()
      }
      state.add(Waiting(timeSlice: timeSlice) { semaphore.signal() })
    }
    semaphore.wait()
    timeSlice.begin()
  }

  /// Lets a waiting read continue without a time slice, since it is about to end.
  func dismiss(_ timeSlice: TimeSlice) {
    let found = state.withLock { state in
      state.short.queue.remove { $0.timeSlice === timeSlice }
        ?? state.long.queue.remove { $0.timeSlice === timeSlice }
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
