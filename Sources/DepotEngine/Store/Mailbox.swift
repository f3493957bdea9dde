internal import DepotProtocol
internal import Synchronization

/// The writes that wait for the store.
final class Mailbox: Sendable {
  private struct State: Sendable {
    var requests: [WriteRequest] = []
    var isBeingEmptied = false
    var isClosed = false
  }

  private let state = Mutex(State())

  /// The fate of requests that were put in.
  enum Admission {
    /// The thread must be woken to take them.
    case first
    case behindOthers
    case closed
  }

  func add(_ requests: [WriteRequest]) -> Admission {
    state.withLock { state in
      if state.isClosed { return .closed }
      state.requests += requests
      if state.isBeingEmptied { return .behindOthers }
      state.isBeingEmptied = true
      return .first
    }
  }

  /// Takes everything out; whoever gets nothing must be woken again.
  func takeAll() -> [WriteRequest] {
    state.withLock { state in
      let requests = state.requests
      state.requests = []
      state.isBeingEmptied = !requests.isEmpty
      return requests
    }
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Accepts nothing from now on; what is in it can still be taken.
  func close() {
    state.withLock { $0.isClosed = true }
  }
}
