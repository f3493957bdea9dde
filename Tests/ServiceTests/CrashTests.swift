import DepotClient
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension ServiceTests {
  /// What is left when a process is killed.
  @Suite(.serialized) struct CrashTests {
    /// What became of a write, as its client saw it.
    struct Attempt: Hashable, Sendable {
      var name: String
      var isAcknowledged: Bool
    }

    /// Compares what clients saw with what the store holds.
    ///
    /// - Returns: The names that were acknowledged and are missing, and those that are there more
    ///   often than they may be.
    static func check(
      _ attempts: [Attempt],
      against names: [String]
    ) -> (lost: [String], tooMany: [String]) {
      let counts = Dictionary(names.map { ($0, 1) }, uniquingKeysWith: +)
      let attempted = Set(attempts.map(\.name))
      let lost = attempts.filter { $0.isAcknowledged && counts[$0.name] == nil }.map(\.name)
      let tooMany = counts.filter { $1 > 1 || !attempted.contains($0) }.map(\.key)
      return (lost, tooMany)
    }

    /// A schema whose names aren't unique, so that a row that is stored twice shows.
    private static let schema = """
      {"entities":[{"name":"Item","attributes":[{"name":"name","type":"string"},\
      {"name":"n","type":"int64","default":0},{"name":"text","type":"string","optional":true}]}]}
      """

    /// Writes from four connections until the service is killed after some writes.
    private func writeUntilKilled(
      _ daemon: TestDaemon,
      round: Int,
      after limit: Int
    ) throws -> [Attempt] {
      let attempts = Shared<[Attempt]>([])
      let acknowledged = Counter()
      let (socket, process) = (daemon.socket, daemon.identifier)
      try inParallel(4) { writer in
        // Others may have had the service killed before this one gets to it.
        guard let connection = try? BlockingConnection(socket: SocketPath(socket)) else { return }
        for number in 0..<100_000 {
          let name = "\(round)-\(writer)-\(number)"
          do {
            try connection.insert([Item(name: name)])
            attempts.change { $0.append(Attempt(name: name, isAcknowledged: true)) }
            acknowledged.add()
            if acknowledged.value >= limit { kill(process, SIGKILL) }
          } catch let error as DepotError where error.effect == .unknown {
            return attempts.change { $0.append(Attempt(name: name, isAcknowledged: false)) }
          }
        }
      }
      daemon.kill()
      return attempts.value
    }

    @Test func `no acknowledged write is lost when the service is killed, and none is there twice`()
      throws
    {
      let daemon = try TestDaemon(schema: Self.schema)
      var attempts: [Attempt] = []
      for round in 0..<15 {
        let before = attempts.count
        attempts += try writeUntilKilled(daemon, round: round, after: 10 + round * 7)
        #expect(attempts.count > before + 10)
        try daemon.start()
        let names = try daemon.connect().fetch(Item.self).map(\.name)
        let (lost, tooMany) = Self.check(attempts, against: names)
        #expect(lost.isEmpty)
        #expect(tooMany.isEmpty)
      }
      #expect(attempts.contains { !$0.isAcknowledged }, "no write was ever in doubt")

      // The instrument must see a loss: here is an acknowledgement of a row that was never written.
      let names = try daemon.connect().fetch(Item.self).map(\.name)
      let planted = Attempt(name: "never written", isAcknowledged: true)
      #expect(Self.check(attempts + [planted], against: names).lost == ["never written"])
      let first = try #require(attempts.first { $0.isAcknowledged }).name
      #expect(Self.check(attempts, against: names + [first]).tooMany == [first])
      #expect(Self.check(attempts, against: names + ["alien"]).tooMany == ["alien"])
      #expect(try daemon.terminate() == 0)
      #expect(try Program.run([Programs.daemon, "--check", "--store", daemon.store]).status == 0)
    }

    @Test func `with a key a write that was in doubt is there exactly once after it is sent again`()
      throws
    {
      let daemon = try TestDaemon(schema: Self.schema)
      let socket = daemon.socket
      var expected: Set<String> = []
      var inDoubt = 0
      for round in 0..<8 {
        let (process, limit) = (daemon.identifier, 8 + round * 5)
        let acknowledged = Counter()
        let names = Shared<Set<String>>([])
        let doubtful = Shared<[String]>([])
        try inParallel(4) { writer in
          // Others may have had the service killed before this one gets to it.
          guard let connection = try? BlockingConnection(socket: SocketPath(socket)) else { return }
          for number in 0..<100_000 {
            let name = "\(round)-\(writer)-\(number)"
            names.change { $0.insert(name) }
            do {
              try connection.insert(InsertRequest([Item(name: name)]), key: name)
              acknowledged.add()
              if acknowledged.value >= limit { kill(process, SIGKILL) }
            } catch let error as DepotError where error.effect == .unknown {
              return doubtful.change { $0.append(name) }
            }
          }
        }
        daemon.kill()
        try daemon.start()
        let connection = try daemon.connect()
        for name in doubtful.value {
          try connection.insert(InsertRequest([Item(name: name)]), key: name)
          try connection.insert(InsertRequest([Item(name: name)]), key: name)
        }
        inDoubt += doubtful.value.count
        expected.formUnion(names.value)
      }
      #expect(inDoubt > 0)
      let stored = try daemon.connect().fetch(Item.self).map(\.name)
      #expect(stored.count == expected.count)
      #expect(Set(stored) == expected)
    }

    @Test func `a key that was used for something else is refused`() throws {
      let daemon = try TestDaemon()
      let connection = try daemon.connect()
      try connection.insert(InsertRequest([Item(name: "a")]), key: "k")
      let error = #expect(throws: DepotError.self) {
        try connection.insert(InsertRequest([Item(name: "b")]), key: "k")
      }
      #expect(error?.code == .keyReused)
      #expect(try connection.count(Item.self) == 1)
    }

    @Test func `the async client settles a write that was under way when the service was killed`()
      async throws
    {
      let daemon = try TestDaemon(schema: Self.schema)
      let client = try await Client(socket: SocketPath(daemon.socket))
      let total = 200
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<total {
          group.addTask { try await client.insert([Item(name: "item \(number)")]) }
        }
        // Some of them are done, some under way, some waiting.
        for _ in 0..<5 { try await group.next() }
        daemon.kill()
        try daemon.start()
        try await group.waitForAll()
      }
      let names = try await client.fetch(Item.self).map(\.name)
      #expect(names.count == total)
      #expect(Set(names).count == total)
      let count = try await client.count(Item.self, where: #Predicate { $0.name == "item 7" })
      #expect(count == 1)
    }

    @Test func `killed clients leave nothing behind in the service`() throws {
      let daemon = try TestDaemon()
      try daemon.connect().fill(20_000, textBytes: 200)
      // Each says hello, begins two streams that it doesn't read and a frame that it doesn't end.
      let script = """
        import json, os, signal, socket, struct, sys
        connections = []
        def frame(value):
            data = json.dumps(value).encode()
            return struct.pack(">I", len(data)) + data
        for index in range(5):
            s = socket.socket(socket.AF_UNIX)
            s.connect(sys.argv[1])
            s.sendall(frame({"hello": {"protocol": [1, 1]}}))
            s.sendall(frame({"id": 1, "call": "fetch", "args": {"entity": "Item"}, "credit": 1}))
            s.sendall(frame({"id": 2, "call": "fetch", "args": {"entity": "Item"}}))
            s.sendall(frame({"id": 3, "call": "insert", "args": {"entity": "Item",
                "columns": ["name"], "rows": [[f"{os.getpid()} {index}"]]}}))
            s.sendall(b"\\0\\0\\1\\0{\\"id\\":4,")
            s.recv(1000)
            connections.append(s)
        os.kill(os.getpid(), signal.SIGKILL)
        """
      try expectIdle(daemon)
      let before = try daemon.socketCount()
      for _ in 0..<6 {
        #expect(try Program.python(script, [daemon.socket]).status == 128 + SIGKILL)
      }
      try expectIdle(daemon)
      try expectSoon("descriptors stay open") { try daemon.socketCount() <= before }
      #expect(try daemon.stats()["connections", "total"]?.int64 ?? 0 >= 30)
    }

    /// Waits until nobody but the asking connection is left, and no reader works or waits.
    private func expectIdle(_ daemon: TestDaemon) throws {
      var stats = JSONValue.null
      try expectSoon("the service isn't idle") {
        stats = try daemon.stats()
        return stats["connections", "current"]?.int64 == 1
          && stats["readers", "active"]?.int64 == 0 && stats["readers", "parked"]?.int64 == 0
          && stats["readers", "waiting"]?.int64 == 0
      }
    }
  }
}
