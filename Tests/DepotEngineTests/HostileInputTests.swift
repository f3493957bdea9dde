import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

@Suite struct HostileInputTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Node",
      attributes: [
        Attribute(name: "key", type: .int64, isOptional: true),
        Attribute(name: "json", type: .json, isOptional: true),
        Attribute(name: "list", type: .int64, collection: .array, isOptional: true),
        Attribute(name: "set", type: .int64, collection: .set, isOptional: true),
      ],
      relationships: [
        Relationship(name: "next", destination: "Node"),
        Relationship(name: "nodes", destination: "Node", isToMany: true),
      ],
      uniques: [["key", "next"]]
    )
  ])

  private func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  @Test func `JSON that an answer couldn't hold is refused`() async throws {
    try await withStore(Self.schema) { store, path in
      try await store.insert("Node", ["json"], "[[\(nested(56))]]")
      for depth in [57, 64, 100_000] {
        let error = await store.code {
          try await store.insert("Node", ["json"], "[[\(nested(depth))]]")
        }
        #expect(error != nil)
      }
      #expect(try rows("SELECT id FROM e_Node", in: path).count == 1)
    }
  }

  @Test func `long collections are taken as a whole`() async throws {
    try await withStore(Self.schema) { store, path in
      let numbers = (0..<200_000).map { "\($0 % 1000)" }.joined(separator: ",")
      try await store.insert("Node", ["list", "set"], "[[[\(numbers)],[\(numbers)]]]")
      #expect(
        try texts(
          "SELECT json_array_length(a_list), json_array_length(a_set) FROM e_Node",
          in: path
        ) == [["200000", "1000"]]
      )
      let endless = String(repeating: "12345678,", count: 1_000_000) + "1"
      let error = await store.code { try await store.insert("Node", ["list"], "[[[\(endless)]]]") }
      #expect(error?.code == .valueTooLarge)
    }
  }

  @Test func `a list of one target again and again is that target`() async throws {
    try await withStore(Self.schema) { store, path in
      try await store.insert("Node", ["key"], "[[1]]")
      let same = Array(repeating: "1", count: 200_000).joined(separator: ",")
      try await store.insert("Node", ["nodes"], "[[[\(same)]]]")
      #expect(try texts(#"SELECT source, target FROM "j_Node.nodes""#, in: path) == [["2", "1"]])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `upserts that refer to what comes behind them end in bounded time`() async throws {
    try await withStore(Self.schema) { store, path in
      try await store.insert("Node", ["key"], "[[0]]")
      // Each row is told by the one behind it, and the last by the row that is there.
      func save(_ count: Int) async -> DepotError? {
        let rows = (1...count).map { number in
          let next = number < count ? "\"#\(number + 1)\"" : "1"
          return "[\"#\(number)\",1,\(next)]"
        }
        var request = SaveRequest()
        request.inserts = [
          SaveRequest.Insertion(
            entity: "Node",
            columns: ["$id", "key", "next"],
            rows: .text("[\(rows.joined(separator: ","))]")
          )
        ]
        request.onConflict = .replace
        return await store.code { try await store.write(.save(request)) }
      }
      for _ in 0..<2 {
        #expect(await save(20) == nil)
        #expect(try texts("SELECT count(*) FROM e_Node", in: path) == [["21"]])
      }
      #expect(await save(100) == nil)
      #expect(await save(100)?.code == .usage)
      #expect(try texts("SELECT count(*) FROM e_Node", in: path) == [["101"]])
      #expect(try await store.problems(path) == [])
    }
  }

  /// Saves row 1 of people, which was deleted, as a client has it that read a version of it.
  private func saveDeleted(_ version: Int64) -> String {
    """
    {"update":[{"entity":"Person","columns":["$id","$version","a"],"rows":[[1,\(version),7]]}],
    "policy":"overwrite"}
    """
  }

  @Test(arguments: [1 << 53, Int64.max - 1, .max])
  func `a version that no row has had isn't counted on`(version: Int64) async throws {
    try await withStore(.people) { store, path in
      try await store.insert("Person", ["a"], "[[1]]")
      try await store.delete("Person", [1])
      let error = await store.saveError(saveDeleted(version))
      #expect(error?.code == .numberRange)
      #expect(error?.at == "/args/update/0/rows/0/1")
      try await store.save(saveDeleted(1))
      #expect(try texts("SELECT id, version FROM e_Person", in: path) == [["1", "2"]])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a row with the greatest version stays as it is`() async throws {
    try await withStore(.people) { store, path in
      try await store.insert("Person", ["a"], "[[1]]")
      await store.close()
      do {
        let connection = try Connection(path: path, access: .writer)
        try connection.execute("UPDATE e_Person SET version = \(Int64.max)")
      }
      let again = try StoreFixture(StoreConfiguration(path: path))
      let update = await again.code { try await again.update("Person", [1], ["a"], "[2]") }
      #expect(update?.code == .numberRange)
      let boss = await again.code { try await again.update("Person", [1], ["boss"], "[1]") }
      #expect(boss?.code == .numberRange)
      try await again.delete("Person", [1])
      let undo = await again.code { try await again.call("undo", "{}") }
      #expect(undo?.code == .numberRange)
      #expect(await again.saveError(saveDeleted(1))?.code == .numberRange)
      #expect(try await again.insert("Person", ["a"], "[[1]]") == [2])
      #expect(try await again.problems(path) == [])
    }
  }

  @Test func `rows in circles that are no circle of the store end in bounded time`() async throws {
    try await withStore(Self.schema) { store, path in
      // A circle in the store, and one of a save that differs in the row before the last.
      func circle(_ count: Int, _ last: Int) -> String {
        let rows = (1...count).map { number in
          "[\"#\(number)\",\(number == count ? last : 1),\"#\(number % count + 1)\"]"
        }
        return """
          {"insert":[{"entity":"Node","columns":["$id","key","next"],"rows":[\(rows.joined(separator: ","))]}],
          "onConflict":"replace"}
          """
      }
      try await store.save(circle(1000, 1))
      let error = await store.saveError(circle(30, 2))
      #expect(error?.code == .usage)
      try await store.save(circle(1000, 1))
      #expect(try texts("SELECT count(*) FROM e_Node", in: path) == [["1000"]])
      #expect(try await store.problems(path) == [])
    }
  }
}
