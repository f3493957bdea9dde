package import DepotProtocol
internal import Synchronization

/// A client's watch, with methods to control it.
///
/// All methods may be called from any thread, even after it has ended.
package final class LiveWatch: Sendable {
  package let request: WatchRequest
  package let control: CallControl
  package let reply: ReplyWriter
  /// The number of the connection, whose own changes may be excluded.
  package let connection: Int64
  let deliver: LongRead.Delivery
  private let state: Mutex<State>

  private struct State {
    /// The number of frames that the client has accepted since the beginning, and of frames sent.
    var granted: Int
    var used = 0
    /// The running read of the existing rows.
    var read: LongRead?
    /// The error with which the service ends it.
    var stop: DepotError?
    /// Whether frames wait for the client to accept more.
    var isStarved = false
    var isEnded = false
    var queries: LiveQueries?
  }

  /// Creates a watch; call ``wake()`` after cancelling its control.
  ///
  /// ``grant(_:)`` accepts more frames than `allowance`, which is `nil` for any number. `deliver`
  /// must not block its thread.
  package init(
    _ request: WatchRequest,
    control: CallControl,
    reply: ReplyWriter,
    connection: Int64,
    allowance: Int? = nil,
    deliver: @escaping LongRead.Delivery
  ) {
    self.request = request
    self.control = control
    self.reply = reply
    self.connection = connection
    self.deliver = deliver
    state = Mutex(State(granted: allowance ?? .max))
  }

  /// Accepts more frames.
  package func grant(_ frames: Int) {
    let (read, queries) = state.withLock { state in
      let (sum, isOverflow) = state.granted.addingReportingOverflow(frames)
      state.granted = isOverflow ? .max : sum
      defer { state.isStarved = false }
      return (state.read, state.isStarved ? state.queries : nil)
    }
    read?.grant(frames)
    queries?.attend(self)
  }

  /// Makes it check its ``control`` again.
  package func wake() {
    let (read, queries) = state.withLock { ($0.read, $0.queries) }
    read?.wake()
    queries?.attend(self)
  }

  /// Ends it with `error`.
  package func stop(_ error: DepotError) {
    let (read, queries) = state.withLock { state in
      state.stop = state.stop ?? error
      return (state.read, state.queries)
    }
    read?.stop(error)
    queries?.attend(self)
  }

  // MARK: - Called by those who watch

  func check() throws(DepotError) {
    if let stop = state.withLock({ $0.stop }) { throw stop }
    try control.check()
  }

  func begin(_ queries: LiveQueries) { state.withLock { $0.queries = queries } }

  /// Whether the client accepts a frame; if not, ``LiveQueries/attend(_:)`` is called once it does.
  func hasRoom() -> Bool {
    state.withLock { state in
      state.isStarved = state.used >= state.granted
      return !state.isStarved
    }
  }

  /// Sends an accepted frame.
  func send(_ frame: [UInt8]) {
    noteSent(1)
    deliver(frame, 1, false)
  }

  /// Counts sent frames.
  func noteSent(_ count: Int) { state.withLock { $0.used += count } }

  /// Sets the read of the rows, which may send as many frames as the client accepts.
  func beginRead(_ read: LongRead) {
    let room = state.withLock { state in
      state.read = read
      return state.granted == .max ? .max : max(0, state.granted - state.used)
    }
    read.grant(room)
  }

  func endRead() { state.withLock { $0.read = nil } }

  /// Ends the call, once.
  func end(_ error: DepotError) {
    end(reply.failure(error))
  }

  /// Ends the call with its final frame, once.
  func end(_ frame: [UInt8]) {
    let isFirst = state.withLock { state in
      defer { state.isEnded = true }
      state.queries = nil
      state.read = nil
      return !state.isEnded
    }
    if isFirst { deliver(frame, 0, true) }
  }
}
