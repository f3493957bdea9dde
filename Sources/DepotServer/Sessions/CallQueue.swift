internal import DepotProtocol

/// The order of a connection's calls.
///
/// A read waits for earlier writes, and a write for an earlier write that is done in chunks. Calls
/// after a waiting call wait too, so that a connection's calls act as if each had been sent after
/// the answer to the previous one.
struct CallQueue {
  private var waiting: [Call] = []
  private var writesInFlight = 0
  /// The write that is done in chunks; later writes of the connection wait for it.
  private var chunked: Int64?
  /// The exclusive call; all later calls wait for it.
  private(set) var exclusive: Int64?

  var hasWaiting: Bool { !waiting.isEmpty }

  /// Whether one write is in flight, and no other call runs or waits.
  var hasOneWriteOnly: Bool {
    writesInFlight == 1 && waiting.isEmpty && exclusive == nil && chunked == nil
  }

  /// Whether a new call may begin now.
  func mayStart(_ effect: Operation.Effect) -> Bool {
    switch effect {
    case .write: waiting.isEmpty && exclusive == nil && chunked == nil
    case .read, .watch, .exclusive: waiting.isEmpty && writesInFlight == 0
    case .control: true
    }
  }

  mutating func wait(_ call: Call) { waiting.append(call) }

  /// Removes and returns the next waiting call, if it may begin now.
  mutating func next() -> Call? {
    guard exclusive == nil, let call = waiting.first else { return nil }
    let isWrite = call.pattern.declaration.effect == .write
    guard isWrite ? chunked == nil : writesInFlight == 0 else { return nil }
    return waiting.removeFirst()
  }

  /// Removes a waiting call; returns whether there was one with this id.
  mutating func remove(_ id: Int64) -> Bool {
    guard let index = waiting.firstIndex(where: { $0.id == id }) else { return false }
    waiting.remove(at: index)
    return true
  }

  mutating func removeWaiting() { waiting = [] }

  mutating func beginWrite(_ id: Int64, isChunked: Bool) {
    writesInFlight += 1
    if isChunked { chunked = id }
  }

  mutating func beginExclusive(_ id: Int64) {
    writesInFlight += 1
    exclusive = id
  }

  /// Notes that a write or an exclusive call was answered.
  mutating func end(_ id: Int64) {
    writesInFlight -= 1
    if exclusive == id { exclusive = nil }
    if chunked == id { chunked = nil }
  }
}
