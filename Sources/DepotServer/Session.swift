internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// One connection: its descriptor, its bytes in both directions, and its calls.
///
/// It lives on the server's thread.
final class Session {
  let number: Int64
  let descriptor: Descriptor
  let peer: UnixSocket.Peer
  let role: AccessPolicy.Role?
  var state = SessionState()
  var decoder = FrameDecoder()
  var output = OutputQueue()
  var calls: [Int64: RunningCall] = [:]
  /// What it has sent of saves that are yet to come.
  var staged = StagedSaves()
  var writesInFlight = 0
  /// What lets the store answer the only write that is in flight.
  var direct: DirectAnswer?
  /// The calls that wait for those before them: a read, and what came after it.
  var deferred: [Call] = []
  /// The write that is done in chunks, behind which the connection's other writes wait.
  var chunked: Int64?
  /// The call that has the connection for itself, so that later ones wait for it.
  var exclusive: Int64?
  /// The container of the calls that name none.
  var containerName = ContainerRequest.defaultName
  /// That container, once it was looked up.
  var container: Container?
  var client: [String: String] = [:]
  /// Who the history says makes the connection's changes, unless a call says otherwise.
  var author: String?
  /// The process as the history tells it.
  var process: String?
  var int64: Hello.Int64Form = .number
  /// Why the session ends as soon as its framing is known.
  var refusal: DepotError?
  /// Whether to close when all output is sent.
  var isClosing = false
  /// Whether the client was told that nothing more comes.
  var isFinished = false
  /// Whether the client will send no more, though it may still read.
  var isHalfClosed = false
  /// Whether the session is among those that are looked at before the loop sleeps.
  var isTouched = false
  var watchesReads = true
  var watchesWrites = false
  /// When the connection was made, in nanoseconds of the monotonic clock.
  let openedAt: UInt64
  /// The moments that the client keeps, by the names of their pins.
  var pins: [String: PinnedMoment] = [:]
  /// The numbers of the stores that may have uploads of this connection.
  var uploads: Set<Int> = []
  /// When the client last took or sent bytes.
  var lastProgress: UInt64

  init(
    number: Int64,
    descriptor: Descriptor,
    peer: UnixSocket.Peer,
    role: AccessPolicy.Role?,
    now: UInt64
  ) {
    self.number = number
    self.descriptor = descriptor
    self.peer = peer
    self.role = role
    openedAt = now
    lastProgress = now
  }

  /// Has all that is sent from now on, and all that is answered, go through the server's thread.
  func revokeDirectAnswer() {
    direct?.revoke()
    direct = nil
  }

  var framing: FrameDecoder.Framing { decoder.framing ?? .lines }

  func reply(to id: Int64) -> ReplyWriter {
    ReplyWriter(id: id, framing: framing, int64: int64)
  }

  /// Queues a frame without an id.
  func send(_ body: (inout JSONWriter) -> Void) {
    FrameEncoder.append(framing, to: &output.writer, body)
  }

  /// Queues the terminal frame of a failed call.
  func fail(_ id: Int64, _ error: DepotError) {
    reply(to: id).failure(error, to: &output.writer)
  }
}

/// A call that has no terminal frame yet.
struct RunningCall {
  /// The ordinal of the operation.
  let operation: Int
  let entity: String?
  let startedAt: UInt64
  let control: CallControl
  var stream: RunningStream?
}

/// The flow of a stream.
struct RunningStream {
  /// How many frames may be on their way to the client without its having taken them.
  static let window = 8

  let source: Source
  /// The store that is read.
  let host: StoreHost
  /// How many frames the client asked for, or `nil` if it leaves that to the socket.
  var credit: Int?
  var granted: Int
  var delivered = 0

  /// What produces the frames.
  enum Source {
    case read(LongRead)
    case watch(LiveWatch)
  }

  /// Has the source look at its call's control again.
  func wake() {
    switch source {
    case .read(let read): read.wake()
    case .watch(let watch): watch.wake()
    }
  }

  /// Has the source end with `error`.
  func stop(_ error: DepotError) {
    switch source {
    case .read(let read): read.stop(error)
    case .watch(let watch): watch.stop(error)
    }
  }

  /// Lets the source produce more frames.
  func grant(_ frames: Int) {
    switch source {
    case .read(let read): read.grant(frames)
    case .watch(let watch): watch.grant(frames)
    }
  }

  /// The read, unless the stream goes on until its client has enough.
  var read: LongRead? {
    if case .read(let read) = source { read } else { nil }
  }

  var isWatch: Bool { read == nil }

  /// Whether only more credit lets the stream go on.
  var isOutOfCredit: Bool { credit.map { delivered >= $0 } ?? false }

  /// Returns how many more frames may be produced now, and counts them as granted.
  mutating func takeGrant() -> Int {
    let wanted = min(delivered + Self.window, credit ?? .max)
    let grant = max(0, wanted - granted)
    granted += grant
    return grant
  }
}
