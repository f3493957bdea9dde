internal import DepotClient
public import Foundation

extension ModelContainer {
  /// The name of the notification that something was saved in a store, by this program or another one.
  ///
  /// It is posted while a context of the container merges automatically or an observer lives. Its user
  /// info has the "storeIdentifier", the "author" if there is one, and under
  /// ``ModelContext/NotificationKey/historyTokens`` the token of the transaction by the identifier of the
  /// store.
  public static let remoteChange = Notification.Name("ModelContainer.remoteChange")
}

extension RemoteEvent {
  /// Posts the notification of it.
  func post() {
    NotificationCenter.default.post(
      name: ModelContainer.remoteChange,
      object: nil,
      userInfo: userInfo
    )
  }

  private var userInfo: [AnyHashable: Any] {
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
