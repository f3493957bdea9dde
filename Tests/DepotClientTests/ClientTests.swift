import DepotClient
import DepotProtocol
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite struct ClientTests {
  @Test func `answers in any order reach the tasks that asked`() async throws {
    let waiting = Mutex<[Int64]>([])
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame, case .count = call.operation else { return }
      let all = waiting.withLock { waiting in
        waiting.append(call.id)
        return waiting.count == 8 ? waiting.reversed() : []
      }
      for id in all { peer.ok(id, ["count": id]) }
    }
    let client = try await Client(socket: service.socket)
    let counts = try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask { try await client.count(CountRequest(entity: "E")) }
      }
      return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(counts == Set(1...8))
  }

  @Test func `no more calls than the service allows are under way`() async throws {
    let state = Mutex((open: [Int64](), most: 0))
    let service = try FakeService(limits: ["inFlight": 3]) { peer, frame in
      guard case .call(let call) = frame else { return }
      let ready = state.withLock { state in
        state.open.append(call.id)
        state.most = max(state.most, state.open.count)
        guard state.open.count == 3 else { return [Int64]() }
        defer { state.open = [] }
        return state.open
      }
      for id in ready { peer.ok(id) }
    }
    let client = try await Client(socket: service.socket)
    try await withThrowingTaskGroup { group in
      for _ in 0..<30 { group.addTask { try await client.ping() } }
      try await group.waitForAll()
    }
    #expect(state.withLock { $0.most } == 3)
  }

  @Test func `a cancelled task cancels its call`() async throws {
    let (calls, continuation) = AsyncStream.makeStream(of: Int64.self)
    let service = try FakeService { peer, frame in
      if case .call(let call) = frame { continuation.yield(call.id) }
      if case .cancel(let id) = frame { peer.fail(id, DepotError(.cancelled, "cancelled")) }
    }
    let client = try await Client(socket: service.socket)
    let task = Task { try await client.ping() }
    for await _ in calls { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a task that was cancelled before it calls sends nothing`() async throws {
    let count = Mutex(0)
    let service = try FakeService { peer, frame in
      guard case .call(let call) = frame else { return }
      count.withLock { $0 += 1 }
      peer.ok(call.id)
    }
    let client = try await Client(socket: service.socket)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await client.ping()
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    try await client.ping()
    #expect(count.withLock { $0 } == 1)
  }

  @Test func `a service's ping is answered`() async throws {
    let (pongs, continuation) = AsyncStream.makeStream(of: Int64.self)
    let service = try FakeService { peer, frame in
      if case .call(let call) = frame {
        peer.send(["ping": .int64(7)])
        peer.ok(call.id)
      }
      if case .pong(let number) = frame { continuation.yield(number) }
    }
    let client = try await Client(socket: service.socket)
    try await client.ping()
    for await number in pongs {
      #expect(number == 7)
      break
    }
    client.close()
  }

  @Test func `closing fails the calls that wait and those to come`() async throws {
    let (calls, continuation) = AsyncStream.makeStream(of: Int64.self)
    let service = try FakeService { _, frame in
      if case .call(let call) = frame { continuation.yield(call.id) }
    }
    let client = try await Client(socket: service.socket)
    let task = Task { try await client.ping() }
    for await _ in calls { break }
    client.close()
    let error = await #expect(throws: DepotError.self) { try await task.value }
    #expect(error?.message == "The client was closed.")
    await #expect(throws: DepotError.self) { try await client.ping() }
  }

  @Test func `nobody at the socket is an error at once`() async throws {
    let error = await #expect(throws: DepotError.self) {
      _ = try await Client(socket: SocketPath("/tmp/depot-no-such-folder/s"))
    }
    #expect(error?.code == .noService)
  }

  @Test func `no service is started at a socket that isn't the user's own`() async throws {
    let folder = try TemporaryFolder()
    let socket = SocketPath(folder.path + "/s")
    let blocking = #expect(throws: DepotError.self) {
      try BlockingConnection(socket: socket, start: .ifMissing)
    }
    #expect(blocking?.code == .noService)
    #expect(blocking?.hint?.contains("--socket \(socket.path) service start") == true)
    let client = await #expect(throws: DepotError.self) {
      _ = try await Client(socket: socket, start: .ifMissing)
    }
    #expect(client?.code == .noService)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test
  func `a client that runs as a service ends when it is closed, and closes when it is cancelled`()
    async throws
  {
    let service = try FakeService { peer, frame in
      if case .call(let call) = frame { peer.ok(call.id) }
    }
    let closed = try await Client(socket: service.socket)
    async let end: Void = closed.run()
    try await closed.ping()
    closed.close()
    await end
    await closed.run()
    let cancelled = try await Client(socket: service.socket)
    let task = Task { await cancelled.run() }
    task.cancel()
    await task.value
    let error = await #expect(throws: DepotError.self) { try await cancelled.ping() }
    #expect(error?.code == .disconnected)
  }

  @Test func `a request over the service's frame limit isn't sent`() async throws {
    let service = try FakeService(limits: ["frameBytes": 200]) { peer, frame in
      if case .call(let call) = frame { peer.ok(call.id) }
    }
    let client = try await Client(socket: service.socket)
    let request = DeleteRequest(entity: "E", rows: .identifiers(Array(1...100)))
    let error = await #expect(throws: DepotError.self) { try await client.delete(request) }
    #expect(error?.code == .frameTooLarge)
    try await client.ping()
  }
}
