import DepotProtocol
import Testing

@testable import DepotClient
@testable import DepotClientCore

@Suite struct ReplyTableTests {
  var table = ReplyTable()
  let second: UInt64 = 1_000_000_000
  let lost = DepotError(.disconnected, "lost")

  @Test mutating func `calls are sent in order as the limit allows`() {
    _ = table.connect(inFlight: 2, streams: 1, now: 0)
    let actions = (1...4).flatMap { _ in submit(PendingCall(.ping)) }
    #expect(actions.sentIDs == [1, 2])
    #expect(receive(2).sentIDs == [3])
    #expect(receive(1).sentIDs == [4])
    #expect(table.inFlight == 2)
  }

  @Test mutating func `streams beyond their limit wait without holding up other calls`() {
    _ = table.connect(inFlight: 8, streams: 1, now: 0)
    let stream = PendingCall(.fetch(FetchRequest(entity: "E")), window: 4)
    #expect(submit(stream).sentIDs == [1])
    #expect(submit(stream).sentIDs == [])
    #expect(submit(PendingCall(.ping)).sentIDs == [2])
    #expect(receive(1).sentIDs == [3])
  }

  @Test mutating func `a stream or watch that gets no turn fails, for others may never end`() {
    _ = table.connect(inFlight: 8, streams: 1, watches: 1, now: 0)
    let stream = PendingCall(.fetch(FetchRequest(entity: "E")), window: 4)
    let watch = PendingCall(.watch(WatchRequest(.fetch(FetchRequest(entity: "E")))), window: 4)
    for (number, call) in [stream, watch].enumerated() {
      #expect(submit(call).sentIDs == [Int64(number) + 1])
      #expect(submit(call).sentIDs == [])
    }
    let limit = PendingCall.queuePatience
    #expect(table.nextExpiry == limit)
    #expect(table.expire(now: limit - 1).isEmpty)
    let failures = table.expire(now: limit).failures
    #expect(failures.map(\.0) == [2, 4])
    #expect(
      failures.map { ($0.1 as? DepotError)?.code } == [.tooManyStreams, .tooManyWatches]
    )
    // Those that were sent go on, and others have their turn behind them.
    #expect(table.expire(now: 10 * limit).isEmpty)
    #expect(submit(stream).sentIDs == [])
    #expect(receive(1).sentIDs == [3])
  }

  @Test mutating func `a stream that waits for the connection doesn't fail for want of a turn`() {
    let stream = PendingCall(.fetch(FetchRequest(entity: "E")), window: 4)
    _ = submit(stream)
    #expect(table.expire(now: 5 * PendingCall.queuePatience).isEmpty)
    #expect(table.connect(inFlight: 8, streams: 1, now: 0).sentIDs == [1])
  }

  @Test mutating func `a call that waits for its turn is cancelled without being sent`() {
    _ = table.connect(inFlight: 1, streams: 1, now: 0)
    _ = submit(PendingCall(.ping))
    _ = submit(PendingCall(.ping))
    #expect(table.cancel(2).failures.first?.1 is CancellationError)
    #expect(receive(1).sentIDs == [])
    #expect(table.isEmpty)
  }

  @Test mutating func `a cancelled call ends with the service's word`() {
    _ = table.connect(inFlight: 2, streams: 1, now: 0)
    _ = submit(PendingCall(.ping))
    _ = submit(PendingCall(.ping))
    #expect(table.cancel(1).frames == [.cancel(id: 1)])
    #expect(table.cancel(1).frames == [])
    let cancelled = table.receive(1, .failure(DepotError(.cancelled, "")), now: 0)
    #expect(cancelled.failures.first?.1 is CancellationError)
    _ = table.cancel(2)
    #expect(receive(2).finished == [2])
  }

  @Test mutating func `a lost read is sent once more and then fails`() {
    _ = table.connect(inFlight: 2, streams: 1, now: 0)
    _ = submit(PendingCall(.ping))
    #expect(table.disconnect(lost).isEmpty)
    #expect(table.connect(inFlight: 2, streams: 1, now: 0).sentIDs == [2])
    let error = table.disconnect(lost).failures.first?.1 as? DepotError
    #expect(error?.code == .disconnected)
    #expect(error?.effect == DepotError.Effect.none)
  }

  @Test mutating func `a stream of which rows came isn't repeated`() {
    _ = table.connect(inFlight: 2, streams: 1, now: 0)
    _ = submit(PendingCall(.fetch(FetchRequest(entity: "E")), window: 4))
    _ = table.receive(1, RowFrame(bytes: [], offset: 0, columns: nil))
    #expect(table.disconnect(lost).failures.count == 1)
  }

  @Test mutating func `a lost write with a key is sent again with it, before later calls`() {
    _ = table.connect(inFlight: 1, streams: 1, now: 0)
    _ = submit(write(key: "k"))
    _ = submit(PendingCall(.ping))
    #expect(table.disconnect(lost).isEmpty)
    let frames = table.connect(inFlight: 1, streams: 1, now: 0).frames
    #expect(frames == [.call(Call(id: 2, write(key: "k").operation, key: "k"))])
    #expect(table.disconnect(lost).isEmpty)
    let error = table.failAll(lost).failures.first?.1 as? DepotError
    #expect(error?.effect == .unknown)
    #expect(error?.details?["key"] == .string("k"))
  }

  @Test mutating func `a lost write without a key has an unknown effect, an unsent one has none`() {
    _ = table.connect(inFlight: 1, streams: 1, now: 0)
    _ = submit(write(key: nil))
    _ = submit(write(key: nil))
    let sent = table.disconnect(lost).failures
    #expect(sent.map(\.0) == [1])
    #expect((sent.first?.1 as? DepotError)?.effect == .unknown)
    let unsent = table.failAll(lost).failures
    #expect(unsent.map(\.0) == [2])
    #expect((unsent.first?.1 as? DepotError)?.effect == DepotError.Effect.none)
  }

  @Test mutating func `a call without an answer fails two seconds after its deadline`() {
    _ = table.connect(inFlight: 2, streams: 1, now: 0)
    var call = write(key: nil)
    call.deadline = second
    #expect(submit(call).frames == [.call(Call(id: 1, call.operation, deadlineMilliseconds: 1000))])
    #expect(table.expire(now: second + 1).isEmpty)
    #expect(table.nextExpiry == 3 * second)
    let actions = table.expire(now: 3 * second)
    #expect(actions.frames == [.cancel(id: 1)])
    let error = actions.failures.first?.1 as? DepotError
    #expect(error?.code == .deadline)
    #expect(error?.effect == .unknown)
    #expect(table.inFlight == 1)
    #expect(receive(1).finished == [])
    #expect(table.inFlight == 0)
  }

  @Test mutating func `a call that was never sent fails at its deadline`() {
    _ = submit(PendingCall(.ping, deadline: second))
    #expect(table.expire(now: second - 1).isEmpty)
    #expect(table.expire(now: second).failures.count == 1)
  }

  @Test mutating func `no call is sent on a connection that ends, but on the next`() {
    _ = table.connect(inFlight: 2, streams: 1, now: 0)
    _ = submit(PendingCall(.ping))
    table.drain()
    #expect(submit(PendingCall(.ping)).sentIDs == [])
    #expect(receive(1).sentIDs == [])
    #expect(table.disconnect(lost).isEmpty)
    #expect(table.connect(inFlight: 2, streams: 1, now: 0).sentIDs == [2])
  }

  @Test mutating func `a call that the ending service refused is made on the next connection`() {
    _ = table.connect(inFlight: 2, streams: 1, now: 0)
    _ = submit(write(key: nil))
    let refusal = DepotError(.draining, "")
    #expect(table.receive(1, .failure(refusal), now: 0).isEmpty)
    _ = table.disconnect(lost)
    #expect(table.connect(inFlight: 2, streams: 1, now: 0).sentIDs == [2])
  }

  @Test mutating func `a call that an ended service left is made on the next connection`() {
    _ = table.connect(inFlight: 2, streams: 1, now: 0)
    _ = submit(write(key: nil))
    table.drain()
    #expect(table.end().isEmpty)
    #expect(table.disconnect(lost).isEmpty)
    #expect(table.connect(inFlight: 2, streams: 1, now: 0).sentIDs == [2])
  }

  @Test mutating func `a write that was sent again is awaited though it is late or cancelled`() {
    _ = table.connect(inFlight: 2, streams: 1, now: 0)
    var call = write(key: "k")
    call.deadline = second
    _ = submit(call)
    #expect(table.disconnect(lost).isEmpty)
    // It isn't on its way any more.
    #expect(table.nextExpiry == second)
    #expect(table.cancel(1).isEmpty)
    let frames = table.connect(inFlight: 2, streams: 1, now: 0).frames
    #expect(frames == [.call(Call(id: 2, call.operation, key: "k"))])
  }

  @Test(arguments: [
    DepotError.Code.deadline, .cancelled, .busy, .tooManyInFlight, .operation, .io,
    .containerNotFound, .stagedNotFound,
  ])
  mutating func `a refusal before the key was looked for says nothing of a write sent before`(
    code: DepotError.Code
  ) {
    #expect(refusal(code).effect == .unknown)
    #expect(refusal(code).details?["key"] == .string("k"))
  }

  @Test(arguments: [DepotError.Code.unique, .required, .objectNotFound, .predicate])
  mutating func `a verdict says that a write isn't stored however often it was sent`(
    code: DepotError.Code
  ) {
    #expect(refusal(code).effect == DepotError.Effect.none)
  }

  /// Returns the error of a write that is refused when it is sent again.
  private func refusal(_ code: DepotError.Code) -> DepotError {
    var table = ReplyTable()
    _ = table.connect(inFlight: 1, streams: 1, now: 0)
    _ = table.submit(write(key: "k"), as: table.reserve(), now: 0)
    _ = table.disconnect(lost)
    _ = table.connect(inFlight: 1, streams: 1, now: 0)
    let failure = table.receive(2, .failure(DepotError(code, "")), now: 0).failures.first?.1
    return failure as? DepotError ?? DepotError(.bug, "There is none.")
  }

  @Test mutating func `a cancelled call that the ending service hasn't begun isn't sent again`() {
    _ = table.connect(inFlight: 2, streams: 1, now: 0)
    _ = submit(write(key: "k"))
    _ = submit(PendingCall(.ping))
    _ = table.cancel(1)
    _ = table.cancel(2)
    let refused = table.receive(1, .failure(DepotError(.draining, "")), now: 0).failures
    #expect(refused.map(\.0) == [1])
    #expect(refused.first?.1 is CancellationError)
    let left = table.end().failures
    #expect(left.map(\.0) == [2])
    #expect(left.first?.1 is CancellationError)
    _ = table.disconnect(lost)
    #expect(table.connect(inFlight: 2, streams: 1, now: 0).sentIDs == [])
  }

  @Test mutating func `calls that the ending service refused keep their order`() {
    _ = table.connect(inFlight: 3, streams: 1, now: 0)
    let operations = (1...3).map { Operation.delete(.init(entity: "E", rows: .identifiers([$0]))) }
    for operation in operations { _ = submit(PendingCall(operation)) }
    for id in 1...3 as ClosedRange<Int64> {
      _ = table.receive(id, .failure(DepotError(.draining, "")), now: 0)
    }
    _ = table.disconnect(lost)
    let frames = table.connect(inFlight: 3, streams: 1, now: 0).frames
    #expect(frames == zip(4..., operations).map { .call(Call(id: $0, $1)) })
  }

  @Test mutating func `the closing of a container isn't repeated, and is in doubt when it is lost`()
  {
    _ = table.connect(inFlight: 1, streams: 1, now: 0)
    _ = submit(PendingCall(.closeContainer("c")))
    let error = table.disconnect(lost).failures.first?.1 as? DepotError
    #expect(error?.effect == .unknown)
  }

  @Test mutating func `a deadline of less than a millisecond hasn't passed`() {
    _ = table.connect(inFlight: 1, streams: 1, now: 0)
    let frames = submit(PendingCall(.ping, deadline: 1)).frames
    #expect(frames == [.call(Call(id: 1, .ping, deadlineMilliseconds: 1))])
  }

  private func write(key: String?) -> PendingCall {
    let request = DeleteRequest(entity: "E", rows: .identifiers([1]))
    return PendingCall(.delete(request), key: key)
  }

  private mutating func submit(_ call: PendingCall) -> [ReplyTable.Action] {
    table.submit(call, as: table.reserve(), now: 0)
  }

  private mutating func receive(_ id: Int64) -> [ReplyTable.Action] {
    guard let document = try? JSONDocument(Array("{}".utf8)) else { return [] }
    return table.receive(id, .success(document.root), now: 0)
  }
}

extension [ReplyTable.Action] {
  fileprivate var frames: [ClientFrame] {
    compactMap { if case .send(let frame) = $0 { frame } else { nil } }
  }

  fileprivate var sentIDs: [Int64] {
    frames.compactMap { if case .call(let call) = $0 { call.id } else { nil } }
  }

  fileprivate var finished: [Int64] {
    compactMap { if case .finish(let ticket, _) = $0 { ticket } else { nil } }
  }

  fileprivate var failures: [(Int64, any Error)] {
    compactMap {
      if case .finish(let ticket, .failure(let error)) = $0 { (ticket, error) } else { nil }
    }
  }
}
