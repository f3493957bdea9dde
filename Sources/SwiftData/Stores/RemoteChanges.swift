internal import DepotClient
internal import DepotProtocol
internal import Dispatch
internal import Foundation
internal import Synchronization

/// The changes that are saved in the stores of a container, on their way to the contexts.
///
/// Nothing is watched before the first receiver needs it.
final class RemoteChanges: Sendable {
  private let handles: [StoreHandle]
  private let watchers = Mutex<[StoreWatcher]?>(nil)
  private let receivers = Mutex<[WeakReceiver]>([])
  /// The queue that posts notifications: a slow receiver delays it, and no save waits for it.
  private let notices = DispatchQueue(label: "SwiftData.remoteChange")
  /// Posts the notification of an event.
  private let post: @Sendable (RemoteEvent) -> Void
  /// How many notifications aren't posted yet.
  private let unposted = Atomic(0)

  init(_ handles: [StoreHandle], post: @escaping @Sendable (RemoteEvent) -> Void) {
    self.handles = handles
    self.post = post
  }

  /// Begins to watch the stores, if that hasn't begun.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` if nothing answers.
  func begin() throws {
    try watchers.withLock { watchers in
      guard watchers == nil else { return }
      watchers = try handles.map { handle in
        try StoreWatcher(handle) { [weak self, store = handle.identifier] event in
          self?.handOut(RemoteEvent(store: store, event: event))
        }
      }
      WatchedStores.add(self)
    }
  }

  /// Delivers the save of a context in a custom store.
  func deliver(_ event: RemoteEvent) { if watchers.withLock({ $0 != nil }) { handOut(event) } }

  /// Hands all later events to `receiver`, as long as that lives.
  func add(_ receiver: any RemoteReceiver) {
    receivers.withLock { receivers in
      receivers.removeAll { $0.receiver == nil || $0.receiver === receiver }
      receivers.append(WeakReceiver(receiver: receiver))
    }
  }

  /// Whether everything up to these transactions was delivered and merged.
  func hasSettled(at tokens: [String: DepotProtocol.HistoryToken]) -> Bool {
    guard hasHandedOut(tokens), unposted.load(ordering: .acquiring) == 0 else { return false }
    return receivers.withLock(\.self).allSatisfy { $0.receiver?.isSettled ?? true }
  }

  /// Whether everything up to these transactions was handed out.
  func hasHandedOut(_ tokens: [String: DepotProtocol.HistoryToken]) -> Bool {
    watchers.withLock { watchers in
      watchers?.allSatisfy { watcher in tokens[watcher.store].map(watcher.hasSeen) ?? true } ?? true
    }
  }

  /// Lets all receivers handle the events so far on their own actors or queues.
  ///
  /// - Returns: How many haven't done so yet.
  func finishHandling() -> RemainingCount {
    let count = RemainingCount()
    for entry in receivers.withLock(\.self) {
      guard let receiver = entry.receiver, receiver.isListening else { continue }
      count.begin()
      receiver.whenHandled { count.end() }
    }
    return count
  }

  private func handOut(_ event: RemoteEvent) {
    for entry in receivers.withLock({ $0 }) { entry.receiver?.receive(event) }
    // Contexts on the main queue merge before the notification is received there.
    unposted.add(1, ordering: .relaxed)
    notices.async { [self] in
      post(event)
      unposted.subtract(1, ordering: .releasing)
    }
  }

  // MARK: - Saves of this process

  /// Delivers all transactions up to one of this process, before its save returns.
  ///
  /// Receivers on the calling thread's queue then merge them.
  ///
  /// - Parameters:
  ///   - store: The identifier of the store.
  ///   - token: The transaction.
  ///   - own: The receiver of the context that has saved.
  ///   - deadline: The time until which this waits.
  fileprivate func catchUp(
    _ store: String,
    _ token: DepotProtocol.HistoryToken,
    for own: (any RemoteReceiver)?,
    until deadline: DispatchTime
  ) {
    let others = listeners(besides: own)
    guard !others.isEmpty, let watchers = watchers.withLock(\.self) else { return }
    for watcher in watchers where watcher.store == store {
      watcher.waitUntilSeen(token, until: deadline)
    }
    for receiver in others { receiver.hurry() }
  }

  /// The receivers that take events now, except one.
  fileprivate func listeners(besides own: (any RemoteReceiver)?) -> [any RemoteReceiver] {
    receivers.withLock { $0.compactMap(\.receiver) }.filter { $0 !== own && $0.isListening }
  }

  private struct WeakReceiver: Sendable {
    weak var receiver: (any RemoteReceiver)?
  }
}

/// A receiver of the events of saves.
protocol RemoteReceiver: AnyObject, Sendable {
  /// Takes an event, on the thread of a watcher.
  func receive(_ event: RemoteEvent)

  /// Whether it has handled all events that it handles by itself.
  var isSettled: Bool { get }

  /// Whether it takes events now.
  var isListening: Bool { get }

  /// Handles all events so far: at once if this runs on its queue, else in one job of that queue.
  func hurry()

  /// Calls a function when all events so far are handled, as far as it does that by itself.
  func whenHandled(_ body: @escaping @Sendable () -> Void)
}

extension RemoteReceiver {
  var isListening: Bool { true }
  func hurry() {}
}

/// The number of receivers that haven't handled their events yet.
final class RemainingCount: Sendable {
  private let count = Atomic(0)

  func begin() { count.add(1, ordering: .relaxed) }
  func end() { count.subtract(1, ordering: .releasing) }
  var isZero: Bool { count.load(ordering: .acquiring) == 0 }
}

/// The containers of this process whose stores are watched.
enum WatchedStores {
  private struct Entry: Sendable {
    weak var remote: RemoteChanges?
  }

  private static let entries = Mutex<[Entry]>([])
  /// How long a save waits at most until other contexts know of it.
  private static let patience = DispatchTimeInterval.seconds(2)

  static func add(_ remote: RemoteChanges) {
    entries.withLock { entries in
      entries.removeAll { $0.remote == nil }
      entries.append(Entry(remote: remote))
    }
  }

  /// Delivers a transaction to all contexts of this process before its save returns.
  ///
  /// Contexts merge it before any later job of their actors, so that a program that has awaited a
  /// save never reads older values.
  ///
  /// - Parameters:
  ///   - store: The identifier of the store.
  ///   - token: The transaction.
  ///   - own: The receiver of the context that has saved.
  static func catchUp(
    _ store: String,
    _ token: DepotProtocol.HistoryToken,
    for own: (any RemoteReceiver)?
  ) {
    let known = entries.withLock { $0.compactMap(\.remote) }
    if known.isEmpty { return }
    let deadline = DispatchTime.now() + patience
    for remote in known { remote.catchUp(store, token, for: own, until: deadline) }
  }

  /// Whether the process has a receiver that takes events, other than `own`.
  static func hasListeners(besides own: (any RemoteReceiver)?) -> Bool {
    entries.withLock { $0.compactMap(\.remote) }.contains { !$0.listeners(besides: own).isEmpty }
  }
}

/// An event of one of a container's stores.
struct RemoteEvent: Sendable {
  /// The identifier of the store.
  let store: String
  let event: StoreEvent

  /// The transaction in the history of the store.
  var moment: DepotProtocol.HistoryToken? {
    guard case .transaction(let transaction) = event else { return nil }
    return transaction.token
  }

  /// The token of the history after it.
  var token: DefaultHistoryToken? { moment.map { DefaultHistoryToken(store: store, $0) } }

  /// The author of the change, if one was named.
  var author: String? {
    switch event {
    case .transaction(let transaction): transaction.author
    case .gap: nil
    case .objects(let changes): changes.editingState.author
    }
  }

  /// The names of the entities of the objects that changed, as far as they are known.
  var entityNames: [String] {
    switch event {
    case .transaction(let transaction): transaction.changes.map(\.entity)
    case .gap: []
    case .objects(let changes): changes.all.map(\.entityName)
    }
  }

  /// How many changes it has.
  var changeCount: Int { entityNames.count }
}
