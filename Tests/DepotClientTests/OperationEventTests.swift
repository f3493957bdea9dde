import DepotClient
import DepotProtocol
import FoundationEssentials
import Synchronization
import TestSupport
import Testing

/// What observers of connections are told.
@Suite struct OperationEventTests {
  /// A place for events.
  private final class Events: Sendable {
    private let all = Mutex<[OperationEvent]>([])

    var observer: OperationObserver { { event in self.all.withLock { $0.append(event) } } }

    /// The texts of the events without their durations, which are above zero.
    var texts: [String] {
      all.withLock { events in
        events.map { event in
          #expect(event.duration > .zero)
          return event.description.replacing(/\ in \d+\.\d\d\d ms/, with: "")
        }
      }
    }

    var list: [OperationEvent] { all.withLock(\.self) }
  }

  @Test func `both kinds of connections tell the same of the same operations`() async throws {
    let service = try RealService()
    let (events, waiting) = (Events(), Events())
    let first = try await service.client()
    try await first.define(Package.schema)
    let client = try await Client(socket: service.socket, observer: events.observer)
    let connection = try BlockingConnection(socket: service.socket, observer: waiting.observer)
    let large = #Predicate<Package> { $0.size > 5 }
    let packages = (0..<10).map { Package(name: "p\($0)", section: "s", size: $0) }
    try await client.insert(packages)
    try connection.insert(packages)
    #expect(try await client.count(Package.self, where: large) == 8)
    #expect(try connection.count(Package.self, where: large) == 8)
    for try await _ in client.rows(Package.self, where: large, limit: 3) {}
    #expect(try connection.fetch(Package.self, where: large, limit: 3).count == 3)
    let foreign = CountRequest(entity: "X")
    await #expect(throws: DepotError.self) { try await client.count(foreign) }
    #expect(throws: DepotError.self) { try connection.count(foreign) }
    let change: [Assignment<Package>] = [.set(\.size, to: 5)]
    #expect(try await client.update(Package.self, where: large, set: change) == 8)
    #expect(try connection.update(Package.self, where: large, set: change) == 0)
    let expected = [
      "insert Package: 10 rows", "count Package where installedSize > 5: 8 rows",
      "fetch Package where installedSize > 5: 3 rows", "count X: failed",
    ]
    for texts in [events.texts, waiting.texts] {
      #expect(zip(texts, expected).allSatisfy { $0.hasPrefix($1) }, "\(texts)")
      #expect(texts[3].contains("schema.unknown_entity"))
    }
    #expect(events.texts[4] == "update Package where installedSize > 5: 8 rows")
    #expect(waiting.texts[4] == "update Package where installedSize > 5: 0 rows")
  }

  @Test func `a stream that is left early, and a cancelled call, are told as cancelled`()
    async throws
  {
    let (calls, continuation) = AsyncStream.makeStream(of: Int64.self)
    let service = try FakeService { peer, frame in
      if case .call(let call) = frame { continuation.yield(call.id) }
      if case .cancel(let id) = frame { peer.fail(id, DepotError(.cancelled, "cancelled")) }
    }
    let events = Events()
    let client = try await Client(socket: service.socket, observer: events.observer)
    let task = Task { try await client.ping() }
    for await _ in calls { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(events.list.map(\.name) == ["ping"])
    #expect(events.list[0].error is CancellationError)
  }

  @Test func `calls that are lost with their connection are told as such`() async throws {
    let service = try FakeService { peer, frame in if case .call = frame { peer.hangUp() } }
    let (events, waiting) = (Events(), Events())
    let options = ClientOptions(usesKeys: false)
    let client = try await Client(
      socket: service.socket,
      options: options,
      observer: events.observer
    )
    let connection = try BlockingConnection(socket: service.socket, observer: waiting.observer)
    let request = DeleteRequest(entity: "E", rows: .identifiers([1]))
    await #expect(throws: DepotError.self) { try await client.delete(request) }
    #expect(throws: DepotError.self) { try connection.delete(request) }
    for list in [events.list, waiting.list] {
      let errors = list.map { $0.error as? DepotError }
      #expect(errors.map(\.?.code) == [.disconnected])
      #expect(errors.map(\.?.effect) == [.unknown])
      #expect(list.map(\.rows) == [nil])
    }
  }

  @Test func `rows that can't be counted aren't told`() async throws {
    let service = try FakeService { peer, frame in
      if case .call(let call) = frame { peer.ok(call.id, ["inserted": .max, "updated": .max]) }
    }
    let events = Events()
    let client = try await Client(socket: service.socket, observer: events.observer)
    try await client.save(SaveRequest())
    #expect(events.list.map(\.rows) == [nil])
  }

  @Test func `an observer is called before whoever waits goes on`() async throws {
    let service = try FakeService { peer, frame in
      if case .call(let call) = frame { peer.ok(call.id) }
    }
    let events = Events()
    let client = try await Client(socket: service.socket, observer: events.observer)
    for number in 1...100 {
      try await client.ping()
      #expect(events.list.count == number)
    }
  }
}
