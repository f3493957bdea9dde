package import DepotProtocol
internal import Synchronization

/// A watched query on its way to a client, and the handle to steer it.
///
/// All methods may be called from any thread, also after it ended.
package final class LiveWatch: Sendable {
  package let request: WatchRequest
  package let control: CallControl
  package let reply: ReplyWriter
  /// The number of the connection, whose own changes may not be wanted.
  package let connection: Int64
  let deliver: LongRead.Delivery
  private let state: Mutex<State>

  private struct State {
    /// How many frames the client had room for since the beginning, and how many it got.
    var granted: Int
    var used = 0
    /// The read of the rows that there are, while it runs.
    var read: LongRead?
    /// Why the service wants it to end.
    var stop: DepotError?
    /// Whether something waits for more room.
    var isStarved = false
    var isEnded = false
    var queries: LiveQueries?
  }

  /// Creates a watch; call ``wake()`` after cancelling its control.
  ///
  /// ``grant(_:)`` allows more frames than `allowance`, which is `nil` for any number. `deliver`
  /// must not block the thread that calls it.
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

  /// Allows more frames.
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

  /// Makes it look at its ``control`` again.
  package func wake() {
    let (read, queries) = state.withLock { ($0.read, $0.queries) }
    read?.wake()
    queries?.attend(self)
  }

  /// Makes it end with `error`.
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

  /// Whether the client has room for a frame; if not, more room brings ``LiveQueries/attend(_:)``.
  func hasRoom() -> Bool {
    state.withLock { state in
      state.isStarved = state.used >= state.granted
      return !state.isStarved
    }
  }

  /// Sends a frame for which there is room.
  func send(_ frame: [UInt8]) {
    noteSent(1)
    deliver(frame, 1, false)
  }

  /// Counts frames that were sent.
  func noteSent(_ count: Int) { state.withLock { $0.used += count } }

  /// Notes what reads the rows, which gets the room that the client has.
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
    var writer = JSONWriter()
    reply.failure(error, to: &writer)
    end(writer.bytes)
  }

  /// Ends the call with its terminal frame, once.
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
