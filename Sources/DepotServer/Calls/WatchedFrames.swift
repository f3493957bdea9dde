internal import DepotProtocol
internal import Synchronization

/// The way of a watched query's frames to its client.
///
/// A small one is sent at once, by the thread that made it, unless some that came before are still on their
/// way through the server's thread.
@Memberwise("caller", "socket", "inbox")
final class WatchedFrames: Sendable {
  private let caller: Server.Caller
  private let socket: SharedSocket
  private let inbox: Inbox
  /// How many times the server's thread was given frames that it hasn't taken.
  private let underWay = Atomic(0)
  /// How many frames were sent at once.
  private let sent = Atomic(0)

  /// The size up to which a frame is sent at once, in bytes.
  private static let limit = 1 << 14
  /// After how many frames that were sent at once the server's thread looks whether there may be more.
  private static let interval = RunningStream.window / 2

  /// Sends frames, or hands them to the server's thread; one thread at a time may call it.
  func deliver(_ frames: [UInt8], _ count: Int, isLast: Bool) {
    if !isLast, frames.count <= Self.limit, underWay.load(ordering: .acquiring) == 0 {
      let isNoticed = sent.add(1, ordering: .relaxed).newValue.isMultiple(of: Self.interval)
      let isSent = socket.send(frames) { [inbox, caller] in
        inbox.leave(.delivered(caller, count: count))
      }
      if isSent { return isNoticed ? inbox.wake() : () }
    }
    underWay.add(1, ordering: .relaxed)
    inbox.post(.rows(caller, frames: frames, count: count, isLast: isLast))
  }

  /// Notes on the server's thread that it has taken what it was given once.
  func didTake() { underWay.subtract(1, ordering: .releasing) }
}
