package import DepotProtocol

/// The state machine of one connection, without its bytes: the meaning of each frame in each state.
package struct SessionState: Sendable {
  /// The action that a frame requires; as small as ``ClientFrame``.
  package enum Action: Hashable, Sendable {
    case nothing
    indirect case welcome(Hello, version: Int)
    case start(Call)
    /// Answer a call that can't begin.
    indirect case reject(id: Int64, DepotError)
    /// Allow a stream to send more frames.
    case grant(id: Int64, Int)
    case cancel(id: Int64)
    case pong(Int64)
    /// Send the error without an id, then close.
    indirect case close(DepotError)
  }

  private enum Phase {
    case awaitingHello
    /// Any frame ends the connection with the error.
    indirect case refused(DepotError)
    case open
    /// New calls are refused.
    case draining
    /// The connection closes when all output is sent.
    case closing
    /// The client has received the end of the output.
    case finished
  }

  private var phase: Phase
  private var lastIdentifier: Int64 = 0
  /// The calls without a terminal frame; few enough to look through.
  private var running: [Running] = []
  /// The running watches, which don't count as waiting calls.
  private var watching: [Int64] = []

  private struct Running {
    let id: Int64
    var bytes: Int
  }

  /// The size of their requests, in bytes.
  package private(set) var requestBytes = 0

  /// - Parameter refusal: The error that ends the connection as soon as its framing is known.
  package init(refusal: DepotError? = nil) {
    phase = refusal.map(Phase.refused) ?? .awaitingHello
  }

  /// The error that the first frame gets, if the connection is refused.
  package var refusal: DepotError? {
    if case .refused(let error) = phase { error } else { nil }
  }

  /// Whether the client hasn't said hello.
  package var isAwaitingHello: Bool {
    switch phase {
    case .awaitingHello, .refused: true
    case .open, .draining, .closing, .finished: false
    }
  }

  /// Whether the client has said hello and the connection isn't about to close.
  package var isOpen: Bool {
    switch phase {
    case .open, .draining: true
    case .awaitingHello, .refused, .closing, .finished: false
    }
  }

  /// Whether no more frames are handled.
  package var isClosing: Bool {
    switch phase {
    case .closing, .finished: true
    case .awaitingHello, .refused, .open, .draining: false
    }
  }

  /// Whether the client has received the end of the output.
  package var isFinished: Bool { if case .finished = phase { true } else { false } }

  /// The number of unanswered calls.
  package var runningCount: Int { running.count }

  /// Handles a frame, of the given size in bytes, that the client sent.
  package mutating func receive(_ frame: consuming ClientFrame, bytes: Int = 0) -> Action {
    switch consume frame {
    case .hello(let hello): return receive(hello)
    case .ping(let number): return needsHello() ?? .pong(number)
    case .pong: return needsHello() ?? .nothing
    case .call(let call): return start(consume call, bytes)
    case .invalidCall(let id, let error): return begin(id) ?? .reject(id: id, error)
    case .invalidControl(let error): return needsHello() ?? fail(error)
    case .more(let id, let count):
      return control(id) ?? (isRunning(id) ? .grant(id: id, count) : .nothing)
    case .cancel(let id):
      return control(id) ?? (isRunning(id) ? .cancel(id: id) : .nothing)
    }
  }

  /// Ends the connection because its bytes are invalid.
  package mutating func fail(_ error: DepotError) -> Action {
    let error = refusal ?? error
    close()
    return .close(error)
  }

  /// Handles no more frames.
  package mutating func close() { phase = .closing }

  /// Notes that the client receives the end of the output.
  package mutating func finish() { phase = .finished }

  /// Notes that a call got its terminal frame.
  package mutating func finish(_ id: Int64) {
    if let index = running.lastIndex(where: { $0.id == id }) {
      requestBytes -= running.remove(at: index).bytes
    }
    if let index = watching.lastIndex(of: id) { watching.remove(at: index) }
  }

  /// Refuses new calls from now on.
  package mutating func drain() {
    if case .open = phase { phase = .draining }
  }

  private mutating func receive(_ hello: Hello) -> Action {
    guard case .awaitingHello = phase else {
      return fail(DepotError(.hello, "Hello was said already."))
    }
    do throws(DepotError) {
      let version = try hello.negotiate()
      phase = .open
      return .welcome(hello, version: version)
    } catch {
      return fail(error)
    }
  }

  private func isRunning(_ id: Int64) -> Bool { running.contains { $0.id == id } }

  /// Counts bytes that belong to the request of a running call besides its frame.
  package mutating func add(bytes: Int, to id: Int64) {
    guard let index = running.lastIndex(where: { $0.id == id }) else { return }
    running[index].bytes += bytes
    requestBytes += bytes
  }

  private mutating func start(_ call: consuming Call, _ bytes: Int) -> Action {
    if let action = begin(call.id) { return action }
    if case .draining = phase {
      return .reject(id: call.id, DepotError(.draining, "The service is about to end."))
    }
    if call.pattern.isWatch {
      guard watching.count < Limits.watches else {
        return .reject(
          id: call.id,
          DepotError(.tooManyWatches, "\(Limits.watches) queries are watched already.")
            .hint("Cancel one of them, or use another connection.")
        )
      }
      watching.append(call.id)
    }
    guard running.count - watching.count < Limits.inFlight || call.pattern.isWatch else {
      return .reject(
        id: call.id,
        DepotError(.tooManyInFlight, "\(Limits.inFlight) calls already wait for their answers.")
          .hint("Wait for one of them.")
      )
    }
    running.append(Running(id: call.id, bytes: bytes))
    requestBytes += bytes
    return .start(consume call)
  }

  /// Checks that a call with this id may begin; returns the necessary action if not.
  private mutating func begin(_ id: Int64) -> Action? {
    if let action = needsHello() { return action }
    guard id > lastIdentifier else {
      return fail(
        DepotError(.sequence, "The id \(id) isn't above \(lastIdentifier), the last one.")
          .hint("Give every call a larger id than the one before.")
      )
    }
    lastIdentifier = id
    return nil
  }

  /// Checks that a call with this id has begun; returns the necessary action if not.
  private mutating func control(_ id: Int64) -> Action? {
    if let action = needsHello() { return action }
    guard id <= lastIdentifier else {
      return fail(DepotError(.sequence, "There was no call \(id)."))
    }
    return nil
  }

  private mutating func needsHello() -> Action? {
    guard isAwaitingHello else { return nil }
    return fail(
      DepotError(.hello, "The first frame must be hello.")
        .hint(#"Send {"hello":{"protocol":[1,1]}} first."#)
    )
  }
}
