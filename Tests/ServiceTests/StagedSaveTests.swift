import DepotClient
import DepotLinux
import DepotProtocol
import TestSupport
import Testing

extension ServiceTests {
  /// Saves that are too large for one frame.
  @Suite struct StagedSaveTests {
    private static let schema = """
      {"entities":[{"name":"Item","attributes":[{"name":"name","type":"string","unique":true},\
      {"name":"n","type":"int64","default":0},{"name":"text","type":"string","optional":true}],\
      "relationships":[{"name":"next","destination":"Item","optional":true}]}]}
      """

    private let daemon: TestDaemon

    init() throws {
      daemon = try TestDaemon(schema: Self.schema)
    }

    /// Items, each of which leads to the next, and the last to the first.
    private func circle(_ count: Int) -> SaveRequest {
      var rows = RowBatch()
      for index in 0..<count {
        rows.append([
          .string("#\(index)"), .string("item \(index)"), .int64(Int64(index)),
          .string("#\((index + 1) % count)"),
        ])
      }
      let columns = ["$id", "name", "n", "next"]
      return SaveRequest(inserts: [
        SaveRequest.Insertion(entity: "Item", columns: columns, rows: rows)
      ])
    }

    @Test func `a graph of any size is one transaction`() async throws {
      let connection = try daemon.connect()
      let count = 35_000
      let result = try connection.save(circle(count))
      #expect(result.inserted == count)
      #expect(result.identifiers.count == count)
      #expect(try connection.count(CountRequest(entity: "Item")) == count)
      let joined = CountRequest(
        entity: "Item",
        predicate: try PredicateParser.parse("next.n == n + 1")
      )
      #expect(try connection.count(joined) == count - 1)
      var transactions: [Int] = []
      var tokens: Set<HistoryToken> = []
      try connection.history {
        guard !$0.changes.isEmpty else { return }
        transactions.append($0.changes.count)
        tokens.insert($0.token)
      }
      #expect(transactions.reduce(0, +) == count)
      #expect(tokens.count == 1)
      let client = try await Client(socket: SocketPath(daemon.socket))
      var change = SaveRequest()
      let identifiers = result.identifiers.values.sorted()
      change.deletes = [
        SaveRequest.Deletion(entity: "Item", identifiers: Array(identifiers.prefix(12_000)))
      ]
      var rows = RowBatch()
      for identifier in identifiers.dropFirst(12_000) {
        rows.append([.int64(identifier), .int64(1), .int64(-1)])
      }
      change.updates = [
        SaveRequest.Change(entity: "Item", columns: ["$id", "$version", "n"], rows: rows)
      ]
      let changed = try await client.save(change)
      #expect(changed.deleted == 12_000)
      #expect(changed.updated == count - 12_000)
      #expect(changed.versions["Item"]?.count == count - 12_000)
      #expect(identifiers.dropFirst(12_000).allSatisfy { changed.versions["Item"]?[$0] == 2 })
      let rest = CountRequest(entity: "Item", predicate: try PredicateParser.parse("n == -1"))
      #expect(try connection.count(rest) == count - 12_000)
    }

    @Test func `an error points to the row of the request, and nothing is stored`() throws {
      let connection = try daemon.connect()
      var request = circle(25_000)
      let clash = RowBatch([[.string("item 24999")], [.string("new")]])
      request.inserts.append(
        SaveRequest.Insertion(entity: "Item", columns: ["name"], rows: clash)
      )
      #expect {
        try connection.save(request)
      } throws: { error in
        let error = error as? DepotError
        return error?.code == .unique && error?.at == "/args/insert/1/rows/0"
      }
      request = circle(25_000)
      request.policy = .error
      try connection.insert([Item(name: "item 23456")])
      #expect {
        try connection.save(request)
      } throws: { error in
        (error as? DepotError)?.conflicts.map(\.pointer) == ["/args/insert/0/rows/23456"]
      }
      #expect(try connection.count(CountRequest(entity: "Item")) == 1)
      // The connection goes on, and nothing is left of the parts.
      #expect(try connection.save(circle(10)).inserted == 10)
      #expect(try stagedBytes() == 0)
    }

    @Test func `a key applies once, and tells the same again`() throws {
      let connection = try daemon.connect()
      let first = try connection.save(circle(15_000), key: "k")
      let other = try daemon.connect()
      #expect(try other.save(circle(15_000), key: "k") == first)
      #expect(try other.count(CountRequest(entity: "Item")) == 15_000)
      #expect { try other.save(circle(15_001), key: "k") } throws: {
        ($0 as? DepotError)?.code == .keyReused
      }
    }

    @Test func `runs are told for rows with temporary identifiers`() throws {
      let connection = try daemon.connect()
      var request = SaveRequest()
      request.answersInRuns = true
      request.policy = .mergeByPropertyStoreTrump
      request.inserts = [
        SaveRequest.Insertion(
          entity: "Item",
          columns: ["$id", "name"],
          rows: RowBatch([
            [.string("#a"), .string("a")], [.string("#b"), .string("b")], [.null, .string("c")],
          ])
        ),
        SaveRequest.Insertion(
          entity: "Item",
          columns: ["name"],
          rows: RowBatch([[.string("d")]])
        ),
      ]
      let result = try connection.save(request)
      let first = try #require(result.runs.first?.first?.first)
      let run = SaveResult.IdentifierRun.init
      #expect(result.runs == [[run(first, 2), run(0, 1)], [run(0, 1)]])
      #expect(result.versions == ["Item": [first: 1, first + 1: 1]])
      #expect(result.identifiers.isEmpty)
      // A row that is there already takes its place in the order.
      request.inserts = [
        SaveRequest.Insertion(
          entity: "Item",
          columns: ["$id", "name"],
          rows: RowBatch([
            [.string("#x"), .string("x")], [.string("#b"), .string("b")],
            [.string("#y"), .string("y")],
          ])
        )
      ]
      let again = try connection.save(request)
      #expect(again.runs.first?.map(\.count) == [1, 1, 1])
      #expect(again.runs.first?[1].first == first + 1)
      #expect(again.inserted == 2)
    }

    @Test func `parts end with their connection`() throws {
      let raw = try RawConnection(daemon.socket)
      let insert = ##""insert":[{"entity":"Item","columns":["name"],"rows":[["a"]]}]"##
      try raw.call(1, "stage", #"{"save":5,"part":1,\#(insert)}"#)
      #expect(try raw.receive()["ok", "rows"] == .int64(1))
      let other = try RawConnection(daemon.socket)
      try other.call(1, "save", #"{"staged":{"save":5,"parts":1}}"#)
      #expect(try other.receive().errorCode == "notfound.staged")
      try raw.call(2, "save", #"{"staged":{"save":5,"parts":1}}"#)
      #expect(try raw.receive()["ok", "inserted"] == .int64(1))
      try raw.call(3, "save", #"{"staged":{"save":5,"parts":1}}"#)
      #expect(try raw.receive().errorCode == "notfound.staged")
    }

    @Test func `a save whose connections are lost between its parts is stored once`() async throws {
      let client = try await Client(socket: SocketPath(daemon.socket))
      let request = circle(60_000)
      async let saving = client.save(request)
      _ = try await poll { try stagedBytes() > 0 ? true : nil }
      daemon.kill()
      try daemon.start()
      let result = try await saving
      #expect(result.identifiers.count == 60_000)
      #expect(try daemon.connect().count(CountRequest(entity: "Item")) == 60_000)
    }

    /// How many bytes all connections have staged.
    private func stagedBytes() throws -> Int64 {
      let sessions = try daemon.stats()["connections", "list"]?.array ?? []
      return sessions.reduce(0) { $0 + ($1["stagedBytes"]?.int64 ?? 0) }
    }
  }
}
