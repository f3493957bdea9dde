/// The connections by their numbers, and those with work for the loop.
struct SessionTable {
  private var sessions: [Int64: Session] = [:]
  private var lastNumber: Int64 = 0
  /// The sessions with output to send.
  private(set) var unsent: [Session] = []
  /// The sessions with frames or waiting calls, in order.
  private(set) var ready: [Session] = []
  /// The sessions whose next call waits until fewer bytes are in flight, by their numbers.
  private(set) var held: [Int64: Session] = [:]

  var count: Int { sessions.count }
  var isEmpty: Bool { sessions.isEmpty }
  var values: [Int64: Session].Values { sessions.values }

  subscript(number: Int64) -> Session? { sessions[number] }

  /// Returns the number for the next connection.
  mutating func makeNumber() -> Int64 {
    lastNumber += 1
    return lastNumber
  }

  mutating func add(_ session: Session) {
    sessions[session.number] = session
    session.isListed = true
  }

  /// Removes a session, and returns whether it was there.
  @discardableResult
  mutating func remove(_ session: Session) -> Bool {
    guard session.isListed else { return false }
    session.isListed = false
    sessions[session.number] = nil
    return true
  }

  /// Queues a session, so that its input is handled in order.
  mutating func enqueue(_ session: Session) {
    guard !session.isQueued else { return }
    session.isQueued = true
    ready.append(session)
  }

  /// Removes the first sessions of the queue, which were served.
  mutating func dequeue(_ count: Int) {
    guard count == ready.count else { return ready.removeFirst(count) }
    Self.clear(&ready)
  }

  /// Makes a session's output be sent before the loop sleeps.
  mutating func scheduleFlush(_ session: Session) {
    guard !session.needsFlush else { return }
    session.needsFlush = true
    unsent.append(session)
  }

  /// Notes that the output was sent.
  mutating func didFlush() { Self.clear(&unsent) }

  /// Removes all sessions of a list, most often one, in less time than `removeAll` takes.
  private static func clear(_ list: inout [Session]) {
    while !list.isEmpty { list.removeLast() }
  }

  /// Makes a session wait until its next call may begin.
  mutating func hold(_ session: Session) { held[session.number] = session }

  mutating func release(_ number: Int64) { held[number] = nil }
}
