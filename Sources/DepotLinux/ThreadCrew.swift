internal import Synchronization

/// Threads for jobs that may block: as many as there are jobs at the moment.
///
/// A ``Lane`` runs its jobs one after the other.
package final class ThreadCrew: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    /// How many threads wait for a job.
    var idle = 0
    /// How many idle threads are to end.
    var leaving = 0
  }

  private let name: String
  private let state = Mutex(State())
  private let signal = Semaphore()

  /// Creates a crew whose threads have a name of at most 15 bytes.
  package init(name: String) {
    self.name = name
  }

  /// Ends the threads that have nothing to do.
  package func rest() {
    let leaving = state.withLock { state in
      defer { state.leaving = state.idle }
      return state.idle - state.leaving
    }
    for _ in 0..<max(0, leaving) { signal.signal() }
  }

  /// Runs a job on one of the threads.
  ///
  /// Where there can be no more threads, it waits for one that is there.
  private func run(_ job: @escaping @Sendable () -> Void) {
    let isStarting = state.withLock { state in
      state.jobs.append(job)
      return state.idle - state.leaving < state.jobs.count
    }
    if isStarting { try? Thread.start(name: name) { [self] in serve() } }
    signal.signal()
  }

  private func serve() {
    while true {
      state.withLock { $0.idle += 1 }
      signal.wait()
      let (job, isLeaving): ((@Sendable () -> Void)?, Bool) = state.withLock { state in
        state.idle -= 1
        if !state.jobs.isEmpty { return (state.jobs.removeFirst(), false) }
        guard state.leaving > 0 else { return (nil, false) }
        state.leaving -= 1
        return (nil, true)
      }
      job?()
      if isLeaving { return }
    }
  }

  /// The jobs of an actor, which run one after the other, each on any thread of the crew.
  package final class Lane: SerialExecutor {
    private struct State {
      var jobs: [@Sendable () -> Void] = []
      var isRunning = false
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

    /// Runs `job` after those that were handed over before.
    package func run(_ job: @escaping @Sendable () -> Void) {
      let isFirst = state.withLock { state in
        state.jobs.append(job)
        defer { state.isRunning = true }
        return !state.isRunning
      }
      if isFirst { crew.run { [self] in drain() } }
    }

    private func drain() {
      thread.store(Thread.current, ordering: .relaxed)
      while true {
        let jobs = state.withLock { state in
          defer { state.jobs = [] }
          state.isRunning = !state.jobs.isEmpty
          // Another thread may be in here as soon as this isn't.
          if !state.isRunning { thread.store(0, ordering: .relaxed) }
          return state.jobs
        }
        if jobs.isEmpty { return }
        for job in jobs { job() }
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
