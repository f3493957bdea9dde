internal import DepotClient
internal import DepotProtocol
internal import Foundation
internal import Synchronization

/// What is saved in the stores of a container, by whomever, on its way to the contexts that want it.
///
/// Nothing is watched before somebody wants it.
final class RemoteChanges: Sendable {
  private let handles: [StoreHandle]
  private let state = Mutex(State())
  /// Where events are handed out, which the watchers' threads call.
  private let exchange = Exchange()

  private struct State {
    var watchers: [StoreWatcher]?
  }

  init(_ handles: [StoreHandle]) { self.handles = handles }

  /// Begins to watch the stores, if that hasn't begun.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` if nothing answers.
  func begin() throws {
    try state.withLock { state in
      guard state.watchers == nil else { return }
      state.watchers = try handles.map { handle in
        let (exchange, store) = (exchange, handle.identifier)
        return try StoreWatcher(handle) { exchange.handOut(RemoteEvent(store: store, event: $0)) }
      }
    }
  }

  /// Tells what a context has saved in a store of the program's own.
  func tell(_ event: RemoteEvent) {
    if state.withLock({ $0.watchers != nil }) { exchange.handOut(event) }
  }

  /// Hands everything that is told from now on to `receiver`, as long as that lives.
  func add(_ receiver: any RemoteReceiver) { exchange.add(receiver) }

  /// Who gets the events.
  private final class Exchange: Sendable {
    private let receivers = Mutex<[WeakReceiver]>([])

    func add(_ receiver: any RemoteReceiver) {
      receivers.withLock { receivers in
        receivers.removeAll { $0.receiver == nil || $0.receiver === receiver }
        receivers.append(WeakReceiver(receiver: receiver))
      }
    }

    func handOut(_ event: RemoteEvent) {
      for entry in receivers.withLock({ $0 }) { entry.receiver?.receive(event) }
      // Contexts on the main queue merge before anybody there learns of the notification.
      NotificationCenter.default.post(
        name: ModelContainer.remoteChange,
        object: nil,
        userInfo: event.userInfo
      )
    }
  }

  private struct WeakReceiver: Sendable {
    weak var receiver: (any RemoteReceiver)?
  }
}

/// Something that is told what was saved.
protocol RemoteReceiver: AnyObject, Sendable {
  /// Takes an event, on the thread of a watcher.
  func receive(_ event: RemoteEvent)
}

/// What one of a container's stores tells.
struct RemoteEvent: Sendable {
  /// The identifier of the store.
  let store: String
  let event: StoreEvent

  /// The number of the transaction in the history of the store.
  var sequence: Int64? {
    guard case .transaction(let transaction) = event else { return nil }
    return transaction.token.sequence
  }

  /// The moment after it.
  var token: DefaultHistoryToken? {
    sequence.map { DefaultHistoryToken(store: store, sequence: $0) }
  }

  /// How many changes it tells.
  var changeCount: Int {
    switch event {
    case .transaction(let transaction): transaction.changes.count
    case .gap: 0
    case .objects(let changes): changes.all.count
    }
  }

  var userInfo: [AnyHashable: Any] {
    var info: [AnyHashable: Any] = ["storeIdentifier": store]
    if let token {
      let tokens: [String: any HistoryToken] = [store: token]
      info[ModelContext.NotificationKey.historyTokens] = tokens
      info[ModelContext.NotificationKey.historyTokens.rawValue] = tokens
    }
    if case .transaction(let transaction) = event, let author = transaction.author {
      info["author"] = author
    }
    if case .objects(let changes) = event, let author = changes.editingState.author {
      info["author"] = author
    }
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
