import Dispatch
import Testing

@testable import SwiftData

@Suite struct `Executors of model actors` {
  private let container: ModelContainer

  init() throws { container = try trackContainer() }

  private actor Worker {
    private let executor: DefaultSerialModelExecutor
    private var log: [Int] = []
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ executor: DefaultSerialModelExecutor) { self.executor = executor }

    func isOnMainThread() -> Bool { Thread.isMainThread }
    func isOnQueue() -> Bool {
      dispatchPrecondition(condition: .onQueue(executor.queue))
      return executor.isIsolatingCurrentContext() == true
    }
    func priority() -> TaskPriority { Task.currentPriority }
    func slice() -> UInt64 { threadSlice() }
    func block(_ gate: DispatchSemaphore) { gate.wait() }
    func add(_ number: Int) { log.append(number) }
    func all() -> [Int] { log }

    /// Lets a job for each priority wait for this one; each adds its index.
    func addLater(at priorities: [TaskPriority]) -> [Task<Void, Never>] {
      let tasks = priorities.enumerated().map { index, priority in
        Task(priority: priority) { add(index) }
      }
      #expect(executor.waitingCount == priorities.count)
      return tasks
    }
  }

  @MainActor @Test func `work runs off the main thread though the actor was made on it`() async {
    let worker = Worker(DefaultSerialModelExecutor(modelContext: ModelContext(container)))
    #expect(await !worker.isOnMainThread())
    #expect(await worker.isOnQueue())
  }

  @Test func `a job has its caller's priority`() async {
    let worker = Worker(DefaultSerialModelExecutor(modelContext: ModelContext(container)))
    for priority in [TaskPriority.background, .utility, .medium, .high] {
      let seen = await Task(priority: priority) { await worker.priority() }.value
      #expect(seen >= priority)
    }
  }

  @Test func `more actors than the pool has threads may wait at once`() async {
    let gate = DispatchSemaphore(value: 0)
    let count = ProcessInfo.processInfo.activeProcessorCount * 4
    await withTaskGroup { group in
      for _ in 0..<count {
        group.addTask {
          let worker = Worker(DefaultSerialModelExecutor(modelContext: ModelContext(container)))
          await worker.block(gate)
        }
      }
      // This runs on the pool, which would have no thread left if the actors waited there.
      group.addTask { for _ in 0..<count { gate.signal() } }
    }
  }

  @Test func `jobs of one priority run in the order in which they came`() async {
    let executor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
    let worker = Worker(executor)
    for number in 0..<100 { await worker.add(number) }
    #expect(await worker.all() == Array(0..<100))
  }

  @Test func `the most urgent job that waits runs first`() async {
    let worker = Worker(DefaultSerialModelExecutor(modelContext: ModelContext(container)))
    for task in await worker.addLater(at: [.background, .utility, .high]) { await task.value }
    #expect(await worker.all() == [2, 1, 0])
  }

  @Test func `a job gives way to threads that wake, and what runs after it doesn't`() async throws {
    let usual = threadSlice()
    // Kernels before Linux 6.12 have no slices.
    guard usual > 0 else { return }
    let executor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
    let worker = Worker(executor)
    #expect(await worker.slice() > usual)
    let after = await withCheckedContinuation { done in
      executor.queue.async { done.resume(returning: threadSlice()) }
    }
    #expect(after == usual)
  }

  @Test func `what is on the queue may enter the actor without waiting`() async {
    let executor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
    let worker = Worker(executor)
    await withCheckedContinuation { done in
      executor.queue.async {
        worker.assumeIsolated { _ in }
        done.resume()
      }
    }
  }
}
