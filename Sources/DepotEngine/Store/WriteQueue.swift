internal import DepotLinux
internal import DepotProtocol
internal import Synchronization

/// The queue of writes for the store.
///
/// The writes of a connection are executed in order. Among connections, the one whose writes took
/// the least time recently is next, so that no client waits for all writes of another one.
final class WriteQueue: Sendable {
  /// A waiting write.
  enum Entry: Sendable {
    case request(WriteRequest)
    /// A write with remaining chunks.
    indirect case chunks(ChunkedWrite)

    init(_ request: WriteRequest) {
      self = ChunkedWrite(request).map(Entry.chunks) ?? .request(request)
    }

    var request: WriteRequest {
      switch self {
      case .request(let request): request
      case .chunks(let write): write.request
      }
    }

    /// Returns the outcome of a write that fails before it is finished.
    func outcome(_ error: DepotError) -> WriteOutcome {
      switch self {
      case .request(let request): request.outcome(.failure(error))
      case .chunks(let write): write.request.outcome(.failure(write.error(error)))
      }
    }

    /// Whether chunks of it may be done already.
    var isUnderWay: Bool {
      if case .chunks(let write) = self { write.progress.after != nil } else { false }
    }
  }

  private struct State {
    var queue = FairQueue<Entry>()
    /// A barrier that waits until the queue is empty, and all entries after it.
    var later: [Entry] = []
    /// The connection whose write is being executed, and its start.
    var current: (connection: Int64, began: UInt64)?
    /// The writes of the present transaction, and the time when the first began.
    var running: [WriteRequest] = []
    var runningSince: UInt64 = 0
    var isBeingEmptied = false
    var isClosed = false

    mutating func add(_ entry: Entry) {
      if later.isEmpty, !entry.request.isBarrier {
        queue.add(entry, of: entry.request.connection)
      } else {
        later.append(entry)
      }
    }

    /// Removes and returns the next entry if it satisfies `condition`.
    mutating func next(if condition: (Entry) -> Bool) -> Entry? {
      if queue.isEmpty, let barrier = later.first {
        guard condition(barrier) else { return nil }
        let rest = later.dropFirst()
        later = []
        for entry in rest { add(entry) }
        return barrier
      }
      return queue.next(if: condition)
    }

    mutating func remove(where condition: (Entry) -> Bool) -> Entry? {
      if let entry = queue.remove(where: condition) { return entry }
      return later.firstIndex(where: condition).map { later.remove(at: $0) }
    }

    mutating func removeAll(where condition: (Entry) -> Bool) -> [Entry] {
      let removed = queue.removeAll(where: condition) + later.filter(condition)
      later.removeAll(where: condition)
      return removed
    }

    /// Charges the time since its start to the connection of the current write.
    mutating func endWrite() {
      guard let current else { return }
      queue.charge(Monotonic.now() - current.began, to: current.connection)
      self.current = nil
    }

    mutating func beginWrite(_ entry: Entry?) {
      current = entry.map { ($0.request.connection, Monotonic.now()) }
    }
  }

  private let state = Mutex(State())

  /// Adds requests, and returns whether the thread must be woken to execute them.
  func add(_ requests: [WriteRequest]) -> Bool {
    state.withLock { state in
      if state.isClosed { return false }
      for request in requests { state.add(Entry(request)) }
      defer { state.isBeingEmptied = true }
      return !state.isBeingEmptied
    }
  }

  /// Adds a write with remaining chunks again.
  ///
  /// - Throws: ``DepotError`` if its call was cancelled; a later cancellation finds the write here.
  func putBack(_ write: ChunkedWrite) throws(DepotError) {
    try state.withLock { (state) throws(DepotError) in
      try write.request.control.check()
      state.add(.chunks(write))
    }
  }

  /// Removes and returns the next write, or the decision about a prepared write if `isPrepared`.
  ///
  /// If it returns `nil`, the thread must be woken for the next write.
  func take(isPrepared: Bool) -> Entry? {
    state.withLock { state in
      state.endWrite()
      let entry =
        isPrepared ? state.remove { $0.request.isDecision } : state.next { _ in true }
      state.isBeingEmptied = entry != nil
      state.beginWrite(entry)
      // A prepared write runs until its decision has come.
      if let entry {
        state.running = [entry.request]
        state.runningSince = state.current?.began ?? 0
      } else if !isPrepared {
        state.running = []
      }
      return entry
    }
  }

  /// Removes and returns the next write if it fits into a batch.
  func take(into batch: inout Batch) -> WriteRequest? {
    state.withLock { state in
      state.endWrite()
      let entry = state.next { entry in
        if case .request(let request) = entry { batch.admits(request) } else { false }
      }
      state.beginWrite(entry)
      if let entry { state.running.append(entry.request) }
      return entry?.request
    }
  }

  /// Removes and returns waiting writes.
  func withdraw(_ tokens: Set<UInt64>) -> [Entry] {
    state.withLock { $0.removeAll { tokens.contains($0.request.token) } }
  }

  /// Removes and returns all writes with remaining chunks.
  func takeChunked() -> [ChunkedWrite] {
    state.withLock { $0.removeAll(where: \.isUnderWay) }.compactMap { entry in
      if case .chunks(let write) = entry { write } else { nil }
    }
  }

  /// The number of waiting writes.
  var count: Int { state.withLock { $0.queue.count } }

  /// Returns the running writes, and the first of the waiting ones.
  func survey(most: Int) -> WriteSurvey {
    state.withLock { state in
      let waiting = (state.queue.first(most) + state.later.prefix(most)).map(\.request)
      return WriteSurvey(
        running: state.running.filter { !$0.endsConnection }.map { .init($0) },
        since: state.runningSince,
        waiting: waiting.prefix(most).filter { !$0.endsConnection }.map { .init($0) },
        waitingCount: state.queue.count + state.later.count
      )
    }
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Accepts no more writes; waiting ones are still returned.
  func close() {
    state.withLock { $0.isClosed = true }
  }
}

extension WriteSurvey.Write {
  fileprivate init(_ request: WriteRequest) {
    self.init(token: request.token, operation: request.operation)
  }
}

extension WriteRequest {
  /// Whether it commits or undoes the prepared transaction.
  fileprivate var isDecision: Bool { phase == .commit || phase == .undo }
}
