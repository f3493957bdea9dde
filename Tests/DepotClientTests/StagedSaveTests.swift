import DepotClient
import DepotLinux
import DepotProtocol
import Synchronization
import TestSupport
import Testing

/// Saves in parts whose service breaks connections, or is slow.
@Suite struct StagedSaveTests {
  /// A save of two parts.
  private static let request: SaveRequest = {
    let rows = RowBatch((0...10_000).map { [.int64($0)] })
    var request = SaveRequest()
    request.inserts = [SaveRequest.Insertion(entity: "E", columns: ["x"], rows: rows)]
    return request
  }()

  @Test func `a save whose answer is lost stays in doubt when it can't be sent again`()
    async throws
  {
    let service = Mutex<FakeService?>(nil)
    let fake = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      switch (call.operation, peer.number) {
      case (.save, 1): peer.hangUp()
      case (.save, _): peer.fail(call.id, DepotError(.stagedNotFound, "Nothing is staged."))
      case (.stage, 1): peer.ok(call.id)
      default:
        service.withLock { $0?.stop() }
        peer.hangUp()
      }
    }
    service.withLock { $0 = fake }
    let options = ClientOptions(retryBudget: .milliseconds(30))
    let client = try await Client(socket: fake.socket, options: options)
    let error = await #expect(throws: DepotError.self) {
      try await client.save(Self.request, key: "mine")
    }
    #expect(error?.code == .disconnected)
    #expect(error?.effect == .unknown)
    #expect(error?.details?["key"] == .string("mine"))
    service.withLock { $0 = nil }
  }

  @Test func `a save whose parts are lost before it is sent was not made`() async throws {
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      if case .stage = call.operation {
        peer.fail(call.id, DepotError(.saveTooLarge, "Too large."))
      }
    }
    let client = try await Client(socket: service.socket)
    let error = await #expect(throws: DepotError.self) { try await client.save(Self.request) }
    #expect(error?.code == .saveTooLarge)
    #expect(error?.effect == DepotError.Effect.none)
  }

  @Test func `the parts of a save take of its deadline`() async throws {
    let deadlines = Mutex<[Int?]>([])
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      if case .stage = call.operation { Process.sleep(milliseconds: 10) }
      if case .save = call.operation { deadlines.withLock { $0.append(call.deadlineMilliseconds) } }
      peer.ok(call.id)
    }
    let socket = service.socket
    try await Client(socket: socket).save(Self.request, deadline: .seconds(3600))
    try await onThread {
      _ = try BlockingConnection(socket: socket).save(Self.request, deadline: .seconds(3600))
    }
    let sent = deadlines.withLock { $0 }.compactMap(\.self)
    #expect(sent.count == 2)
    // There are two parts.
    #expect(sent.allSatisfy { $0 <= 3_600_000 - 20 })
  }

  @Test func `a save whose deadline passes between its parts was not made`() async throws {
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      Process.sleep(milliseconds: 20)
      peer.ok(call.id)
    }
    let socket = service.socket
    let first = await #expect(throws: DepotError.self) {
      try await Client(socket: socket).save(Self.request, deadline: .milliseconds(10))
    }
    let second = try await onThread {
      #expect(throws: DepotError.self) {
        try BlockingConnection(socket: socket).save(Self.request, deadline: .milliseconds(10))
      }
    }
    for error in [first, second] {
      #expect(error?.code == .deadline)
      #expect(error?.effect == DepotError.Effect.none)
    }
  }
}
