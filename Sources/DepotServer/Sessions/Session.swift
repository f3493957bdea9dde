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
  var int64: Int64Form = .number
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
  /// Whether it is among the server's sessions, so that no lookup is needed.
  var isListed = false
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

  /// Queues an error that ends the service: as the answer of each call, and then for the session.
  ///
  /// Reads change nothing; the outcome of writes is unknown.
  func failAll(_ error: DepotError) {
    // The oldest call may have been answered directly, without a word to this thread yet.
    let answered = direct?.revoke() == false ? 1 : 0
    for (id, call) in calls.sorted(by: { $0.key < $1.key }).dropFirst(answered) {
      var error = error
      let isRead = [.read, .watch].contains(call.call.operation.declaration.effect)
      error.effect = isRead ? .none : .unknown
      fail(id, error)
    }
    var error = error
    error.effect = .unknown
    send(error)
  }
}

extension Caller {
  init(_ session: Session, _ call: Call) {
    self.init(connection: session.number, call: call.id)
  }
}
