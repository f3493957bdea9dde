internal import DepotProtocol
internal import Synchronization

/// The way of a watched query's frames to its client.
///
/// A small one is sent at once, by the thread that made it, unless some that came before are still on their
/// way through the server's thread.
@Memberwise("caller", "socket", "inbox")
final class WatchedFrames: Sendable {
  private struct State {
    /// How many times the server's thread was given frames that it hasn't taken.
    var underWay = 0
    /// How many frames were sent at once.
    var sent = 0
    /// Whether the terminal frame was given.
    var isEnded = false
  }

  private let caller: Server.Caller
  private let socket: SharedSocket
  private let inbox: Inbox
  private let state = Mutex(State())

  /// The size up to which a frame is sent at once, in bytes.
  private static let limit = 1 << 14
  /// After how many frames that were sent at once the server's thread looks whether there may be more.
  private static let interval = RunningStream.window / 2

  /// The number of frames that were given, sent or not.
  var count: Int { given.load(ordering: .relaxed) }
  private let given = Atomic(0)

  /// Sends frames, or hands them to the server's thread; drops frames after the terminal one.
  ///
  /// A watch may end while a reader still has rows for it.
  func deliver(_ frames: [UInt8], _ count: Int, isLast: Bool) {
    state.withLock { state in
      if state.isEnded { return }
      state.isEnded = isLast
      if !isLast, frames.count <= Self.limit, state.underWay == 0 {
        let isSent = socket.send(frames) { given.add(count, ordering: .relaxed) }
        if isSent {
          state.sent += 1
          if state.sent.isMultiple(of: Self.interval) { inbox.post(.delivered(caller)) }
          return
        }
      }
      state.underWay += 1
      given.add(count, ordering: .relaxed)
      inbox.post(.rows(caller, frames: frames, count: count, isLast: isLast))
    }
  }

  /// Notes on the server's thread that it has received one delivery.
  func didTake() { state.withLock { $0.underWay -= 1 } }
}
