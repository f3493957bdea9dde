internal import DepotLinux
internal import DepotProtocol

/// A call of the async client from when it is made until it has its outcome.
struct PendingCall: Sendable {
  var operation: Operation
  /// When the caller gives up, on the monotonic clock in nanoseconds.
  var deadline: UInt64?
  /// The idempotency key of a write that may be sent again.
  var key: String?
  /// The pin of the snapshot that a read uses, which only the connection that made it has.
  var pin: String?
  /// How many `next` frames may be on their way to a stream at once; `nil` if this is no stream.
  var window: Int?
  /// The author of a write in the history; the client's author if `nil`.
  var author: String?
  /// The group of a write in the history.
  var group: String?

  /// The time until which it waits to be sent, behind other calls of its kind.
  var queueDeadline: UInt64?
  /// The number of the call on the current connection, once it was sent there.
  private(set) var id: Int64?
  /// On how many connections it was sent.
  private(set) var attempts = 0
  /// Whether frames of the stream have come.
  private(set) var hasDelivered = false
  private(set) var isCancelled = false

  init(
    _ operation: Operation,
    deadline: UInt64? = nil,
    key: String? = nil,
    pin: String? = nil,
    window: Int? = nil
  ) {
    self.operation = operation
    self.deadline = deadline
    self.key = key
    self.pin = operation.declaration.isPinnable ? pin : nil
    self.window = window
  }
}

extension PendingCall {
  /// On how many connections a call is sent at most: a read once more, a write with a key until it
  /// is likely that the call itself breaks the connection.
  private var attemptLimit: Int { operation.isWrite ? 5 : 2 }

  /// The calls that share a limit of the service, and wait in one queue.
  enum QueueKind: Int, CaseIterable {
    case plain, stream, watch
  }

  var queueKind: QueueKind {
    if case .watch = operation { return .watch }
    return window == nil ? .plain : .stream
  }

  /// Whether the call may be sent again after its connection was lost.
  var canBeSentAgain: Bool {
    guard attempts > 0 else { return true }
    if pin != nil || operation.isOfConnection { return false }
    let isSafe = operation.leavesDoubt ? key != nil : !hasDelivered && !isCancelled
    return isSafe && attempts < attemptLimit
  }

  /// Whether the service may have applied the call, and can't be asked about it.
  var mayBeDone: Bool { attempts > 0 && operation.leavesDoubt }

  /// Whether an earlier connection may have delivered the write to the service.
  var isDoubtful: Bool { attempts > (id == nil ? 0 : 1) && operation.isWrite }

  /// When the call fails here, even if the service doesn't answer.
  var expiry: UInt64? {
    guard id == nil else { return deadline.map { $0 + Call.grace } }
    return [deadline, queueDeadline].compactMap(\.self).min()
  }

  /// How long a stream or a watch waits to be sent, in nanoseconds: others may never end.
  static let queuePatience: UInt64 = 10_000_000_000

  /// Returns `error` with the call's effect, as far as it is known without an answer.
  func lost(_ error: DepotError) -> DepotError {
    var error = error
    error.effect = mayBeDone ? .unknown : .none
    guard error.effect == .unknown else { return error }
    if let key { error = error.details(["key": .string(key)]) }
    return error
  }

  /// Returns the frame that makes the call, and marks it as sent.
  mutating func send(as id: Int64, now: UInt64) -> Call {
    self.id = id
    attempts += 1
    // The service checks the deadline before the key, but the earlier attempt's answer is wanted.
    let remaining = (isDoubtful ? nil : deadline).map { deadline in
      min(Monotonic.milliseconds(from: now, until: deadline), Call.deadlineLimit)
    }
    return Call(
      id: id,
      operation,
      deadlineMilliseconds: remaining,
      credit: window,
      key: key,
      pin: pin,
      author: author,
      group: group
    )
  }

  mutating func detach() { id = nil }
  /// Records that the call counts as not sent.
  mutating func withdraw() { attempts -= 1 }
  mutating func markDelivered() { hasDelivered = true }
  mutating func markCancelled() { isCancelled = true }
}

extension Operation {
  /// Whether the operation is about state of its connection or of one service process.
  var isOfConnection: Bool {
    switch self {
    case .unpin, .barrier, .closeConnection, .closeContainer, .shutdown: true
    default: false
    }
  }
}
