internal import Synchronization

/// A thread that runs the jobs of actors, one after the other.
///
/// Its jobs may block, because it isn't part of Swift's cooperative pool. The thread ends after
/// ``stop()``.
package final class WorkerThread: SerialExecutor {
  private struct State: Sendable {
    var items: [@Sendable () -> Void] = []
    var isWaiting = false
    var isStopped = false
  }

  private let state = Mutex(State())
  private let signal: WakeSignal
  private let thread = Atomic<UInt>(0)

  /// Starts the thread.
  ///
  /// - Parameter name: The name in `ps -L`, at most 15 bytes.
  /// - Throws: ``SystemError`` if the kernel has no more threads or descriptors.
  package init(name: String) throws(SystemError) {
    signal = try WakeSignal(isBlocking: true)
    try Thread.start(name: name) { [self] in run() }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    run { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  /// Runs `work` on the thread, after all earlier work.
  package func run(_ work: @escaping @Sendable () -> Void) {
    let mustWake = state.withLock { state in
      state.items.append(work)
      return state.isWaiting
    }
    if mustWake { signal.signal() }
  }

  /// Ends the thread after all queued work.
  package func stop() {
    state.withLock { $0.isStopped = true }
    signal.signal()
  }

  /// Declares that the thread is about to wait; returns whether there is still no work.
  private func prepareToWait() -> Bool {
    state.withLock { state in
      state.isWaiting = state.items.isEmpty && !state.isStopped
      return state.isWaiting
    }
  }

  private func run() {
    thread.store(Thread.current, ordering: .relaxed)
    while true {
      let (items, isStopped) = state.withLock { state in
        defer { state.items = [] }
        state.isWaiting = false
        return (state.items, state.isStopped)
      }
      if items.isEmpty {
        if isStopped { return }
        if !prepareToWait() { continue }
        signal.consume()
        continue
      }
      for item in items { item() }
    }
  }

  package func checkIsolated() {
    precondition(isCurrent, "This runs only on the worker's own thread.")
  }

  /// Whether the caller runs on this thread.
  package var isCurrent: Bool { thread.load(ordering: .relaxed) == Thread.current }
}
