internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol
internal import Synchronization

/// Messages of other threads to the server's thread.
@Memberwise
final class Inbox: Sendable {
  enum Message: Sendable {
    case committed(store: Int, [WriteOutcome])
    /// A write that the store's thread has already answered.
    case answered(store: Int, token: UInt64, isSuccess: Bool, at: UInt64)
    /// The unsent rest of another thread's frames waits for the client.
    case rest(connection: Int64)
    /// Frames of a watch that another thread has sent directly; it may produce more.
    case delivered(Caller)
    case rows(Caller, frames: [UInt8], count: Int, isLast: Bool)
    case barrier(Caller, Result<[HistoryToken], DepotError>)
    case readersClosed(store: Int)
    case storeClosed(store: Int)
    case opened(ticket: Int, Result<[OpenedStore], DepotError>)
    case pinned(Pinned, Result<SharedSnapshot.Facts, DepotError>)
    case fatal(DepotError)
    /// A client from inside this program.
    case client(Descriptor)
    /// The enclosing program no longer needs the service.
    case end
  }

  /// The call and the store that a pin belongs to.
  struct Pinned: Sendable {
    let caller: Caller
    let name: String
    let store: Int
  }

  private let loop: EventLoop
  private let messages = Mutex<[Message]?>([])
  /// Whether there may be messages, so that an empty inbox needs no lock.
  private let isFull = Atomic(false)

  /// The number of times that another thread has sent a client rows that it had read.
  var shownCount: Int { shown.load(ordering: .acquiring) }
  private let shown = Atomic(0)

  /// Notes that a client is about to see a commit that the server's thread may not know of.
  func noteShown() { shown.add(1, ordering: .releasing) }

  /// Sends a message to the server's thread, and wakes it.
  func post(_ message: Message) {
    leave(message)
    loop.wake()
  }

  /// Leaves a message without waking the server's thread.
  func leave(_ message: Message) {
    messages.withLock { $0?.append(message) }
    isFull.store(true, ordering: .releasing)
  }

  /// Wakes the server's thread, so that it reads the messages.
  func wake() { loop.wake() }

  /// Whether there may be messages.
  var hasMessages: Bool { isFull.load(ordering: .acquiring) }

  /// Whether work waits for the server's thread.
  var isLoopAwaited: Bool { isFull.load(ordering: .relaxed) || loop.isAwaited }

  /// Removes and returns all messages.
  func takeAll() -> [Message] {
    guard isFull.exchange(false, ordering: .acquiring) else { return [] }
    return messages.withLock { messages in
      guard let all = messages else { return [] }
      messages = []
      return all
    }
  }

  /// Drops all later messages, since nobody reads them; clients find themselves disconnected.
  func close() {
    messages.withLock { $0 = nil }
  }
}
