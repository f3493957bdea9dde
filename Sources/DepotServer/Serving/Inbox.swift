internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol
internal import Synchronization

/// Messages of other threads to the server's thread.
@Memberwise
final class Inbox: Sendable {
  enum Message: Sendable {
    case committed(store: Int, [WriteOutcome])
    /// A write that the store's thread has answered already.
    case answered(store: Int, token: UInt64, isSuccess: Bool, at: UInt64)
    /// A client hasn't taken all of what another thread has sent to it.
    case rest(connection: Int64)
    /// Another thread has sent frames of a watch, which may produce more.
    case delivered(Server.Caller)
    case rows(Server.Caller, frames: [UInt8], count: Int, isLast: Bool)
    case barrier(Server.Caller, Result<[HistoryToken], DepotError>)
    case readersClosed(store: Int)
    case storeClosed(store: Int)
    case opened(ticket: Int, StoreOpener.Outcome)
    case pinned(Pinned, Result<Pin.Moment, DepotError>)
    case fatal(DepotError)
    /// A client from inside this program.
    case client(Descriptor)
    /// The program that the service is in needs it no more.
    case end
  }

  /// Whose pin of which store it is.
  struct Pinned: Sendable {
    let caller: Server.Caller
    let name: String
    let store: Int
  }

  private let loop: EventLoop
  private let messages = Mutex<[Message]?>([])
  /// Whether there may be messages, so that an empty box costs no lock.
  private let isFull = Atomic(false)

  /// Hands a message to the server's thread.
  func post(_ message: Message) {
    leave(message)
    loop.wake()
  }

  /// Leaves a message that the server's thread finds when it has something else to do.
  func leave(_ message: Message) {
    messages.withLock { $0?.append(message) }
    isFull.store(true, ordering: .releasing)
  }

  /// Has the server's thread look at what was left.
  func wake() { loop.wake() }

  /// Whether there may be messages.
  var hasMessages: Bool { isFull.load(ordering: .acquiring) }

  /// Whether the server's thread has something else to do than what it does.
  var isLoopAwaited: Bool { isFull.load(ordering: .relaxed) || loop.isAwaited }

  /// Takes what has come.
  func takeAll() -> [Message] {
    guard isFull.exchange(false, ordering: .acquiring) else { return [] }
    return messages.withLock { messages in
      guard let all = messages else { return [] }
      messages = []
      return all
    }
  }

  /// Drops what comes from now on, since nobody looks any more; clients find themselves disconnected.
  func close() {
    messages.withLock { $0 = nil }
  }
}
