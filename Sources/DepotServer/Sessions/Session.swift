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
  var state: SessionState
  /// The values that its hello gave.
  var hello = HelloValues()
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
  /// The container of calls that name none, once it was looked up.
  var container: Container?
  /// The lists of the server's table that have it.
  var lists: SessionTable.Lists = []
  var input = Input.awaited
  /// The events of its socket that the loop waits for.
  private(set) var interest = EventLoop.Interest.reads
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
    refusal: DepotError? = nil,
    now: UInt64
  ) {
    self.number = number
    self.descriptor = descriptor
    socket = SharedSocket(number, descriptor, inbox)
    self.peer = peer
    userRole = role
    state = SessionState(refusal: refusal)
    openedAt = now
    lastProgress = now
  }

  /// The stages of the bytes that the client sends.
  enum Input {
    case awaited
    /// The socket has bytes that must be read first.
    case readable
    /// The client has ended its output; it may still read.
    case ended
  }

  /// The role of the connection: its user's, limited to the access of its hello.
  var role: AccessPolicy.Role? {
    switch hello.access {
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

  /// Records the events of its socket that the loop waits for.
  ///
  /// Before output waits for the client, it has received everything, including frames that other
  /// threads have sent.
  func note(_ interest: EventLoop.Interest, _ now: UInt64) {
    if interest.contains(.writes), !self.interest.contains(.writes) { lastProgress = now }
    self.interest = interest
  }

  /// Makes the server's thread answer the only write in flight.
  func revokeDirectAnswer() {
    direct?.revoke()
    direct = nil
  }

  var framing: FrameDecoder.Framing { decoder.framing ?? .lines }

  func reply(to id: Int64) -> ReplyWriter {
    ReplyWriter(id: id, framing: framing, int64: hello.int64)
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
