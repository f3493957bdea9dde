internal import DepotLinux
internal import DepotProtocol
internal import Synchronization

/// The writes that wait for the store.
///
/// The writes of a connection are done in their order. Of several connections, the one is next whose
/// writes took least time lately, so that nobody waits for all that another has sent.
final class Mailbox: Sendable {
  /// A write that waits for its turn.
  enum Entry: Sendable {
    case request(WriteRequest)
    /// A write with remaining chunks.
    case chunks(ChunkedWrite)

    init(_ request: WriteRequest) {
      self = ChunkedWrite(request).map(Entry.chunks) ?? .request(request)
    }

    var request: WriteRequest {
      switch self {
      case .request(let request): request
      case .chunks(let write): write.request
      }
    }

    /// Returns its outcome if it ends before it is done.
    func outcome(_ error: DepotError) -> WriteOutcome {
      switch self {
      case .request(let request): request.outcome(.failure(error))
      case .chunks(let write): write.request.outcome(.failure(write.error(error)))
      }
    }

    /// Whether it began, so that part of it is done.
    var isUnderWay: Bool {
      if case .chunks(let write) = self { write.progress.after != nil } else { false }
    }
  }

  private struct State {
    var queue = FairQueue<Entry>()
    /// A barrier that waits for the queue to be empty, and the entries after it.
    var later: [Entry] = []
    /// The connection whose write is being done, and since when.
    var turn: (connection: Int64, began: UInt64)?
    var isBeingEmptied = false
    var isClosed = false

    mutating func add(_ entry: Entry) {
      if later.isEmpty, !entry.request.isBarrier {
        queue.add(entry, of: entry.request.connection)
      } else {
        later.append(entry)
      }
    }

    /// Takes the next entry if `condition` holds for it.
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

    /// Charges the time since a write was taken to its connection.
    mutating func endTurn() {
      guard let turn else { return }
      queue.charge(Monotonic.now() - turn.began, to: turn.connection)
      self.turn = nil
    }

    mutating func beginTurn(_ entry: Entry?) {
      turn = entry.map { ($0.request.connection, Monotonic.now()) }
    }
  }

  private let state = Mutex(State())

  /// Puts requests in, and returns whether the thread must be woken to take them.
  func add(_ requests: [WriteRequest]) -> Bool {
    state.withLock { state in
      if state.isClosed { return false }
      for request in requests { state.add(Entry(request)) }
      defer { state.isBeingEmptied = true }
      return !state.isBeingEmptied
    }
  }

  /// Puts back a write with remaining chunks.
  ///
  /// - Throws: ``DepotError`` if its call was stopped; a later stop finds the write here.
  func putBack(_ write: ChunkedWrite) throws(DepotError) {
    try state.withLock { (state) throws(DepotError) in
      try write.request.control.check()
      state.add(.chunks(write))
    }
  }

  /// Takes the next write out, or the decision about the prepared write if there `isPrepared` one.
  ///
  /// If it returns `nil`, the thread must be woken for the next write.
  func take(isPrepared: Bool) -> Entry? {
    state.withLock { state in
      state.endTurn()
      let entry =
        isPrepared ? state.remove { $0.request.isDecision } : state.next { _ in true }
      state.isBeingEmptied = entry != nil
      state.beginTurn(entry)
      return entry
    }
  }

  /// Takes the next write out if it fits into a batch.
  func take(into batch: inout Batch) -> WriteRequest? {
    state.withLock { state in
      state.endTurn()
      let entry = state.next { entry in
        if case .request(let request) = entry { batch.admits(request) } else { false }
      }
      state.beginTurn(entry)
      return entry?.request
    }
  }

  /// Takes writes out, unless they are being done.
  func withdraw(_ tokens: Set<UInt64>) -> [Entry] {
    state.withLock { $0.removeAll { tokens.contains($0.request.token) } }
  }

  /// Takes out all writes with remaining chunks.
  func takeChunked() -> [ChunkedWrite] {
    state.withLock { $0.removeAll(where: \.isUnderWay) }.compactMap { entry in
      if case .chunks(let write) = entry { write } else { nil }
    }
  }

  /// How many writes wait.
  var count: Int { state.withLock { $0.queue.count } }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Accepts no more writes; waiting ones can still be taken.
  func close() {
    state.withLock { $0.isClosed = true }
  }
}

extension WriteRequest {
  /// Whether it decides about the transaction that was prepared.
  fileprivate var isDecision: Bool { phase == .commit || phase == .undo }
}
