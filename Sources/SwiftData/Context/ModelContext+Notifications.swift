internal import DepotClient
public import Foundation

/// Notifications of saves.
extension ModelContext {
  /// The name of the notification before a save; its object is the context.
  public static let willSave = Notification.Name("ModelContext.willSave")

  /// The name of the notification after a save; its object is the context.
  ///
  /// Its user info has arrays of identifiers under each ``NotificationKey``, and under the key's raw value;
  /// what others had stored and this save has replaced is under ``NotificationKey/conflicts``.
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
    /// The conflicts with others in which ``ModelContext/mergePolicy`` let this context win: for each a
    /// ``SaveConflict`` with what was read, what others had stored, and what is stored now.
    case conflicts
  }

  /// Lets the other contexts of this process know of a save, and posts its notification.
  final func announce(_ report: SaveReport) {
    for case let token as DefaultHistoryToken in report.tokens.values { catchUp(token) }
    post(report)
  }

  /// Lets the other contexts of this process know of what this one has saved up to a moment.
  private final func catchUp(_ token: DefaultHistoryToken) {
    for store in stores {
      guard let moment = token[store.identifier] else { continue }
      WatchedStores.catchUp(store.identifier, moment, for: mergeQueue)
    }
  }

  /// Lets the other contexts of this process know of a write of many rows, whose answer has no token.
  final func announceWrite(to store: any ContextStore) {
    guard let handle = (store as? ServiceStore)?.handle,
      WatchedStores.hasListeners(besides: mergeQueue),
      // The write is made: without an answer they learn of it when there is a connection again.
      let head = try? handle.borrow({ try $0.historyStatus().head })
    else { return }
    WatchedStores.catchUp(store.identifier, head, for: mergeQueue)
  }

  /// Tells of what a save has changed.
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
