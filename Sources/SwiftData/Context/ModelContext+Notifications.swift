public import Foundation

/// Notifications of saves.
extension ModelContext {
  /// The name of the notification before a save; its object is the context.
  public static let willSave = Notification.Name("ModelContext.willSave")

  /// The name of the notification after a save; its object is the context.
  ///
  /// Its user info has arrays of identifiers under each ``NotificationKey``, and under the key's raw value.
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
  }

  /// Tells of what a save has changed.
  final func post(_ report: SaveReport) {
    var info: [AnyHashable: Any] = [:]
    func add(_ key: NotificationKey, _ value: Any) {
      info[key] = value
      info[key.rawValue] = value
    }
    add(.insertedIdentifiers, report.inserted)
    add(.updatedIdentifiers, report.updated)
    add(.deletedIdentifiers, report.deleted)
    add(.historyTokens, report.tokens)
    NotificationCenter.default.post(name: Self.didSave, object: self, userInfo: info)
  }
}
