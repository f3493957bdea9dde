internal import DepotClient
internal import Foundation

/// The announcement of a save to the other contexts of the process, and to its observers.
extension ContextSave {
  /// Delivers a save to the other contexts of the process, and posts its notification.
  func announce() {
    context.accessGuard.aside {
      for case let token as DefaultHistoryToken in report.tokens.values { catchUp(token) }
      post()
    }
  }

  /// Delivers this context's save to the other contexts of the process.
  private func catchUp(_ token: DefaultHistoryToken) {
    for store in context.stores.all {
      guard let moment = token[store.identifier] else { continue }
      WatchedStores.catchUp(store.identifier, moment, for: context.mergeQueue)
    }
  }

  /// Posts a notification about the changes of a save.
  private func post() {
    var info: [AnyHashable: Any] = [:]
    func add(_ key: ModelContext.NotificationKey, _ value: Any) {
      info[key] = value
      info[key.rawValue] = value
    }
    add(.insertedIdentifiers, report.inserted)
    add(.updatedIdentifiers, report.updated)
    add(.deletedIdentifiers, report.deleted)
    add(.historyTokens, report.tokens)
    if !report.conflicts.isEmpty { add(.conflicts, report.conflicts) }
    NotificationCenter.default.post(name: ModelContext.didSave, object: context, userInfo: info)
  }
}
