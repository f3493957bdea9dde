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

  /// Delivers a bulk write, whose answer has no token, to the other contexts of the process.
  ///
  /// Where the policy lets the store win, unsaved changes of this context give way to it at once, as to
  /// changes of others.
  final func announceWrite(to store: any ContextStore) {
    let givesWay =
      listening == .on && !pending.changed.isEmpty
      && (mergePolicy == .mergeByPropertyStoreTrump || mergePolicy == .rollback)
    let own = givesWay ? nil : mergeQueue
    guard WatchedStores.hasListeners(besides: own),
      // The write is done; after a failure here, the other contexts get it with the next connection.
      let head = try? store.lastTransaction()
    else { return }
    WatchedStores.catchUp(store.identifier, head, for: own)
    if givesWay { mergeRemoteChanges() }
  }
}
