internal import DepotClient
public import Foundation

/// Notifications of saves.
extension ModelContext {
  /// The name of the notification before a save; its object is the context.
  public static let willSave = Notification.Name("ModelContext.willSave")

  /// The name of the notification after a save; its object is the context.
  ///
  /// Its user info has arrays of identifiers under each ``NotificationKey``, and under the key's raw value;
  /// values of others that this save has replaced are under ``NotificationKey/conflicts``.
  public static let didSave = Notification.Name("ModelContext.didSave")

  /// The keys of the user info of ``didSave``.
  public enum NotificationKey: String, Sendable {
    case queryGeneration
    case invalidatedAllIdentifiers
    case insertedIdentifiers = "inserted"
    case updatedIdentifiers = "updated"
    case deletedIdentifiers = "deleted"
    /// The tokens of the save in the histories of the stores, by the stores' identifiers.
    case historyTokens
    /// The conflicts with others that this context won by its ``ModelContext/mergePolicy``.
    ///
    /// Each is a `SaveConflict` with the values read, those of others, and those stored now.
    case conflicts
  }

  /// Delivers a save to the other contexts of the process, and posts its notification.
  final func announce(_ report: SaveReport) {
    accessGuard.aside {
      for case let token as DefaultHistoryToken in report.tokens.values { catchUp(token) }
      post(report)
    }
  }

  /// Delivers this context's save to the other contexts of the process.
  private final func catchUp(_ token: DefaultHistoryToken) {
    for store in stores.all {
      guard let moment = token[store.identifier] else { continue }
      WatchedStores.catchUp(store.identifier, moment, for: mergeQueue)
    }
  }

  /// Delivers a bulk write, whose answer has no token, to the other contexts of the process.
  ///
  /// Where the policy lets the store win, unsaved changes of this context give way to it at once, as to
  /// changes of others.
  final func announceWrite(to store: any ContextStore) {
    let givesWay =
      isWatching && !pending.changed.isEmpty
      && (mergePolicy == .mergeByPropertyStoreTrump || mergePolicy == .rollback)
    let own = givesWay ? nil : mergeQueue
    guard WatchedStores.hasListeners(besides: own),
      // The write is done; after a failure here, the other contexts get it with the next connection.
      let head = try? store.lastTransaction()
    else { return }
    WatchedStores.catchUp(store.identifier, head, for: own)
    if givesWay { mergeRemoteChanges() }
  }

  /// Posts a notification about the changes of a save.
  private final func post(_ report: SaveReport) {
    var info: [AnyHashable: Any] = [:]
    func add(_ key: NotificationKey, _ value: Any) {
      info[key] = value
      info[key.rawValue] = value
    }
    add(.insertedIdentifiers, report.inserted)
    add(.updatedIdentifiers, report.updated)
    add(.deletedIdentifiers, report.deleted)
    add(.historyTokens, report.tokens)
    if !report.conflicts.isEmpty { add(.conflicts, report.conflicts) }
    NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: info)
  }
}
