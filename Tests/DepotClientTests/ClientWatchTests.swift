import DepotClient
import DepotProtocol
import Observation
import Synchronization
import Testing

@Suite struct ClientWatchTests {
  private struct Item: Record, Equatable {
    var text: String

    static let entity = "Item"
    static let attributes: RecordAttributes<Item> = [.init(\.text, "text")]

    init(from row: inout RowReader) throws(DepotError) {
      text = try row.next()
    }

    func write(to row: inout RowWriter) {
      row.append(text)
    }
  }

  private static func token(_ sequence: Int64) -> String { "0123abcd-\(sequence)" }

  private static func frame(
    _ id: Int64,
    _ kind: String,
    _ sequence: Int64? = nil,
    _ rows: [(Int64, String)] = [],
    _ members: [String: JSONValue] = [:]
  ) -> [String: JSONValue] {
    var frame = members
    frame["id"] = .int64(id)
    frame["kind"] = .string(kind)
    if let sequence { frame["token"] = .string(token(sequence)) }
    frame["next"] = .array(rows.map { .array([.int64($0.0), .int64(1), .string($0.1)]) })
    return frame
  }

  private static func inserted(
    _ id: Int64,
    _ sequence: Int64,
    _ row: (Int64, String),
    at place: Int
  ) -> [String: JSONValue] {
    let entry: JSONValue = .object(["kind": .string("inserted"), "at": .int64(Int64(place))])
    return frame(id, "change", sequence, [row], ["changes": .array([entry])])
  }

  private static func begin(_ peer: FakeService.Peer, _ id: Int64, _ rows: [(Int64, String)]) {
    peer.send(frame(id, "snapshot", nil, rows))
    peer.send(frame(id, "live", 1))
  }

  private func watch(_ frame: ClientFrame) -> (call: Call, request: WatchRequest)? {
    guard case .call(let call) = frame, case .watch(let request) = call.operation else {
      return nil
    }
    return (call, request)
  }

  @Test func `a watch tells what is there and what changes`() async throws {
    let service = try FakeService { peer, frame in
      guard let (call, request) = watch(frame) else { return }
      #expect(request.since == nil)
      // Snapshots need all changes.
      #expect(request.echoes)
      #expect(request.onExpired == .error)
      #expect(request.bookmarkMilliseconds == 2000)
      Self.begin(peer, call.id, [(1, "a")])
      peer.send(Self.inserted(call.id, 2, (2, "b"), at: 1))
    }
    let client = try await Client(socket: service.socket)
    let options = WatchOptions(echoes: false, onExpired: .error, bookmark: .seconds(2))
    var seen: [[String]] = []
    for try await rows in client.watch(Item.self, options: options).snapshots {
      seen.append(rows.contents.map(\.text))
      if seen.count == 2 { break }
    }
    #expect(seen == [["a"], ["a", "b"]])
  }

  @Test func `leaving the loop cancels the watch`() async throws {
    let cancelled = AsyncStream.makeStream(of: Int64.self)
    let service = try FakeService { peer, frame in
      if let (call, _) = watch(frame) { Self.begin(peer, call.id, []) }
      guard case .cancel(let id) = frame else { return }
      cancelled.continuation.yield(id)
      peer.fail(id, DepotError(.cancelled, "cancelled"))
    }
    let client = try await Client(socket: service.socket)
    for try await _ in client.watch(Item.self) { break }
    for await id in cancelled.stream {
      #expect(id == 1)
      break
    }
  }

  @Test func `cancelling the task ends the watch`() async throws {
    let service = try FakeService { peer, frame in
      if let (call, _) = watch(frame) { Self.begin(peer, call.id, []) }
      if case .cancel(let id) = frame { peer.fail(id, DepotError(.cancelled, "cancelled")) }
    }
    let client = try await Client(socket: service.socket)
    let begun = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      for try await _ in client.watch(Item.self) { begun.continuation.yield() }
    }
    for await _ in begun.stream { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `after a lost connection the watch goes on from its token`() async throws {
    let tokens = Mutex<[HistoryToken?]>([])
    let service = try FakeService { peer, frame in
      guard let (call, request) = watch(frame) else { return }
      tokens.withLock { $0.append(request.since) }
      switch peer.number {
      case 1:
        Self.begin(peer, call.id, [(1, "a"), (2, "b")])
        peer.send(Self.inserted(call.id, 5, (3, "c"), at: 2))
        // This one never becomes whole.
        var part = Self.inserted(call.id, 6, (4, "d"), at: 0)
        part["more"] = .bool(true)
        peer.send(part)
        peer.hangUp()
      default:
        let order: JSONValue = .array([4, 1, 3].map(JSONValue.int64))
        peer.send(Self.frame(call.id, "resume", 9, [(4, "d")], ["order": order]))
        peer.send(Self.frame(call.id, "live", 9))
        peer.send(Self.inserted(call.id, 10, (5, "e"), at: 3))
      }
    }
    let client = try await Client(socket: service.socket)
    var seen: [[String]] = []
    var interruptions = 0
    var model: LiveRows<Item>?
    for try await event in client.watch(Item.self) {
      switch event {
      case .snapshot(let rows): model = rows
      case .change(let change): try model?.apply(change)
      case .interrupted: interruptions += 1
      case .current, .resumed: continue
      }
      if let model { seen.append(model.contents.map(\.text)) }
      if model?.count == 4 { break }
    }
    #expect(interruptions == 1)
    #expect(
      seen == [
        ["a", "b"], ["a", "b", "c"], ["a", "b", "c"], ["d", "a", "c"], ["d", "a", "c", "e"],
      ]
    )
    #expect(tokens.withLock { $0.map { $0?.sequence } } == [nil, 5])
  }

  @Test func `a watch goes on after the service ended its connection with a reason`() async throws {
    let tokens = Mutex<[HistoryToken?]>([])
    let service = try FakeService { peer, frame in
      guard let (call, request) = watch(frame) else { return }
      tokens.withLock { $0.append(request.since) }
      if peer.number == 1 {
        Self.begin(peer, call.id, [(1, "a")])
        let reason: [String: JSONValue] = [
          "code": .string("limit.outbound_bytes"), "message": .string("Too slow."),
        ]
        peer.send(["err": .object(reason)])
        peer.hangUp()
      } else {
        peer.send(Self.frame(call.id, "resume", 3, [], ["order": .array([])]))
        peer.send(Self.frame(call.id, "live", 3))
      }
    }
    let client = try await Client(socket: service.socket)
    var reasons: [DepotError] = []
    for try await event in client.watch(Item.self) {
      if case .interrupted(let error) = event {
        reasons.append(error)
      } else if !reasons.isEmpty {
        break
      }
    }
    #expect(reasons.map(\.code) == [.disconnected])
    #expect(reasons.first?.hint?.contains("limit.outbound_bytes") == true)
    #expect(tokens.withLock { $0.map { $0?.sequence } } == [nil, 1])
  }

  @Test func `a watch goes on after the service ended for another`() async throws {
    let service = try FakeService { peer, frame in
      guard let (call, request) = watch(frame) else { return }
      if peer.number == 1 {
        Self.begin(peer, call.id, [(1, "a")])
        peer.send(["event": .string("draining")])
        peer.fail(call.id, DepotError(.draining, "draining"))
      } else {
        #expect(request.since?.sequence == 1)
        peer.send(Self.frame(call.id, "resume", 3, [], ["order": .array([])]))
        peer.send(Self.frame(call.id, "live", 3))
      }
    }
    let client = try await Client(socket: service.socket)
    var counts: [Int] = []
    for try await rows in client.watch(Item.self).snapshots {
      counts.append(rows.count)
      if rows.isEmpty { break }
    }
    #expect(counts == [1, 0])
  }

  @Test func `a watch that can't go on fails`() async throws {
    let service = Mutex<FakeService?>(nil)
    let fake = try FakeService { peer, frame in
      guard let (call, _) = watch(frame) else { return }
      Self.begin(peer, call.id, [])
      service.withLock { $0?.stop() }
      peer.hangUp()
    }
    service.withLock { $0 = fake }
    let options = ClientOptions(retryBudget: .milliseconds(30))
    let client = try await Client(socket: fake.socket, options: options)
    var events = 0
    let error = await #expect(throws: DepotError.self) {
      for try await _ in client.watch(Item.self) { events += 1 }
    }
    #expect(error?.code == .disconnected)
    // What was there, and that the connection was lost.
    #expect(events == 2)
    service.withLock { $0 = nil }
  }

  @Test func `a watch that breaks every connection fails`() async throws {
    let count = Mutex(0)
    let service = try FakeService { peer, frame in
      guard watch(frame) != nil else { return }
      count.withLock { $0 += 1 }
      peer.hangUp()
    }
    let client = try await Client(socket: service.socket)
    await #expect(throws: DepotError.self) {
      for try await _ in client.watch(Item.self) {}
    }
    #expect(count.withLock { $0 } <= 12)
  }

  @Test func `watches have a limit of their own`() async throws {
    let service = try FakeService(limits: ["inFlight": 1, "streams": 1, "watches": 2]) {
      peer,
      frame in
      if let (call, _) = watch(frame) { Self.begin(peer, call.id, []) }
      if case .cancel(let id) = frame { peer.fail(id, DepotError(.cancelled, "cancelled")) }
      guard case .call(let call) = frame, case .count = call.operation else { return }
      peer.ok(call.id, ["count": 7])
    }
    let client = try await Client(socket: service.socket)
    var first = client.watch(Item.self).makeAsyncIterator()
    var second = Optional(client.watch(Item.self).makeAsyncIterator())
    _ = try await first.next()
    _ = try await second?.next()
    #expect(try await client.count(Item.self) == 7)
    let third = Task {
      var third = client.watch(Item.self).makeAsyncIterator()
      return try await third.next() != nil
    }
    second = nil
    #expect(try await third.value)
  }

  @Test func `a slow loop gets credit for its window only`() async throws {
    let granted = Mutex(0)
    let service = try FakeService { peer, frame in
      if let (call, _) = watch(frame) {
        granted.withLock { $0 += call.credit ?? 1000 }
        Self.begin(peer, call.id, [])
        for sequence in 2...3 {
          peer.send(
            Self.inserted(call.id, Int64(sequence), (Int64(sequence), "x"), at: sequence - 2)
          )
        }
      }
      if case .more(let id, let count) = frame {
        let from = granted.withLock { granted in
          defer { granted += count }
          return granted
        }
        for sequence in from..<from + count {
          peer.send(
            Self.inserted(id, Int64(sequence), (Int64(sequence), "x"), at: sequence - 2)
          )
        }
      }
    }
    let client = try await Client(socket: service.socket, options: ClientOptions(window: 4))
    var count = 0
    for try await rows in client.watch(Item.self).snapshots {
      count += 1
      #expect(rows.count == count - 1)
      #expect(granted.withLock { $0 } <= count + 7)
      if count == 50 { break }
    }
  }

  @Test func `a count, a history, and a barrier`() async throws {
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      if case .barrier = call.operation {
        return peer.send([
          "id": .int64(call.id), "ok": .object(["tokens": .array([.string(Self.token(9))])]),
        ])
      }
      guard let (_, request) = watch(frame) else { return }
      var rows = Self.frame(call.id, "snapshot")
      switch request.subject {
      case .count:
        rows["next"] = .array([.array([.int64(3)])])
        peer.send(rows)
        peer.send(Self.frame(call.id, "live", 1))
      case .history(let history):
        #expect(history.entity == "Item")
        peer.send(Self.frame(call.id, "live", 1))
        rows["kind"] = .string("change")
        rows["token"] = .string(Self.token(2))
        rows["next"] = .array([.object(["token": .string(Self.token(2))])])
        peer.send(rows)
      default: break
      }
    }
    let client = try await Client(socket: service.socket)
    #expect(try await client.barrier().map(\.sequence) == [9])
    for try await answer in client.watchCount(Item.self) {
      #expect(answer.value == 3)
      break
    }
    for try await event in client.watchHistory(HistoryRequest(entity: "Item")) {
      guard case .transaction(let transaction) = event else { continue }
      #expect(transaction.token.sequence == 2)
      break
    }
  }

  @Test func `what a watched history left out is read from the history`() async throws {
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      var transactions = Self.frame(call.id, "change", 6)
      transactions["next"] = .array([.object(["token": .string(Self.token(6))])])
      switch call.operation {
      case .watch:
        peer.send(Self.frame(call.id, "live", 1))
        peer.send([
          "id": .int64(call.id), "kind": .string("gap"), "from": .string(Self.token(1)),
          "to": .string(Self.token(5)), "next": .array([]),
        ])
        peer.send(transactions)
      case .history(let request) where request.since != nil:
        #expect(request.since == .token(HistoryToken(store: "0123abcd", sequence: 1)))
        #expect(request.until == HistoryToken(store: "0123abcd", sequence: 5))
        let details: [String: JSONValue] = [
          "oldest": .string(Self.token(3)), "head": .string(Self.token(5)),
        ]
        peer.fail(call.id, DepotError(.historyExpired, "It is gone.").details(details))
      case .history(let request):
        #expect(request.entity == "Item")
        let pieces = [3, 3, 5].map { JSONValue.object(["token": .string(Self.token($0))]) }
        peer.send(["id": .int64(call.id), "next": .array(pieces)])
        peer.send([
          "id": .int64(call.id),
          "ok": .object(["transactions": .int64(2), "token": .string(Self.token(5))]),
        ])
      default: break
      }
    }
    let client = try await Client(socket: service.socket)
    var told: [String] = []
    for try await event in client.watchHistory(HistoryRequest(entity: "Item")) {
      switch event {
      case .transaction(let transaction): told.append("\(transaction.token.sequence)")
      case .gap(let from, let to): told.append("\(from?.sequence ?? 0)-\(to?.sequence ?? 0)")
      case .current, .interrupted: break
      }
      if told.last == "6" { break }
    }
    #expect(told == ["1-2", "3", "5", "6"])
  }

  @Test func `live results follow on the actor that asks for them`() async throws {
    let service = try FakeService { peer, frame in
      guard let (call, _) = watch(frame) else { return }
      Self.begin(peer, call.id, [(1, "a")])
      peer.send(Self.inserted(call.id, 2, (2, "b"), at: 1))
    }
    let client = try await Client(socket: service.socket)
    try await Screen.shared.show(client)
  }

  @globalActor private actor Screen {
    static let shared = Screen()

    func show(_ client: Client) async throws {
      let results = client.live(Item.self)
      try await results.ready()
      while results.rows.count < 2 {
        await withCheckedContinuation { continuation in
          withObservationTracking {
            // The change could have come before.
            if results.rows.count == 2 { Task { continuation.resume() } }
          } onChange: {
            Screen.shared.preconditionIsolated()
            if results.rows.count == 2 { continuation.resume() }
          }
        }
      }
      #expect(results.rows.map(\.text) == ["a", "b"])
    }
  }

  @Test func `live results end with their last reference`() async throws {
    let cancelled = AsyncStream.makeStream(of: Int64.self)
    let service = try FakeService { peer, frame in
      if let (call, _) = watch(frame) { Self.begin(peer, call.id, []) }
      guard case .cancel(let id) = frame else { return }
      cancelled.continuation.yield(id)
      peer.fail(id, DepotError(.cancelled, "cancelled"))
    }
    let client = try await Client(socket: service.socket)
    var results = Optional(client.live(Item.self))
    try await results?.ready()
    results = nil
    for await _ in cancelled.stream { break }
  }

  @Test func `waiting for live results can be cancelled`() async throws {
    let asked = AsyncStream.makeStream(of: Void.self)
    let service = try FakeService { _, frame in
      if watch(frame) != nil { asked.continuation.yield() }
    }
    let client = try await Client(socket: service.socket)
    let results = client.live(Item.self)
    for await _ in asked.stream { break }
    let task = Task { try await results.ready() }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(results.rows.isEmpty)
  }

  @Test func `live results tell why there are none`() async throws {
    let service = try FakeService { peer, frame in
      guard let (call, _) = watch(frame) else { return }
      peer.fail(call.id, DepotError(.unknownEntity, "There is no Item."))
    }
    let client = try await Client(socket: service.socket)
    let results = client.live(Item.self)
    let error = await #expect(throws: DepotError.self) { try await results.ready() }
    #expect(error?.code == .unknownEntity)
    #expect(results.error?.code == .unknownEntity)
    #expect(!results.isLive)
  }
}
