import DepotLinux
import DepotProtocol
import Synchronization
import TestSupport
import Testing

@testable import DepotClient
@testable import DepotClientCore

/// Connections that wait, and services that break them or say nothing.
@Suite struct BlockingConnectionTests {
  private static let deletion = DeleteRequest(entity: "E", rows: .identifiers([1]))

  /// Calls `body` with a connection, on a thread of its own, and returns its error.
  private func failure(
    _ service: FakeService,
    _ body: @escaping @Sendable (BlockingConnection) throws -> Void
  ) async throws -> DepotError? {
    try await onThread {
      let connection = try BlockingConnection(socket: service.socket)
      do {
        try body(connection)
        return nil
      } catch {
        return error as? DepotError
      }
    }
  }

  @Test func `a call ends though the service says nothing, and nobody knows what it did`()
    async throws
  {
    let service = try FakeService { _, _ in }
    let error = try await failure(service) { connection in
      try connection.delete(Self.deletion, deadline: .milliseconds(10))
    }
    #expect(error?.code == .deadline)
    #expect(error?.effect == .unknown)
  }

  @Test func `a row that fits no frame isn't to be sent with fewer others`() async throws {
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      peer.ok(call.id, [:])
    }
    func request(_ count: Int) throws -> InsertRequest {
      let text = String(repeating: "a", count: (Limits.frameBytes + 1000) / count)
      let row = "[\"\(text)\"]"
      let json = "[" + Array(repeating: row, count: count).joined(separator: ",") + "]"
      return InsertRequest(
        entity: "E",
        columns: ["t"],
        rows: RowBatch(json: Array(json.utf8), count: count)
      )
    }
    for count in [1, 2] {
      let request = try request(count)
      let error = try await failure(service) { _ = try $0.send(.insert(request)) }
      #expect(error?.code == .frameTooLarge)
      #expect(error?.hint?.contains("fewer") == (count > 1), "\(error?.hint ?? "")")
      #expect(error?.message.contains("one row") == (count == 1))
    }
    let client = try await Client(socket: service.socket)
    let error = await #expect(throws: DepotError.self) {
      _ = try await client.send(.insert(try request(1)))
    }
    #expect(error?.hint?.contains("fewer") == false)
  }

  @Test func `nobody knows what became of a change whose connection ends with a reason`()
    async throws
  {
    let reason: JSONValue = .object([
      "code": .string("limit.outbound_bytes"), "message": .string("Too slow."),
      "effect": .string("none"),
    ])
    let service = try FakeService { peer, _ in
      peer.send(["err": reason])
      peer.hangUp()
    }
    let operations: [DepotProtocol.Operation] = [
      .delete(Self.deletion), .commitMigration(takesBackup: true), .closeContainer("c"),
      .compact(store: nil), .removeCopies([], store: nil),
    ]
    for operation in operations {
      let error = try await failure(service) { _ = try $0.send(operation) }
      #expect(error?.code == .outboundTooLarge)
      #expect(error?.effect == .unknown, "\(operation.name)")
    }
    let read = try await failure(service) { _ = try $0.count(CountRequest(entity: "E")) }
    #expect(read?.effect == DepotError.Effect.none)
    let arguments: JSONValue = .object(["entity": .string("E")])
    let named = try await failure(service) { _ = try $0.call("delete", arguments: arguments) }
    #expect(named?.effect == .unknown)
  }

  @Test func `nobody knows what became of a change whose answer can't be read`() async throws {
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      peer.send(["id": .int64(call.id), "err": .string("?")])
    }
    let error = try await failure(service) { try $0.delete(Self.deletion) }
    #expect(error?.effect == .unknown)
  }

  @Test func `the error of a call itself says what became of it`() async throws {
    let service = try FakeService { peer, frame in
      if case .call(let call) = frame { peer.fail(call.id, DepotError(.unique, "Taken.")) }
    }
    let error = try await failure(service) { try $0.delete(Self.deletion) }
    #expect(error?.code == .unique)
    #expect(error?.effect == DepotError.Effect.none)
  }

  @Test func `frames of later versions are left alone`() async throws {
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      peer.send(["id": .int64(call.id), "progress": .int64(3)])
      peer.send(["news": .string("none")])
      peer.ok(call.id, ["count": 5])
    }
    let request = CountRequest(entity: "E")
    let socket = service.socket
    #expect(try await onThread { try BlockingConnection(socket: socket).count(request) } == 5)
    #expect(try await Client(socket: socket).count(request) == 5)
  }

  @Test func `a frame over the limit isn't sent, and the one before it is answered`() async throws {
    let service = try RealService()
    try await service.client().define(Package.schema)
    let socket = service.socket
    let done = OutcomeBox()
    try Thread.start(name: "insert") {
      do {
        let connection = try BlockingConnection(socket: socket)
        let small = InsertRequest((0..<10_000).map { Package(name: "p\($0)") })
        let long = String(repeating: "x", count: 1 << 20)
        let large = InsertRequest((0..<17).map { _ in Package(name: long) })
        var results = 0
        let error = #expect(throws: DepotError.self) {
          try connection.insert(each: [small, large]) { _ in results += 1 }
        }
        done.set(error?.code, results, try connection.count(CountRequest(entity: "Package")))
      } catch {
        Issue.record(error)
      }
    }
    let (code, results, count) = try #require(try await poll { done.value })
    #expect(code == .frameTooLarge)
    #expect(results == 1)
    #expect(count == 10_000)
  }

  @Test func `a connection for reading only refuses changes by name, too`() async throws {
    let service = try FakeService { peer, frame in
      if case .call(let call) = frame { peer.ok(call.id, ["count": 5]) }
    }
    let error = try await failure(service) { connection in
      connection.refusesChanges = true
      let arguments: JSONValue = .object(["entity": .string("E"), "ids": .array([.int64(1)])])
      #expect(
        try connection.call("count", arguments: .object(["entity": .string("E")]))["count"] != nil
      )
      _ = try connection.call("delete", arguments: arguments)
    }
    #expect(error?.code == .readOnly)
  }

  @Test func `a service that takes connections and says nothing isn't asked again`() throws {
    let folder = try TemporaryFolder()
    let socket = SocketPath(folder.path + "/s")
    let listener = try UnixSocket.listen(path: socket.path)
    let core = try ClientCore(options: ClientOptions())
    var loop = ClientLoop(core: core, socket: socket, start: .never, name: "test")
    let first = #expect(throws: DepotError.self) { _ = try loop.connect(patience: 20) }
    let second = #expect(throws: DepotError.self) {
      _ = try BlockingConnection.greet(socket.connect(.never), Hello("test"), patience: 20)
    }
    #expect(first == Welcome.isLate)
    #expect(second == Welcome.isLate)
    var attempts = 0
    #expect(throws: Welcome.isLate) {
      try SocketPath.persevering { () throws(DepotError) in
        attempts += 1
        throw Welcome.isLate
      }
    }
    #expect(attempts == 1)
    withExtendedLifetime(listener) {}
  }
}

/// A place for what a thread finds out.
private final class OutcomeBox: Sendable {
  typealias Outcome = (code: DepotError.Code?, results: Int, count: Int)

  private let outcome = Mutex<Outcome?>(nil)

  var value: Outcome? { outcome.withLock { $0 } }

  func set(_ code: DepotError.Code?, _ results: Int, _ count: Int) {
    outcome.withLock { $0 = (code, results, count) }
  }
}
