internal import Synchronization

/// A pool of threads for jobs that may block, with as many threads as unfinished jobs.
///
/// At least one thread is kept after ``prepare()``. A ``Lane`` runs its jobs in order. If no more
/// threads can be started, a job must not wait in a queue for another job's thread, since that job
/// might wait for it. Instead, the caller's thread runs the job's refusal.
package final class ThreadCrew: Sendable {
  private struct State {
    var jobs: [(number: Int, body: @Sendable () -> Void)] = []
    var nextNumber = 0
    /// The number of threads that wait for a job.
    var idle = 0
    /// The number of idle threads that have been asked to end.
    var leaving = 0
    /// The number of callers that want a thread ready.
    var users = 0
  }

  private let name: String
  private let state = Mutex(State())
  private let signal = Semaphore()
  /// Refusals that no thread has run yet; `nil` while no thread runs refusals.
  ///
  /// The thread that runs the first one runs them all.
  private let refused = Mutex<[@Sendable () -> Void]?>(nil)

  /// Creates a crew whose threads have a name of at most 15 bytes.
  package init(name: String) {
    self.name = name
  }

  /// Keeps a thread ready until ``release()``, if one can be started.
  package func prepare() {
    state.withLock { $0.users += 1 }
    run({}, orElse: {})
  }

  /// Ends the need of a call of ``prepare()``; the last one ends all idle threads.
  package func release() {
    state.withLock { $0.users -= 1 }
    rest()
  }

  /// Ends idle threads, except for one while a thread should be ready.
  package func rest() {
    let leaving = state.withLock { state in
      let wanted = max(state.leaving, state.idle - min(state.users, 1))
      defer { state.leaving = wanted }
      return wanted - state.leaving
    }
    for _ in 0..<leaving { signal.signal() }
  }

  /// Runs a job on one of the threads, or `refuse` on the caller's if no thread can be started.
  private func run(
    _ job: @escaping @Sendable () -> Void,
    orElse refuse: @escaping @Sendable () -> Void
  ) {
    let (number, isStarting) = state.withLock { state in
      state.nextNumber += 1
      state.jobs.append((state.nextNumber, job))
      return (state.nextNumber, state.idle - state.leaving < state.jobs.count)
    }
    if isStarting {
      do throws(SystemError) {
        try Thread.start(name: name) { [self] in serve() }
      } catch {
        let isTakenBack = state.withLock { state in
          guard let index = state.jobs.firstIndex(where: { $0.number == number }) else {
            return false
          }
          state.jobs.remove(at: index)
          return true
        }
        if isTakenBack { return self.refuse(refuse) }
      }
    }
    signal.signal()
  }

  /// Calls `body`, or queues it if a refusal is running, since `body` may cause another refusal.
  private func refuse(_ body: @escaping @Sendable () -> Void) {
    let isFirst = refused.withLock { refused in
      defer { refused = (refused ?? []) + [body] }
      return refused == nil
    }
    guard isFirst else { return }
    while let next = nextRefused() { next() }
  }

  private func nextRefused() -> (@Sendable () -> Void)? {
    refused.withLock { refused in
      if refused?.isEmpty == false { return refused?.removeFirst() }
      refused = nil
      return nil
    }
  }

  private func serve() {
    while true {
      let isNeeded = state.withLock { state in
        guard state.users > 0 || !state.jobs.isEmpty else { return false }
        state.idle += 1
        return true
      }
      guard isNeeded else { return }
      signal.wait()
      let (job, isLeaving): ((@Sendable () -> Void)?, Bool) = state.withLock { state in
        state.idle -= 1
        if !state.jobs.isEmpty { return (state.jobs.removeFirst().body, false) }
        guard state.leaving > 0 else { return (nil, false) }
        state.leaving -= 1
        return (nil, true)
      }
      job?()
      if isLeaving { return }
    }
  }

  /// The jobs of an actor, which run in order, each on any thread of the pool.
  package final class Lane: SerialExecutor {
    private struct State {
      var jobs: [Job] = []
      var isRunning = false
    }

    private struct Job {
      var body: @Sendable () -> Void
      /// The closure that is called if no thread can be started for the job.
      var refusal: @Sendable () -> Void
    }

    private let crew: ThreadCrew
    private let state = Mutex(State())
    private let thread = Atomic<UInt>(0)

    package init(of crew: ThreadCrew) {
      self.crew = crew
    }

    package func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      run { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
    }

    /// Runs `job` after all earlier jobs.
    ///
    /// - Parameters:
    ///   - job: A job that may take long.
    ///   - refuse: A closure that is called instead of the job, in its order, if no thread can be
    ///     started for it. It must not block. If `nil`, the job itself is called.
    package func run(
      _ job: @escaping @Sendable () -> Void,
      orElse refuse: (@Sendable () -> Void)? = nil
    ) {
      let isFirst = state.withLock { state in
        state.jobs.append(Job(body: job, refusal: refuse ?? job))
        defer { state.isRunning = true }
        return !state.isRunning
      }
      guard isFirst else { return }
      crew.run({ [self] in drain(\.body) }, orElse: { [self] in drain(\.refusal) })
    }

    private func drain(_ part: KeyPath<Job, @Sendable () -> Void>) {
      thread.store(Thread.current, ordering: .relaxed)
      while true {
        let jobs = state.withLock { state in
          defer { state.jobs = [] }
          state.isRunning = !state.jobs.isEmpty
          // Once this isn't running, another thread may already run the next job.
          if !state.isRunning { thread.store(0, ordering: .relaxed) }
          return state.jobs
        }
        if jobs.isEmpty { return }
        for job in jobs { job[keyPath: part]() }
      }
    }

    package func checkIsolated() {
      precondition(
        thread.load(ordering: .relaxed) == Thread.current,
        "This runs only in the lane's own jobs."
      )
    }
  }
}
