/// The connections by their numbers, and those with work for the loop.
struct SessionTable {
  /// The lists that have a session, so that no lookup is needed.
  struct Lists: OptionSet {
    let rawValue: UInt8
    /// All connections.
    static let all = Lists(rawValue: 1)
    /// Those with frames or calls to handle.
    static let ready = Lists(rawValue: 2)
    /// Those whose output is sent before the loop sleeps.
    static let unsent = Lists(rawValue: 4)
  }

  private var sessions: [Int64: Session] = [:]
  /// The session that was found last, since the next event is often about the same one.
  private var last: Session?
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

  subscript(number: Int64) -> Session? {
    mutating get {
      if let last, last.number == number { return last }
      last = sessions[number]
      return last
    }
  }

  /// Returns the number for the next connection.
  mutating func makeNumber() -> Int64 {
    lastNumber += 1
    return lastNumber
  }

  mutating func add(_ session: Session) {
    sessions[session.number] = session
    session.lists.insert(.all)
  }

  /// Removes a session, and returns whether it was there.
  @discardableResult
  mutating func remove(_ session: Session) -> Bool {
    guard session.lists.contains(.all) else { return false }
    session.lists.remove(.all)
    sessions[session.number] = nil
    last = nil
    return true
  }

  /// Queues a session, so that its input is handled in order.
  mutating func enqueue(_ session: Session) {
    guard !session.lists.contains(.ready) else { return }
    session.lists.insert(.ready)
    ready.append(session)
  }

  /// Removes the first sessions of the queue, which were served.
  mutating func dequeue(_ count: Int) {
    guard count == ready.count else { return ready.removeFirst(count) }
    Self.clear(&ready)
  }

  /// Makes a session's output be sent before the loop sleeps.
  mutating func scheduleFlush(_ session: Session) {
    guard !session.lists.contains(.unsent) else { return }
    session.lists.insert(.unsent)
    unsent.append(session)
  }

  /// Removes the first sessions that were scheduled, whose output was sent.
  mutating func didFlush(_ count: Int) {
    guard count == unsent.count else { return unsent.removeFirst(count) }
    Self.clear(&unsent)
  }

  /// Removes all sessions of a list, most often one, in less time than `removeAll` takes.
  private static func clear(_ list: inout [Session]) {
    while !list.isEmpty { list.removeLast() }
  }

  /// Makes a session wait until its next call may begin.
  mutating func hold(_ session: Session) { held[session.number] = session }

  mutating func release(_ number: Int64) { held[number] = nil }
}
