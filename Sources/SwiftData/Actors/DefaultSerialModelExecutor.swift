internal import DepotLinux
internal import Dispatch
internal import Synchronization

/// An executor that runs the jobs of a model actor one at a time, on its own queue.
///
/// The queue is neither the main queue nor part of the cooperative pool, wherever the actor was
/// created. A context can therefore wait for the store without blocking other tasks. A job has the
/// priority of its task. The most urgent job runs first; jobs of equal priority run in order of
/// arrival.
// because the jobs that wait are behind a lock, and the context is used by the queue's jobs alone
public final class DefaultSerialModelExecutor: @unchecked Sendable, SerialModelExecutor {
  /// The context of the actor.
  public let modelContext: ModelContext
  /// The queue, which runs as many blocks as there are jobs.
  let queue = DispatchQueue(label: "SwiftData.ModelActor")
  private let waiting = Mutex(JobQueue())

  /// Creates the executor of the actor that has a context.
  ///
  /// From then on the context merges the saves of other contexts.
  public init(modelContext: ModelContext) {
    self.modelContext = modelContext
    ActorQueue.mark(queue)
    modelContext.settle(at: .queue(queue))
  }

  public func enqueue(_ job: consuming ExecutorJob) {
    let priority = job.priority.rawValue
    let job = UnownedJob(job)
    waiting.withLock { $0.append(job, priority: priority) }
    queue.async(qos: DispatchQoS(priority), flags: .enforceQoS) { self.runNext() }
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  public func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }

  public func isIsolatingCurrentContext() -> Bool? {
    ActorQueue.isCurrent(queue)
  }

  /// How many jobs wait.
  var waitingCount: Int { waiting.withLock { $0.count } }

  private func runNext() {
    guard let job = waiting.withLock({ $0.popFirst() }) else { return }
    // Yields, so that the main actor, above all, needn't wait until a bulk fetch has finished.
    DepotLinux.Thread.giveWay()
    modelContext.accessGuard.hasActor.store(true, ordering: .relaxed)
    // An urgent job may run in the block of an earlier one, ahead of a scheduled merge.
    modelContext.mergeQueue.workNow()
    job.runSynchronously(on: asUnownedSerialExecutor())
    DepotLinux.Thread.restoreSlice()
  }
}

extension DispatchQoS {
  /// The quality of service of a task's priority.
  fileprivate init(_ priority: UInt8) {
    switch priority {
    case TaskPriority.userInitiated.rawValue...: self = .userInitiated
    case TaskPriority.medium.rawValue...: self = .default
    case TaskPriority.utility.rawValue...: self = .utility
    default: self = .background
    }
  }
}
