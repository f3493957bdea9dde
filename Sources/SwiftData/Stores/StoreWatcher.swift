internal import DepotClient
internal import DepotLinux
internal import DepotProtocol
internal import Dispatch
internal import Synchronization

/// An event of a store that is watched.
enum StoreEvent: Sendable {
  /// A save, by this program or another one.
  case transaction(DepotClient.HistoryTransaction)
  /// Something was saved, and the history has no details of it.
  case gap
  /// A save of a context of this container in a store of the program's own.
  case objects(ObjectChanges)
}

/// A thread that waits for saves in one store, by this program or another one.
///
/// When the connection is lost, it makes another one and continues from the last transaction.
final class StoreWatcher: Sendable {
  private let handle: StoreHandle
  private let state: Mutex<State>

  private struct State {
    var isStopped = false
    var disconnector: Disconnector?
    /// The token up to which everything was delivered.
    var seen: DepotProtocol.HistoryToken?
    /// The thread that delivers.
    var thread: UInt?
    /// The threads that wait for the delivery up to a token.
    var waiting: [(token: DepotProtocol.HistoryToken, signal: DispatchSemaphore)] = []

    func hasSeen(_ token: DepotProtocol.HistoryToken) -> Bool { seen.map { $0 >= token } ?? false }
  }

  /// Begins to watch a store; saves after this returns are delivered.
  ///
  /// - Parameters:
  ///   - handle: The store.
  ///   - deliver: The receiver of an event; it is called on the watcher's thread.
  /// - Throws: ``SwiftDataError/storeFailure`` if nothing answers.
  init(_ handle: StoreHandle, _ deliver: @escaping @Sendable (StoreEvent) -> Void) throws {
    self.handle = handle
    let connection = try handle.connect()
    let head: DepotProtocol.HistoryToken
    do {
      head = try connection.historyStatus().head
    } catch {
      throw SwiftDataError(any: error)
    }
    state = Mutex(State(disconnector: connection.disconnector, seen: head))
    let start = Handover(connection)
    do {
      try Thread.start(name: "depot-changes") { [weak self] in
        Self.run({ self }, start.take(), since: head, deliver)
      }
    } catch {
      throw SwiftDataError(.storeFailure, "No thread can be made: \(error)")
    }
  }

  deinit { stop() }

  /// Ends the watch soon.
  func stop() {
    let disconnector = state.withLock { state in
      state.isStopped = true
      for waiter in state.waiting { waiter.signal.signal() }
      state.waiting = []
      return state.disconnector
    }
    disconnector?.disconnect()
  }

  /// The identifier of the store.
  var store: String { handle.identifier }

  /// Whether everything up to a transaction was delivered.
  func hasSeen(_ token: DepotProtocol.HistoryToken) -> Bool {
    state.withLock { $0.hasSeen(token) }
  }

  /// Waits until everything up to a transaction was delivered; doesn't wait on the watcher's own thread.
  ///
  /// - Returns: Whether that came before the deadline.
  @discardableResult
  func waitUntilSeen(_ token: DepotProtocol.HistoryToken, until deadline: DispatchTime) -> Bool {
    let signal: DispatchSemaphore? = state.withLock { state in
      guard !state.isStopped, !state.hasSeen(token), state.thread != Thread.current else {
        return nil
      }
      let signal = DispatchSemaphore(value: 0)
      state.waiting.append((token, signal))
      return signal
    }
    guard let signal, signal.wait(timeout: deadline) == .timedOut else { return hasSeen(token) }
    return state.withLock { state in
      state.waiting.removeAll { $0.signal === signal }
      return state.hasSeen(token)
    }
  }

  // MARK: - The thread

  private static func run(
    _ watcher: () -> StoreWatcher?,
    _ first: BlockingConnection?,
    since head: DepotProtocol.HistoryToken,
    _ deliver: (StoreEvent) -> Void
  ) {
    var known: DepotProtocol.HistoryToken? = head
    var connection = first
    var pause: UInt32 = 5
    watcher()?.state.withLock { $0.thread = Thread.current }
    while true {
      do {
        guard let current = try connection ?? watcher()?.connect() else { return }
        connection = nil
        let token = try known ?? current.historyStatus().head
        if known == nil { deliver(.gap) }
        known = token
        watcher()?.note(token)
        try current.watchHistory(since: token) { event in
          pause = 5
          switch event {
          case .transaction(let transaction):
            known = transaction.token
            deliver(.transaction(transaction))
          case .current(let moment): known = moment
          case .gap(_, let to):
            known = to ?? known
            deliver(.gap)
          case .interrupted: break
          }
          watcher()?.note(known)
          return true
        }
        return
      } catch {
        guard watcher() != nil else { return }
        let code = (error as? DepotError)?.code
        // The store was replaced, or the history since the last transaction is unknown.
        if code == .historyExpired || code == .historyForeign { known = nil }
        Process.sleep(milliseconds: pause)
        pause = min(pause * 2, 1000)
      }
    }
  }

  private func note(_ token: DepotProtocol.HistoryToken?) {
    state.withLock { state in
      state.seen = token
      if state.waiting.isEmpty { return }
      let served = state.waiting.filter { state.hasSeen($0.token) }
      for waiter in served { waiter.signal.signal() }
      state.waiting = state.waiting.filter { !state.hasSeen($0.token) }
    }
  }

  /// Connects anew; returns `nil` if the watch has ended.
  private func connect() throws -> BlockingConnection? {
    if state.withLock(\.isStopped) { return nil }
    let connection = try handle.connect()
    let isStopped = state.withLock { state in
      state.disconnector = connection.disconnector
      return state.isStopped
    }
    return isStopped ? nil : connection
  }
}
