internal import DepotLinux
internal import DepotProtocol

/// The calls under way of one connection, whose outcomes an observer gets.
///
/// Both kinds of connections begin a call here when it gets its number and end it with its terminal
/// frame, or with the connection. Without an observer, nothing is recorded.
struct ObservedCalls: Sendable {
  /// The outcome of a call, and the observer that gets it.
  struct Outcome: Sendable {
    let event: OperationEvent
    let observer: OperationObserver

    func notify() { observer(event) }
  }

  private struct BegunCall {
    let subject: OperationEvent.Subject
    let start: UInt64
  }

  /// The program's own observer.
  var observer: OperationObserver? {
    didSet { recipient = Self.recipient(observer) }
  }
  /// The receiver of outcomes: the program's observer, and the log if it is enabled.
  private var recipient: OperationObserver?
  private var calls: [Int64: BegunCall] = [:]

  init(_ observer: OperationObserver?) {
    self.observer = observer
    recipient = Self.recipient(observer)
  }

  private static func recipient(_ observer: OperationObserver?) -> OperationObserver? {
    guard OperationLog.isWanted else { return observer }
    guard let observer else { return OperationLog.write }
    return { event in
      OperationLog.write(event)
      observer(event)
    }
  }

  /// Notes a call that is about to be made.
  mutating func begin(_ id: Int64, _ operation: Operation) {
    if recipient != nil { begin(id, .operation(operation)) }
  }

  /// Records a call that is about to be made by its name.
  mutating func begin(_ id: Int64, named name: String) {
    if recipient != nil { begin(id, .name(name)) }
  }

  private mutating func begin(_ id: Int64, _ subject: OperationEvent.Subject) {
    calls[id] = BegunCall(subject: subject, start: Monotonic.now())
  }

  /// Records the end of a call; returns its outcome if there is an observer.
  mutating func end(_ id: Int64, _ result: Result<JSONNode, any Error>) -> Outcome? {
    guard let recipient, let call = calls.removeValue(forKey: id) else { return nil }
    let duration = Duration.nanoseconds(Int64(clamping: Monotonic.now() - call.start))
    let event = OperationEvent(call.subject, after: duration, result)
    return Outcome(event: event, observer: recipient)
  }

  /// Takes a frame of the service; returns the outcomes of the calls that it ends.
  mutating func take(_ frame: ServerFrame) -> [Outcome] {
    guard recipient != nil else { return [] }
    let outcome: Outcome?
    switch frame {
    case .ok(let id, let node): outcome = end(id, .success(node))
    case .failure(let id?, let error) where error.code == .cancelled:
      outcome = end(id, .failure(CancellationError()))
    case .failure(let id?, let error): outcome = end(id, .failure(error))
    case .failure(nil, let error): return endAll(error)
    default: return []
    }
    return outcome.map { [$0] } ?? []
  }

  /// Records that the connection is lost; returns the outcomes of all its calls.
  mutating func endAll(_ error: DepotError) -> [Outcome] {
    calls.keys.sorted().compactMap { id in end(id, .failure(error)) }
  }
}
