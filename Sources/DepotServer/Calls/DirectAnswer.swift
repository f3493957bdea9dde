internal import DepotEngine
internal import DepotLinux
internal import Synchronization

/// The sending of one answer by the store's thread, so that the server's needn't be woken for it.
///
/// It is for a session that has nothing else to do or to send. As soon as it has, the server's thread revokes
/// it, and gets the answer as it gets all others.
final class DirectAnswer: Sendable {
  private let connection: Int64
  private let store: Int
  private let descriptor: Descriptor
  private let inbox: Inbox
  private let isOpen = Mutex(true)

  init(_ session: Session, store: Int, _ inbox: Inbox) {
    connection = session.number
    self.store = store
    descriptor = session.descriptor
    self.inbox = inbox
  }

  /// Takes the permission back; after this nothing is sent any more by another thread.
  func revoke() { isOpen.withLock { $0 = false } }

  /// Sends the answer to a write, and leaves a note of it; returns whether it might.
  func send(_ outcome: WriteOutcome) -> Bool {
    isOpen.withLock { isOpen in
      guard isOpen else { return false }
      isOpen = false
      // Whoever hears of the answer must find that it was given.
      inbox.leave(
        .answered(
          store: store,
          token: outcome.token,
          isSuccess: outcome.isSuccess,
          at: Monotonic.now()
        )
      )
      var sent = 0
      outcome.frame.withUnsafeBytes { bytes in
        while sent < bytes.count {
          let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
          guard let count = try? descriptor.send(rest) else { return }
          sent += count
        }
      }
      if sent < outcome.frame.count {
        inbox.post(.rest(connection: connection, Array(outcome.frame[sent...])))
      }
      return true
    }
  }
}

extension Server {
  /// Lets the store answer a write by itself if its session has nothing else to do or to send.
  func allowDirectAnswer(to request: inout WriteRequest, _ session: Session, of host: StoreHost) {
    guard isServing, session.calls.count == 1, session.queue.hasOneWriteOnly,
      session.output.count == 0, !session.isHalfClosed, !session.isClosing
    else { return }
    let direct = DirectAnswer(session, store: host.number, inbox)
    session.direct = direct
    request.answer = direct.send
  }
}
