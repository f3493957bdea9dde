import DepotClient
import DepotProtocol
import Synchronization
import Testing

@Suite struct ClientReconnectTests {
  private let request = DeleteRequest(entity: "E", rows: .identifiers([1]))

  @Test func `a write is sent again with the same key after the connection was lost`() async throws
  {
    let keys = Mutex<[String?]>([])
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      keys.withLock { $0.append(call.key) }
      if peer.number == 1 { peer.hangUp() } else { peer.ok(call.id, ["deleted": 1]) }
    }
    let client = try await Client(socket: service.socket)
    #expect(try await client.delete(request) == 1)
    let sent = keys.withLock { $0 }
    #expect(sent.count == 2)
    #expect(sent.first == sent.last)
    #expect(sent.first??.isEmpty == false)
  }

  @Test func `the caller's own key is used`() async throws {
    let keys = Mutex<[String?]>([])
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      keys.withLock { $0.append(call.key) }
      peer.ok(call.id, ["deleted": 1])
    }
    let client = try await Client(socket: service.socket)
    try await client.delete(request, key: "mine")
    #expect(keys.withLock { $0 } == ["mine"])
  }

  @Test func `a write whose service doesn't come back has an unknown effect and its key`()
    async throws
  {
    let service = Mutex<FakeService?>(nil)
    let fake = try FakeService { peer, frame in
      guard case .call = frame else { return }
      service.withLock { $0?.stop() }
      peer.hangUp()
    }
    service.withLock { $0 = fake }
    let options = ClientOptions(retryBudget: .milliseconds(30))
    let client = try await Client(socket: fake.socket, options: options)
    let error = await #expect(throws: DepotError.self) {
      try await client.delete(request, key: "mine")
    }
    #expect(error?.code == .disconnected)
    #expect(error?.effect == .unknown)
    #expect(error?.details?["key"] == .string("mine"))
    service.withLock { $0 = nil }
  }

  @Test func `a write without a key isn't sent again`() async throws {
    let count = Mutex(0)
    let service = try FakeService { peer, frame in
      guard case .call = frame else { return }
      count.withLock { $0 += 1 }
      peer.hangUp()
    }
    let client = try await Client(
      socket: service.socket,
      options: ClientOptions(usesKeys: false)
    )
    let error = await #expect(throws: DepotError.self) { try await client.delete(request) }
    #expect(error?.effect == .unknown)
    #expect(count.withLock { $0 } == 1)
  }

  @Test func `a read is repeated on the new connection`() async throws {
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      if peer.number == 1 { peer.hangUp() } else { peer.ok(call.id, ["count": 5]) }
    }
    let client = try await Client(socket: service.socket)
    #expect(try await client.count(CountRequest(entity: "E")) == 5)
  }

  @Test func `a deadline is kept while the next service doesn't say welcome`() async throws {
    let service = try FakeService(welcoming: 1) { peer, frame in
      if case .call = frame { peer.hangUp() }
    }
    let client = try await Client(socket: service.socket)
    let error = await #expect(throws: DepotError.self) {
      try await client.count(CountRequest(entity: "E"), deadline: .milliseconds(100))
    }
    #expect(error?.code == .deadline)
  }

  @Test func `a write that is sent again is in doubt until the service has looked for its key`()
    async throws
  {
    let deadlines = Mutex<[Int?]>([])
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      deadlines.withLock { $0.append(call.deadlineMilliseconds) }
      if peer.number == 1 {
        peer.hangUp()
      } else {
        peer.fail(call.id, DepotError(.busy, "Busy."))
      }
    }
    let client = try await Client(socket: service.socket)
    let error = await #expect(throws: DepotError.self) {
      try await client.delete(request, deadline: .seconds(3600), key: "mine")
    }
    #expect(error?.code == .busy)
    #expect(error?.effect == .unknown)
    #expect(error?.details?["key"] == .string("mine"))
    let sent = deadlines.withLock { $0 }
    #expect(sent.count == 2)
    #expect(sent.last == .some(nil))
  }

  @Test func `after the service announced its end, calls go to the next connection`() async throws {
    let served = Mutex<[Int]>([])
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      served.withLock { $0.append(peer.number) }
      if peer.number == 1 { peer.send(["event": .string("draining")]) }
      peer.ok(call.id)
    }
    let client = try await Client(socket: service.socket)
    try await client.ping()
    try await client.ping()
    #expect(served.withLock { $0 } == [1, 2])
  }
}
