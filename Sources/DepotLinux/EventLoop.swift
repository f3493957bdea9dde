internal import CDepotLinux
internal import Glibc
internal import Synchronization

/// A loop that waits for descriptors on one thread, and runs the jobs of the actor on that thread.
///
/// The thread calls ``wait(milliseconds:_:)`` repeatedly; any thread may ``wake()`` it.
package final class EventLoop: SerialExecutor {
  /// An event of a descriptor.
  package struct Event: Sendable {
    /// The number that the descriptor was added with.
    package var token: Int64
    package var isReadable: Bool
    package var isWritable: Bool
    /// Whether the other side has closed the connection, or the descriptor has an error.
    package var isHangUp: Bool
  }

  /// The events of a descriptor that a loop waits for.
  package struct Interest: OptionSet, Sendable {
    package let rawValue: UInt8
    package static let reads = Interest(rawValue: 1)
    package static let writes = Interest(rawValue: 2)

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package init(reads: Bool, writes: Bool) {
      self = reads ? .reads : []
      if writes { insert(.writes) }
    }
  }

  private struct State: Sendable {
    var jobs: [UnownedJob] = []
    var mustNotSleep = false
    var isSleeping = false
  }

  private static let wakeToken: Int64 = -1
  private let epoll: Descriptor
  private let signal: WakeSignal
  private let state = Mutex(State())
  private let thread = Atomic<UInt>(0)

  /// - Throws: ``SystemError`` if there are no more descriptors.
  package init() throws(SystemError) {
    epoll = Descriptor(
      try systemCall("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
    )
    signal = try WakeSignal(isBlocking: false)
    try add(signal.descriptor, token: Self.wakeToken)
  }

  /// Starts to watch whether a descriptor is readable.
  ///
  /// The corresponding C function is `epoll_ctl`.
  package func add(_ descriptor: Descriptor, token: Int64) throws(SystemError) {
    try control(EPOLL_CTL_ADD, descriptor, token, .reads)
  }

  /// Changes the watched events of a descriptor.
  package func change(
    _ descriptor: Descriptor,
    token: Int64,
    to interest: Interest
  ) throws(SystemError) {
    try control(EPOLL_CTL_MOD, descriptor, token, interest)
  }

  /// Stops watching a descriptor.
  package func remove(_ descriptor: Descriptor) {
    epoll_ctl(epoll.number, EPOLL_CTL_DEL, descriptor.number, nil)
  }

  private func control(
    _ operation: Int32,
    _ descriptor: Descriptor,
    _ token: Int64,
    _ interest: Interest
  ) throws(SystemError) {
    var event = epoll_event()
    event.events =
      (interest.contains(.reads) ? EPOLLIN.rawValue : 0)
      | (interest.contains(.writes) ? EPOLLOUT.rawValue : 0)
    event.data.u64 = UInt64(bitPattern: token)
    try systemCall("epoll_ctl") {
      epoll_ctl(epoll.number, operation, descriptor.number, &event)
    }
  }

  /// Waits for events, and runs the actor's jobs.
  ///
  /// - Parameters:
  ///   - milliseconds: The longest time to wait.
  ///   - events: The array that receives the events.
  package func wait(milliseconds: Int32, _ events: inout [Event]) {
    thread.store(Thread.current, ordering: .relaxed)
    // This takes less time than `removeAll`, since there are few.
    while !events.isEmpty { events.removeLast() }
    let timeout = state.withLock { state -> Int32 in
      defer { state.mustNotSleep = false }
      state.isSleeping = !state.mustNotSleep && state.jobs.isEmpty
      return state.isSleeping ? milliseconds : 0
    }
    // As many as the stack has room for: 1024 bytes.
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { buffer in
      let count = epoll_wait(epoll.number, buffer.baseAddress, 64, timeout)
      for index in 0..<max(0, Int(count)) { note(buffer[index], &events) }
    }
    let jobs = state.withLock { state in
      state.isSleeping = false
      defer { state.jobs = [] }
      return state.jobs
    }
    for job in jobs { job.runSynchronously(on: asUnownedSerialExecutor()) }
  }

  private func note(_ event: epoll_event, _ events: inout [Event]) {
    let token = Int64(bitPattern: event.data.u64)
    guard token != Self.wakeToken else { return signal.consume() }
    let flags = event.events
    events.append(
      Event(
        token: token,
        isReadable: flags & EPOLLIN.rawValue != 0,
        isWritable: flags & EPOLLOUT.rawValue != 0,
        isHangUp: flags & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0
      )
    )
  }

  /// Whether the next wait would return at once.
  ///
  /// The corresponding C function is `poll`.
  package var isAwaited: Bool {
    if state.withLock({ $0.mustNotSleep || !$0.jobs.isEmpty }) { return true }
    var entry = pollfd(fd: epoll.number, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }

  /// Ends the wait, or lets the next one return at once.
  package func wake() {
    let mustSignal = state.withLock { state in
      defer {
        state.mustNotSleep = true
        state.isSleeping = false
      }
      return state.isSleeping
    }
    if mustSignal { signal.signal() }
  }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
    wake()
  }

  package func checkIsolated() {
    precondition(
      thread.load(ordering: .relaxed) == Thread.current,
      "This runs only on the loop's thread."
    )
  }

  /// Makes the calling thread the loop's thread.
  package func adoptCurrentThread() {
    thread.store(Thread.current, ordering: .relaxed)
  }
}
