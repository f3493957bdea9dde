internal import DepotProtocol
internal import Synchronization

/// The delivery of a watched query's frames to its client.
///
/// A small frame is sent at once by the thread that made it, unless earlier frames are still on
/// their way through the server's thread.
@Memberwise("caller", "socket", "inbox")
final class WatchedFrames: Sendable {
  private struct State {
    /// The number of deliveries that the server's thread hasn't received yet.
    var underWay = 0
    /// The number of frames sent at once.
    var sent = 0
    /// Whether the terminal frame was delivered.
    var isEnded = false
  }

  private let caller: Caller
  private let socket: SharedSocket
  private let inbox: Inbox
  private let state = Mutex(State())

  /// The size up to which a frame is sent at once, in bytes.
  private static let limit = 1 << 14
  /// The number of frames sent at once after which the server's thread checks the credit.
  private static let interval = RunningStream.window / 2

  /// The number of delivered frames, whether sent or still queued.
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
        // Before the client can ask for rows that it knows of by them.
        let isSent = socket.send(frames) {
          inbox.noteShown()
          given.add(count, ordering: .relaxed)
        }
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
