internal import DepotEngine
internal import DepotLinux
internal import DepotProtocol

/// One connection: its descriptor, its bytes in both directions, and its calls.
///
/// It lives on the server's thread.
final class Session {
  let number: Int64
  let descriptor: Descriptor
  let socket: SharedSocket
  let peer: UnixSocket.Peer
  let role: AccessPolicy.Role?
  var state = SessionState()
  var decoder = FrameDecoder()
  var output = OutputQueue()
  /// How many bytes of streams are in it at most, which wait for their reader and are no reason to cut that off.
  var streamedBytes = 0
  var calls: [Int64: RunningCall] = [:]
  /// The parts of saves that are yet to come.
  var staged = StagedSaves()
  var queue = CallQueue()
  /// The write that began last, which the next may come after.
  var lastWrite: (id: Int64, control: CallControl)?
  /// A call that waits until less is in flight, and the size of its frame.
  var held: (frame: ClientFrame, bytes: Int)?
  /// The permission for the store to answer the only write in flight.
  var direct: DirectAnswer?
  /// The container of the calls that name none.
  var containerName = ContainerRequest.defaultName
  /// That container, once it was looked up.
  var container: Container?
  var client: [String: String] = [:]
  /// The author of the connection's changes in the history, unless a call names another.
  var author: String?
  /// The process as the history tells it.
  var process: String?
  var int64: Hello.Int64Form = .number
  /// Why the session ends as soon as its framing is known.
  var refusal: DepotError?
  /// The way to the end of the connection, on the service's side.
  enum Ending {
    case none
    /// It closes when all output is sent.
    case closing
    /// The client was told that nothing more comes.
    case finished
  }

  var ending = Ending.none
  var isClosing: Bool { ending != .none }
  /// Whether the client will send no more, though it may still read.
  var isHalfClosed = false
  /// Whether the session's output is sent before the loop sleeps.
  var isTouched = false
  /// Whether the session is among those with frames or calls to handle.
  var isQueued = false
  /// Whether its client has sent something that is to be read first.
  var isReadable = false
  var watchesReads = true
  private(set) var watchesWrites = false
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
    inbox: Inbox,
    peer: UnixSocket.Peer,
    role: AccessPolicy.Role?,
    now: UInt64
  ) {
    self.number = number
    self.descriptor = descriptor
    socket = SharedSocket(number, descriptor, inbox)
    self.peer = peer
    self.role = role
    openedAt = now
    lastProgress = now
  }

  /// Notes whether output waits for the client.
  ///
  /// Before, the client had taken everything, including frames sent by other threads.
  func noteWaiting(_ isWaiting: Bool, _ now: UInt64) {
    if isWaiting, !watchesWrites { lastProgress = now }
    watchesWrites = isWaiting
  }

  /// Has the only write in flight be answered through the server's thread.
  func revokeDirectAnswer() {
    direct?.revoke()
    direct = nil
  }

  var framing: FrameDecoder.Framing { decoder.framing ?? .lines }

  func reply(to id: Int64) -> ReplyWriter {
    ReplyWriter(id: id, framing: framing, int64: int64)
  }

  /// How many bytes of rows were queued since the client had taken all.
  var queuedRowBytes = 0

  /// Whether nothing but rows waits for the client, and a few small answers; the streams wait for it too.
  var waitsForReader: Bool { output.count <= queuedRowBytes + (64 << 10) && queuedRowBytes > 0 }

  /// The number of bytes that streams may still produce, beside the unsent output.
  var streamRoom: Int {
    let granted = calls.values.reduce(0) { $0 + ($1.stream?.grantedBytes ?? 0) }
    return Limits.outboundHardBytes - output.count - granted
  }

  /// Queues a frame without an id.
  func send(_ body: (inout JSONWriter) -> Void) {
    FrameEncoder.append(framing, to: &output.writer, body)
  }

  /// Queues an error that no call has.
  func send(_ error: DepotError) {
    send { writer in
      writer.object { writer in
        writer.member("err")
        writer.write(error)
      }
    }
  }

  /// Queues the terminal frame of a failed call.
  func fail(_ id: Int64, _ error: DepotError) {
    reply(to: id).failure(error, to: &output.writer)
  }
}

/// A call that has no terminal frame yet.
struct RunningCall {
  let operation: Operation
  let startedAt: UInt64
  let control: CallControl
  var stream: RunningStream?
  /// The requests that were handed over to stores for it, and may be taken back.
  var writes: [(host: StoreHost, token: UInt64)] = []
  /// The name of the pin that it is to be answered with.
  var pin: String?
  /// Whether the executing operation was told to stop.
  var isStopped = false

  /// How many frames of a stream have come.
  var delivered: Int { stream?.delivered ?? 0 }

  init(_ call: Call, control: CallControl, startedAt: UInt64) {
    operation = call.operation
    self.startedAt = startedAt
    self.control = control
  }
}

/// The flow of a stream.
@Memberwise("source", "host")
struct RunningStream {
  /// How many frames may be on their way to the client without its having taken them.
  static let window = 8
  /// How many of a read are as long as nobody knows how large they are.
  static let firstWindow = 1

  /// The producer of the frames.
  enum Source {
    case read(LongRead)
    case watch(LiveWatch, WatchedFrames)
  }

  let source: Source
  /// The store that is read.
  let host: StoreHost
  /// How many frames the client asked for, or `nil` if it leaves that to the socket.
  var credit: Int?
  var granted: Int
  /// Whether its producer has begun, which it does with the first frame that is granted.
  var hasBegun: Bool = true
  /// How many frames of a read have come.
  private var received: Int = 0
  /// The size of the last frame; `nil` before the first.
  private var frameBytes: Int?

  /// The read; `nil` if the stream is a watch, which runs until its client cancels it.
  var read: LongRead? { if case .read(let read) = source { read } else { nil } }

  /// The way of the frames of a watch.
  var watched: WatchedFrames? { if case .watch(_, let frames) = source { frames } else { nil } }

  /// Whether the stream ends only when the client has enough.
  var isWatch: Bool { if case .watch = source { true } else { false } }

  /// Whether it has a snapshot for as long as its client reads.
  var isLimited: Bool { read?.operation.isStream == true }

  /// How many frames have come from the producer.
  var delivered: Int {
    switch source {
    case .read: received
    case .watch(_, let frames): frames.count
    }
  }

  /// Whether only more credit lets the stream go on.
  var isOutOfCredit: Bool { credit.map { delivered >= $0 } ?? false }

  /// The size of the granted frames that are still missing, in bytes; 0 for a watch.
  var grantedBytes: Int {
    isLimited ? max(0, granted - received) * (frameBytes ?? Limits.frameBytes) : 0
  }

  /// Notes that frames of a read have come, with so many bytes together.
  mutating func didReceive(_ count: Int, bytes: Int) {
    received += count
    if count > 0 { frameBytes = bytes / count }
  }

  /// Returns how many more frames may be produced now, and counts them as granted.
  mutating func takeGrant() -> Int {
    var window = Self.window
    if !isWatch {
      // As many as have 1 MiB, if they are large.
      let fitting = frameBytes.map { Limits.outboundSoftBytes / max(1, $0) } ?? Self.firstWindow
      window = max(1, min(window, fitting))
    }
    let wanted = min(delivered + window, credit ?? .max)
    let grant = max(0, wanted - granted)
    granted += grant
    return grant
  }

  /// Makes the producer look at its call's control again.
  func wake() {
    switch source {
    case .read(let read): read.wake()
    case .watch(let watch, _): watch.wake()
    }
  }

  /// Makes the producer end with `error`.
  func stop(_ error: DepotError) {
    switch source {
    case .read(let read): read.stop(error)
    case .watch(let watch, _): watch.stop(error)
    }
  }

  /// Lets the producer make more frames.
  func grant(_ frames: Int) {
    switch source {
    case .read(let read): read.grant(frames)
    case .watch(let watch, _): watch.grant(frames)
    }
  }
}
