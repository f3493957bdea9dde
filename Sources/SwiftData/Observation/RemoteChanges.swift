internal import DepotClient
internal import DepotProtocol
internal import Foundation
internal import Synchronization

/// The changes that anybody saves in the stores of a container, on their way to the contexts.
///
/// Nothing is watched before somebody wants it.
final class RemoteChanges: Sendable {
  private let handles: [StoreHandle]
  private let watchers = Mutex<[StoreWatcher]?>(nil)
  private let receivers = Mutex<[WeakReceiver]>([])

  init(_ handles: [StoreHandle]) { self.handles = handles }

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
    }
  }

  /// Tells of a save of a context in a store of the program's own.
  func tell(_ event: RemoteEvent) { if watchers.withLock({ $0 != nil }) { handOut(event) } }

  /// Hands everything that is told from now on to `receiver`, as long as that lives.
  func add(_ receiver: any RemoteReceiver) {
    receivers.withLock { receivers in
      receivers.removeAll { $0.receiver == nil || $0.receiver === receiver }
      receivers.append(WeakReceiver(receiver: receiver))
    }
  }

  /// Whether everything up to these transactions was handed out and taken in.
  func hasSettled(at tokens: [String: DepotProtocol.HistoryToken]) -> Bool {
    let haveSeen = watchers.withLock { watchers in
      watchers?.allSatisfy { watcher in tokens[watcher.store].map(watcher.hasSeen) ?? true } ?? true
    }
    guard haveSeen else { return false }
    return receivers.withLock(\.self).allSatisfy { $0.receiver?.isSettled ?? true }
  }

  private func handOut(_ event: RemoteEvent) {
    for entry in receivers.withLock({ $0 }) { entry.receiver?.receive(event) }
    // Contexts on the main queue merge before anybody there learns of the notification.
    NotificationCenter.default.post(
      name: ModelContainer.remoteChange,
      object: nil,
      userInfo: event.userInfo
    )
  }

  private struct WeakReceiver: Sendable {
    weak var receiver: (any RemoteReceiver)?
  }
}

/// Something that is told what was saved.
protocol RemoteReceiver: AnyObject, Sendable {
  /// Takes an event, on the thread of a watcher.
  func receive(_ event: RemoteEvent)

  /// Whether it has done all that events ask for, as far as it does that by itself.
  var isSettled: Bool { get }
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

  /// The moment after it.
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

  /// How many changes it tells.
  var changeCount: Int { entityNames.count }

  var userInfo: [AnyHashable: Any] {
    var info: [AnyHashable: Any] = ["storeIdentifier": store]
    if let token {
      let tokens: [String: any HistoryToken] = [store: token]
      info[ModelContext.NotificationKey.historyTokens] = tokens
      info[ModelContext.NotificationKey.historyTokens.rawValue] = tokens
    }
    if let author { info["author"] = author }
    return info
  }
}

extension ModelContainer {
  /// The name of the notification that something was saved in a store, by this program or another one.
  ///
  /// It is posted while a context of the container merges automatically or an observer lives. Its user
  /// info has the "storeIdentifier", the "author" if there is one, and under
  /// ``ModelContext/NotificationKey/historyTokens`` the token of the transaction by the identifier of the
  /// store.
  public static let remoteChange = Notification.Name("ModelContainer.remoteChange")
}
