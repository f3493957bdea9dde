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
  /// The role of its user; `nil` if the user has no access.
  let userRole: AccessPolicy.Role?
  /// The access that its hello asked for.
  var access = Operation.Privilege.owner
  var state = SessionState()
  var decoder = FrameDecoder()
  var output = OutputQueue()
  /// The bytes of streams in the output, at most; a slow reader of these isn't cut off.
  var streamedBytes = 0
  var calls: [Int64: RunningCall] = [:]
  /// The staged parts of later saves.
  var staged = StagedSaves()
  var queue = CallQueue()
  /// The write that began last; a later write may depend on it.
  var lastWrite: (id: Int64, control: CallControl)?
  /// A call that waits until fewer bytes are in flight, and the size of its frame.
  var held: (frame: ClientFrame, bytes: Int)?
  /// The permission for the store to answer the only write in flight directly.
  var direct: DirectAnswer?
  /// The container of calls that name none.
  var containerName = ContainerRequest.defaultName
  /// That container, once it was looked up.
  var container: Container?
  var client: [String: String] = [:]
  /// The author of the connection's changes in the history, unless a call names another.
  var author: String?
  /// The name of the process in the history.
  var process: String?
  var int64: Hello.Int64Form = .number
  /// The error that ends the session as soon as its framing is known.
  var refusal: DepotError?
  /// The stages of closing the connection, on the service's side.
  enum Ending {
    case none
    /// It closes when all output is sent.
    case closing
    /// The client has received the end of the output.
    case finished
  }

  var ending = Ending.none
  var isClosing: Bool { ending != .none }
  /// Whether the client has ended its output; it may still read.
  var isHalfClosed = false
  /// Whether the session's output is sent before the loop sleeps.
  var needsFlush = false
  /// Whether the session is among those with frames or calls to handle.
  var isQueued = false
  /// Whether its client has sent bytes that must be read first.
  var isReadable = false
  var watchesReads = true
  private(set) var watchesWrites = false
  /// The monotonic time of the connection's start, in nanoseconds.
  let openedAt: UInt64
  /// The pinned snapshots of the client, by name.
  var pins: [String: ContainerSnapshot] = [:]
  /// The numbers of the stores that may have uploads of this connection.
  var uploads: Set<Int> = []
  /// The time when the client last received or sent bytes.
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
    userRole = role
    openedAt = now
    lastProgress = now
  }

  /// The role of the connection: its user's, limited to ``access``.
  var role: AccessPolicy.Role? {
    switch access {
    case .read: userRole == nil ? nil : .reader
    case .write: userRole == .owner ? .writer : userRole
    case .owner: userRole
    }
  }

  /// The error of a deed that readers may not do.
  var mayOnlyRead: DepotError {
    let subject = userRole == .reader ? "User \(peer.user)" : "The connection"
    return DepotError(.operation, "\(subject) may only read.")
  }

  /// Records whether output waits for the client.
  ///
  /// Before that, the client has received everything, including frames that other threads have
  /// sent.
  func noteWaiting(_ isWaiting: Bool, _ now: UInt64) {
    if isWaiting, !watchesWrites { lastProgress = now }
    watchesWrites = isWaiting
  }

  /// Makes the server's thread answer the only write in flight.
  func revokeDirectAnswer() {
    direct?.revoke()
    direct = nil
  }

  var framing: FrameDecoder.Framing { decoder.framing ?? .lines }

  func reply(to id: Int64) -> ReplyWriter {
    ReplyWriter(id: id, framing: framing, int64: int64)
  }

  /// The bytes of rows queued since the client had taken everything.
  var queuedRowBytes = 0

  /// Whether the unread output is rows and at most a few small answers.
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

  /// Queues an error that belongs to no call.
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

/// A call without a terminal frame yet.
struct RunningCall {
  let operation: Operation
  let startedAt: UInt64
  let control: CallControl
  var stream: RunningStream?
  /// The requests submitted to stores for it, which may be withdrawn.
  var writes: [(host: StoreHost, token: UInt64)] = []
  /// The name of the pin that its answer will contain.
  var pin: String?
  /// Whether the executing operation was asked to stop.
  var isStopped = false

  /// The number of delivered frames of a stream.
  var delivered: Int { stream?.delivered ?? 0 }

  init(_ call: Call, control: CallControl, startedAt: UInt64) {
    operation = call.operation
    self.startedAt = startedAt
    self.control = control
  }
}

/// The flow control of a stream.
@Memberwise("source", "host")
struct RunningStream {
  /// The most frames that the client hasn't read yet.
  static let window = 8
  /// The same for a read whose frames' size isn't known yet.
  static let firstWindow = 1

  /// The producer of the frames.
  enum Source {
    case read(LongRead)
    case watch(LiveWatch, WatchedFrames)
  }

  let source: Source
  /// The store that is read.
  let host: StoreHost
  /// The number of frames that the client has requested; `nil` if only the socket limits them.
  var credit: Int?
  var granted: Int
  /// Whether its producer has begun, which the first granted frame starts.
  var hasBegun: Bool = true
  /// The number of frames that the reader of a read has made.
  private var received: Int = 0
  /// The size of the last frame; `nil` before the first.
  private var frameBytes: Int?

  /// The read; `nil` if the stream is a watch, which runs until its client cancels it.
  var read: LongRead? { if case .read(let read) = source { read } else { nil } }

  /// The delivery of the frames, if the stream is a watch.
  var watched: WatchedFrames? { if case .watch(_, let frames) = source { frames } else { nil } }

  /// Whether it is a watch, which ends only when its client cancels it.
  var isWatch: Bool { if case .watch = source { true } else { false } }

  /// Whether it holds a snapshot until its client has read all of it.
  var isLimited: Bool { read?.operation.isStream == true }

  /// The number of frames that the producer has made.
  var delivered: Int {
    switch source {
    case .read: received
    case .watch(_, let frames): frames.count
    }
  }

  /// Whether the stream can continue only with more credit.
  var isOutOfCredit: Bool { credit.map { delivered >= $0 } ?? false }

  /// The size of the granted frames that are still missing, in bytes; 0 for a watch.
  var grantedBytes: Int {
    isLimited ? max(0, granted - received) * (frameBytes ?? Limits.frameBytes) : 0
  }

  /// Adds frames of a read that its reader has made, with their total size.
  mutating func didReceive(_ count: Int, bytes: Int) {
    received += count
    if count > 0 { frameBytes = bytes / count }
  }

  /// Returns how many more frames may be produced now, and counts them as granted.
  mutating func takeGrant() -> Int {
    var window = Self.window
    if !isWatch {
      // Large frames are limited to about 1 MiB in total.
      let fitting = frameBytes.map { Limits.outboundSoftBytes / max(1, $0) } ?? Self.firstWindow
      window = max(1, min(window, fitting))
    }
    let wanted = min(delivered + window, credit ?? .max)
    let grant = max(0, wanted - granted)
    granted += grant
    return grant
  }

  /// Makes the producer check its call's control again.
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

  /// Allows the producer to make more frames.
  func grant(_ frames: Int) {
    switch source {
    case .read(let read): read.grant(frames)
    case .watch(let watch, _): watch.grant(frames)
    }
  }
}
