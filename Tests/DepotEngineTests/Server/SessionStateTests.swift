import DepotProtocol
import DepotServer
import Testing

/// The rules of a connection, each as the answer to one frame.
@Suite struct SessionStateTests {
  private static let hello = ClientFrame.hello(Hello())

  /// A state after hello, with calls 1 to `count` running.
  private func opened(running count: Int64 = 0) -> SessionState {
    var state = SessionState()
    _ = state.receive(Self.hello)
    for id in 0..<count { _ = state.receive(.call(Call(id: id + 1, .ping))) }
    return state
  }

  private func code(_ action: SessionState.Action) -> DepotError.Code? {
    switch action {
    case .close(let error), .reject(_, let error): error.code
    default: nil
    }
  }

  @Test func `hello is answered with the version that both speak`() {
    var state = SessionState()
    #expect(state.isAwaitingHello)
    #expect(!state.isOpen)
    #expect(state.receive(Self.hello) == .welcome(Hello(), version: 1))
    #expect(state.isOpen)
    #expect(!state.isAwaitingHello)
  }

  @Test func `a version that the service doesn't speak closes the connection`() {
    var state = SessionState()
    let action = state.receive(.hello(Hello(versions: 2...3)))
    #expect(code(action) == .version)
    #expect(!state.isOpen)
  }

  @Test func `what a client says of itself is kept in part if it is long`() throws {
    let long = String(repeating: "ä", count: 1000)
    let members = (0..<100).map { #""\#($0)\#(long)":"\#(long)""# }.joined(separator: ",")
    let frame = try ClientFrame(Array(#"{"hello":{"protocol":[1,1],"client":{\#(members)}}}"#.utf8))
    guard case .hello(let hello) = frame else { return #expect(Bool(false), "\(frame)") }
    #expect(hello.client.count == 16)
    for (name, value) in hello.client {
      #expect(120...Limits.nameBytes ~= name.utf8.count)
      #expect(value == String(repeating: "ä", count: Limits.nameBytes / 2))
    }
  }

  @Test func `the bytes of requests count until they are answered`() {
    var state = opened()
    for id in 1...3 as ClosedRange<Int64> {
      _ = state.receive(.call(Call(id: id, .ping)), bytes: 10)
    }
    state.add(bytes: 100, to: 2)
    #expect(state.requestBytes == 130)
    state.finish(2)
    state.finish(2)
    #expect(state.requestBytes == 20)
  }

  static let others: [ClientFrame] = [
    .call(Call(id: 1, .ping)), .invalidCall(id: 1, DepotError(.type, "x")), .more(id: 1, 1),
    .cancel(id: 1), .ping(1), .pong(1), .invalidControl(DepotError(.type, "x")),
  ]

  @Test(arguments: others)
  func `anything before hello closes the connection`(frame: ClientFrame) {
    var state = SessionState()
    let action = state.receive(frame)
    #expect(code(action) == .hello)
    guard case .close = action else { return #expect(Bool(false), "\(action)") }
    #expect(!state.isOpen)
  }

  @Test func `a second hello closes the connection`() {
    var state = opened()
    #expect(code(state.receive(Self.hello)) == .hello)
    #expect(!state.isOpen)
  }

  @Test func `a ping is answered, a pong is not`() {
    var state = opened()
    #expect(state.receive(.ping(7)) == .pong(7))
    #expect(state.receive(.pong(7)) == .nothing)
  }

  @Test func `a call starts, and runs until it is finished`() {
    var state = opened()
    let call = Call(id: 5, .ping)
    #expect(state.receive(.call(call)) == .start(call))
    #expect(state.runningCount == 1)
    state.finish(5)
    state.finish(5)
    #expect(state.runningCount == 0)
  }

  @Test(arguments: [3, 2, 0, -1] as [Int64])
  func `an id that isn't above the last one closes the connection`(id: Int64) {
    var state = opened(running: 3)
    #expect(code(state.receive(.call(Call(id: id, .ping)))) == .sequence)
    #expect(!state.isOpen)
  }

  @Test func `ids may leave gaps`() {
    var state = opened()
    for id in [2, 100, Int64.max] {
      #expect(state.receive(.call(Call(id: id, .ping))) == .start(Call(id: id, .ping)))
    }
  }

  @Test func `a call that can't be read is rejected and uses up its id`() {
    var state = opened()
    let error = DepotError(.type, "x")
    #expect(state.receive(.invalidCall(id: 4, error)) == .reject(id: 4, error))
    #expect(state.runningCount == 0)
    #expect(code(state.receive(.call(Call(id: 4, .ping)))) == .sequence)
  }

  @Test func `more or cancel that can't be read closes the connection with its own error`() {
    var state = opened(running: 1)
    #expect(code(state.receive(.invalidControl(DepotError(.numberRange, "x")))) == .numberRange)
    #expect(!state.isOpen)
  }

  @Test func `one call more than may be in flight is rejected, and accepted when another ended`() {
    var state = opened(running: Int64(Limits.inFlight))
    #expect(state.runningCount == Limits.inFlight)
    let next = Int64(Limits.inFlight) + 1
    #expect(code(state.receive(.call(Call(id: next, .ping)))) == .tooManyInFlight)
    #expect(state.isOpen)
    #expect(state.receive(.cancel(id: 1)) == .cancel(id: 1), "a cancel passes while it is full")
    state.finish(1)
    let call = Call(id: next + 1, .ping)
    #expect(state.receive(.call(call)) == .start(call))
  }

  @Test func `more and cancel reach a running call only`() {
    var state = opened(running: 2)
    #expect(state.receive(.more(id: 1, 8)) == .grant(id: 1, 8))
    #expect(state.receive(.cancel(id: 1)) == .cancel(id: 1))
    state.finish(1)
    #expect(state.receive(.more(id: 1, 8)) == .nothing)
    #expect(state.receive(.cancel(id: 1)) == .nothing)
    #expect(state.receive(.cancel(id: 2)) == .cancel(id: 2))
  }

  @Test(arguments: [ClientFrame.more(id: 3, 1), .cancel(id: 3)])
  func `more and cancel of a call that never was close the connection`(frame: ClientFrame) {
    var state = opened(running: 2)
    #expect(code(state.receive(frame)) == .sequence)
    #expect(!state.isOpen)
  }

  @Test func `while draining new calls are rejected and old ones go on`() {
    var state = opened(running: 1)
    state.drain()
    #expect(state.isOpen)
    let action = state.receive(.call(Call(id: 2, .ping)))
    #expect(code(action) == .draining)
    guard case .reject(2, _) = action else { return #expect(Bool(false), "\(action)") }
    #expect(state.receive(.more(id: 1, 2)) == .grant(id: 1, 2))
    #expect(state.receive(.cancel(id: 1)) == .cancel(id: 1))
    #expect(state.receive(.ping(3)) == .pong(3))
    #expect(code(state.receive(.call(Call(id: 2, .ping)))) == .sequence)
  }

  @Test func `draining before hello changes nothing`() {
    var state = SessionState()
    state.drain()
    #expect(state.isAwaitingHello)
  }

  @Test func `bytes that break the protocol close the connection`() {
    var state = opened()
    let error = DepotError(.json, "x")
    #expect(state.fail(error) == .close(error))
    #expect(!state.isOpen)
    #expect(state.isClosing && !state.isFinished)
    state.finish()
    #expect(state.isClosing && state.isFinished)
  }

  @Test(arguments: others + [hello])
  func `a refused connection gets the reason, whatever comes first`(frame: ClientFrame) {
    let refusal = DepotError(.peer, "x")
    var state = SessionState(refusal: refusal)
    #expect(state.isAwaitingHello && state.refusal == refusal)
    #expect(state.receive(frame) == .close(refusal))
    #expect(state.isClosing && state.refusal == nil)
    var other = SessionState(refusal: refusal)
    #expect(other.fail(DepotError(.json, "y")) == .close(refusal))
  }
}
