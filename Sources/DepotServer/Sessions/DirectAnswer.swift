internal import DepotEngine
internal import DepotLinux
internal import Synchronization

/// The permission for the store's thread to send one answer without waking the server's thread.
///
/// It is given if nothing else in the session waits for the write. When something begins to wait,
/// the server's thread revokes it, and then sends the answer itself.
final class DirectAnswer: Sendable {
  private let store: Int
  private let socket: SharedSocket
  private let inbox: Inbox
  private let isOpen = Mutex(true)

  init(_ session: Session, store: Int, _ inbox: Inbox) {
    self.store = store
    socket = session.socket
    self.inbox = inbox
  }

  /// Revokes the permission; afterwards the store's thread sends nothing.
  ///
  /// - Returns: Whether it hasn't been used.
  @discardableResult
  func revoke() -> Bool {
    isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
  }

  /// Sends the answer to a write, and leaves a message about it; returns `false` if revoked.
  func send(_ outcome: WriteOutcome) -> Bool {
    isOpen.withLock { isOpen in
      guard isOpen else { return false }
      isOpen = false
      return socket.send(outcome.frame) {
        inbox.leave(
          .answered(
            store: store,
            token: outcome.token,
            isSuccess: outcome.isSuccess,
            at: Monotonic.now()
          )
        )
      }
    }
  }
}
