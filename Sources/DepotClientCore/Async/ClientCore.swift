internal import DepotLinux
internal import DepotProtocol
internal import Synchronization

/// The common state of a client's callers and its thread.
///
/// A caller adds its call and sends it if that doesn't have to wait; the thread does the rest. No
/// caller is resumed while the lock is held.
package final class ClientCore: Sendable {
  typealias Reply = CheckedContinuation<JSONNode, any Error>

  struct State {
    var table = ReplyTable()
    var replies: [ReplyTable.Ticket: Reply] = [:]
    var streams: [ReplyTable.Ticket: RowStream] = [:]
    /// Calls that were cancelled before they were made.
    var cancelled: Set<ReplyTable.Ticket> = []
    /// The connection for frames to send.
    var descriptor: Descriptor?
    var outbox = Outbox()
    var frameLimit = Limits.frameBytes
    /// The process that made the client.
    var process = Process.identifier
    /// The containers to open again on a new connection, by name.
    var containers: [String: ContainerRequest] = [:]
    /// How often reconnecting was given up.
    var reconnectFailures = 0
    /// Why no more calls can be made.
    var closure: DepotError?
    /// The enumerations under way, whose rows must not be changed.
    var enumerations = Enumerations()
    /// Whether the thread sleeps until there is a call.
    var isIdle = false
    /// The calls whose outcomes the observer gets.
    var observed: ObservedCalls
    /// The tasks that wait for the end of the client.
    var waitingForEnd: [CheckedContinuation<Void, Never>] = []
    /// The work to be done after the lock, collected during a change.
    var consequences = Consequences()

    init(_ observer: OperationObserver?) { observed = ObservedCalls(observer) }
  }

  /// The work to be done after the lock is left.
  struct Consequences {
    /// The outcomes for the observer, which gets them before the callers do.
    var outcomes: [ObservedCalls.Outcome] = []
    var replies: [(Reply, Result<JSONNode, any Error>)] = []
    var deliveries: [RowStream.Delivery] = []
    var ended: [CheckedContinuation<Void, Never>] = []
    var mustWake = false

    func perform(_ signal: WakeSignal) {
      for outcome in outcomes { outcome.notify() }
      for (reply, result) in replies { reply.resume(with: result) }
      for delivery in deliveries { delivery.consumer.resume(with: delivery.result) }
      for waiting in ended { waiting.resume() }
      if mustWake { signal.signal() }
    }
  }

  let options: ClientOptions
  let signal: WakeSignal
  /// The pin (the service's name of a snapshot) that reads use; the latest values if `nil`.
  let pin: String?
  private let shared: Shared

  /// The common state of clients of one connection.
  private final class Shared: Sendable {
    let state: Mutex<State>

    init(_ observer: OperationObserver?) { state = Mutex(State(observer)) }
  }

  init(options: ClientOptions, observer: OperationObserver? = nil) throws(SystemError) {
    self.options = options
    signal = try WakeSignal(isBlocking: false)
    pin = nil
    shared = Shared(observer)
  }

  /// Makes calls on the connection of another client that read a pinned snapshot.
  init(of other: ClientCore, pin: String) {
    options = other.options
    signal = other.signal
    self.pin = pin
    shared = other.shared
  }

  /// Changes the state, then performs the consequences outside of the lock.
  @discardableResult
  func update<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, consequences) = shared.state.withLock { state in
      let result = body(&state)
      state.flush()
      defer { state.consequences = Consequences() }
      return (result, state.consequences)
    }
    consequences.perform(signal)
    return result
  }

  /// Whether no more calls can be made.
  var isClosed: Bool { update { state in state.closure != nil } }
}

extension ClientCore.State {
  /// Performs the actions of the reply table.
  mutating func perform(_ actions: [ReplyTable.Action]) {
    var unsent: [(id: Int64, error: DepotError)] = []
    for action in actions {
      switch action {
      case .send(let frame):
        if let failure = send(frame) { unsent.append(failure) }
      case .finish(let ticket, let result):
        if let outcome = observed.end(ticket, result) { consequences.outcomes.append(outcome) }
        if let reply = replies.removeValue(forKey: ticket) {
          consequences.replies.append((reply, result))
        } else if let delivery = streams[ticket]?.finish(result) {
          consequences.deliveries.append(delivery)
        }
      case .rows(let ticket, let frame):
        if let delivery = streams[ticket]?.receive(frame) {
          consequences.deliveries.append(delivery)
        }
      }
    }
    guard !unsent.isEmpty else { return }
    // Calls that are admitted now have higher numbers than the failed ones.
    perform(unsent.flatMap { table.fail($0.id, $0.error) } + table.admit(now: Monotonic.now()))
  }

  /// Sends a frame; returns the call that can't be sent, and the error.
  private mutating func send(_ frame: ClientFrame) -> (id: Int64, error: DepotError)? {
    guard descriptor != nil else { return nil }
    let size = outbox.append(frame)
    guard case .call(let call) = frame else { return nil }
    let error =
      size > frameLimit
      ? FrameDecoder.tooLarge(size, frameLimit, of: call.operation) : outbox.refusal(size)
    guard let error else { return nil }
    outbox.removeLast(size)
    return (call.id, error)
  }

  /// Sends as much as the socket accepts; the client's thread sends the rest, and notices errors.
  fileprivate mutating func flush() {
    guard let descriptor, !outbox.isEmpty else { return }
    do throws(SystemError) {
      try outbox.flush(to: descriptor)
      if !outbox.isEmpty { consequences.mustWake = true }
    } catch {
      consequences.mustWake = true
    }
  }
}
