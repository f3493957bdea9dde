import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

@Suite struct ChunkTests {
  private static let all = RowSelection.predicate(.value(.bool(true)))
  private static let growth = [
    UpdateRequest.Computation(
      "size",
      .arithmetic(.add, .attribute("size"), .value(.int64(100)))
    )
  ]

  private func fill(_ store: StoreFixture, _ count: Int) async throws {
    try await store.insert((0..<count).map { [.string("\($0)"), .int64(Int64($0))] })
  }

  private func update(
    _ rows: RowSelection = all,
    set size: Int64? = nil,
    chunk: Int = 3,
    returnsIdentifiers: Bool = false
  ) -> DepotProtocol.Operation {
    .update(
      UpdateRequest(
        entity: "Item",
        rows: rows,
        columns: size == nil ? [] : ["size"],
        values: size.map { RowBatch([[.int64($0)]]) } ?? RowBatch(),
        computed: size == nil ? Self.growth : [],
        returnsIdentifiers: returnsIdentifiers,
        chunk: chunk
      )
    )
  }

  private func delete(_ rows: RowSelection, chunk: Int = 3) -> DepotProtocol.Operation {
    .delete(
      DeleteRequest(entity: "Item", rows: rows, returnsIdentifiers: true, chunk: chunk)
    )
  }

  @Test(arguments: [1, 2, 3, 10, 11, 1000], [nil, "k"])
  func `chunks add up to the whole, each in a transaction of its own`(
    chunk: Int,
    key: String?
  ) async throws {
    try await withStore { store, path in
      try await fill(store, 10)
      let before = store.store.statistics
      let result = try await store.write(
        update(set: 7, chunk: chunk, returnsIdentifiers: true),
        key: key
      )
      #expect(result["updated"] == .int64(10))
      #expect(result["ids"]?.array?.map(\.int64) == (1...10).map(Int64.init))
      let after = store.store.statistics
      #expect(after.commits - before.commits == 10 / chunk + 1)
      #expect(after.writes == before.writes + 1)
      #expect(after.rowsUpdated == before.rowsUpdated + 10)
      let deleted = try await store.write(delete(Self.all, chunk: chunk), key: key.map { $0 + "2" })
      #expect(deleted["deleted"] == .int64(10))
      #expect(deleted["ids"]?.array?.count == 10)
      #expect(try rows("SELECT key FROM depot_outcome", in: path).count == (key == nil ? 0 : 2))
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `writes in chunks take turns`() async throws {
    try await withStore { store, path in
      try await fill(store, 10)
      let results = await store.write([
        update(set: 1, chunk: 1), update(.identifiers([9, 10]), set: 2, chunk: 1),
      ])
      #expect(try results.map { try $0.get()["updated"] } == [.int64(10), .int64(2)])
      // The second was done with these rows before the first came to them.
      #expect(
        try texts("SELECT a_size, version FROM e_Item WHERE id > 8", in: path)
          == [["1", "3"], ["1", "3"]]
      )
    }
  }

  @Test func `rows that come in after the first chunk aren't reached`() async throws {
    try await withStore { store, path in
      try await fill(store, 200)
      let request = update(set: 1, chunk: 1)
      async let results = store.write([request])
      while store.store.statistics.rowsUpdated == 0 { await Task.yield() }
      try await store.insert([[.string("late"), .int64(5)]])
      #expect(try await results[0].get()["updated"] == .int64(200))
      #expect(try texts("SELECT count(*) FROM e_Item WHERE a_size = 1", in: path) == [["200"]])
    }
  }

  @Test func `each chunk goes on behind the last row of the one before`() async throws {
    try await withStore { store, path in
      try await fill(store, 9)
      // Every row still satisfies the predicate when it has been changed.
      let result = try await store.write(
        update(
          .predicate(.comparison(.greaterOrEqual, .attribute("size"), .value(.int64(4))))
        ),
        key: "k"
      )
      #expect(result["updated"] == .int64(5))
      #expect(
        try texts("SELECT a_size FROM e_Item ORDER BY id", in: path).map { $0[0] }
          == ["0", "1", "2", "3", "104", "105", "106", "107", "108"]
      )
    }
  }

  @Test func `a chunk ends after a moment, however few rows it has found`() async throws {
    try await withStore { store, _ in
      try await fill(store, 6000)
      let part = "NOT (name LIKE '*1*2*3*4*5*' OR name MATCHES '(1|2|3)*y')"
      let predicate = Array(repeating: part, count: 100).joined(separator: " AND ")
      let before = store.store.statistics.commits
      let request = #"{"entity":"Item","where":"NOT (\#(predicate))","chunk":1000}"#
      let result = try await store.write(Operation("delete", request))
      #expect(result["deleted"] == .int64(0))
      #expect(store.store.statistics.commits > before + 1)
    }
  }

  @Test func `a chunk has no more rows than are changed in a moment`() async throws {
    try await withStore { store, path in
      try await fill(store, 9000)
      let before = store.store.statistics.commits
      let result = try await store.write(update(set: -1, chunk: 100_000))
      #expect(result["updated"] == .int64(9000))
      #expect(store.store.statistics.commits > before + 1)
      #expect(try texts("SELECT DISTINCT a_size, version FROM e_Item", in: path) == [["-1", "2"]])
    }
  }

  @Test func `computed values want a key`() async throws {
    try await withStore { store, path in
      try await fill(store, 3)
      let error = await store.code { try await store.write(update()) }
      #expect(error?.code == .usage)
      #expect(error?.at == "/args/chunk")
      #expect(try texts("SELECT sum(a_size) FROM e_Item", in: path) == [["3"]])
    }
  }

  @Test func `a chunk that fails leaves those before it and says so`() async throws {
    try await withStore(Self.guarded) { store, path in
      try await store.insert("Item", ["name"], #"[["a"],["b"],["c"],["d"],["e"]]"#)
      try await store.insert("Part", ["item"], "[[4]]")
      let error = await store.code { try await store.write(delete(Self.all, chunk: 2)) }
      #expect(error?.code == .denied)
      #expect(error?.effect == .partial)
      #expect(error?.details?["done"] == .int64(2))
      #expect(error?.details?["after"] == .int64(2))
      #expect(try texts("SELECT id FROM e_Item", in: path) == [["3"], ["4"], ["5"]])
      // The first chunk stores nothing when it fails.
      try await store.delete("Item", [3])
      let first = await store.code { try await store.write(delete(Self.all, chunk: 2)) }
      #expect(first?.effect == DepotError.Effect.none)
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a request that stopped goes on with its key`() async throws {
    try await withStore(Self.guarded) { store, path in
      try await store.insert(
        "Item",
        ["name", "size"],
        #"[["a",0],["b",0],["c",0],["d",950],["e",0]]"#
      )
      let request = update(chunk: 1, returnsIdentifiers: true)
      let error = await store.code { try await store.write(request, key: "k") }
      #expect(error?.effect == .partial)
      #expect(error?.details?["done"] == .int64(3))
      let other = await store.code { try await store.write(update(chunk: 2), key: "k") }
      #expect(other?.code == .keyReused)
      try await store.update("Item", [4], ["size"], "[0]")
      await store.close()
      let reopened = try StoreFixture(StoreConfiguration(path: path))
      for _ in 0..<2 {
        let result = try await reopened.write(request, key: "k")
        #expect(result["updated"] == .int64(5))
        #expect(result["ids"]?.array?.compactMap(\.int64) == [1, 2, 3, 4, 5])
      }
      #expect(try texts("SELECT DISTINCT a_size FROM e_Item", in: path) == [["100"]])
      #expect(try rows("SELECT key FROM depot_outcome", in: path) == [[.text("k")]])
      #expect(try await reopened.problems(path) == [])
    }
  }

  @Test func `a request that goes on for long keeps what it has done`() async throws {
    try await withStorePath { path in
      let test = TestClocks()
      var configuration = StoreConfiguration(path: path)
      configuration.clocks = test.clocks
      let store = try StoreFixture(configuration)
      try await store.write(.defineSchema(Self.guarded, isDryRun: false))
      try await store.insert(
        "Item",
        ["name", "size"],
        #"[["a",0],["b",950],["c",0],["d",950],["e",0],["f",950]]"#
      )
      let request = update(chunk: 1, returnsIdentifiers: true)
      for identifier in [2, 4, 6] as [Int64] {
        let error = await store.code { try await store.write(request, key: "k") }
        #expect(error?.effect == .partial)
        #expect(error?.details?["done"] == .int64(identifier - 1))
        try await store.update("Item", [identifier], ["size"], "[0]")
        test.pass(601)
      }
      let result = try await store.write(request, key: "k")
      #expect(result["ids"]?.array?.compactMap(\.int64) == [1, 2, 3, 4, 5, 6])
      #expect(try rows("SELECT key FROM depot_outcome", in: path) == [[.text("k")]])
      #expect(try await store.problems(path) == [])
      await store.close()
    }
  }

  @Test func `a deletion by identifiers goes on with its key`() async throws {
    try await withStore(Self.guarded) { store, path in
      try await store.insert("Item", ["name"], #"[["a"],["b"],["c"],["d"]]"#)
      let parts = try await store.insert("Part", ["item"], "[[3]]")
      let request = delete(.identifiers([4, 3, 2, 1]), chunk: 2)
      let error = await store.code { try await store.write(request, key: "k") }
      #expect(error?.effect == .partial)
      try await store.delete("Part", parts.compactMap(\.self))
      let result = try await store.write(request, key: "k")
      #expect(result["deleted"] == .int64(4))
      #expect(result["ids"]?.array?.compactMap(\.int64) == [1, 2, 3, 4])
      let missing = await store.code { try await store.write(request) }
      #expect(missing?.code == .objectNotFound)
    }
  }

  @Test func `the same request twice at once computes no row twice`() async throws {
    try await withStore { store, path in
      try await fill(store, 50)
      let request = update(chunk: 4, returnsIdentifiers: true)
      let results = await store.write([request, request, request], key: "k")
      for result in results { #expect(try result.get()["ids"]?.array?.count == 50) }
      #expect(
        try texts("SELECT count(*) FROM e_Item WHERE version = 2", in: path) == [["50"]]
      )
    }
  }

  @Test func `a cancelled request stops between chunks`() async throws {
    try await withStore { store, path in
      try await fill(store, 2000)
      let control = CallControl()
      let before = store.store.statistics.rowsDeleted
      let request = delete(Self.all, chunk: 1)
      async let results = store.write([request], control: control)
      while store.store.statistics.rowsDeleted == before { await Task.yield() }
      control.cancel()
      let error = await results[0].error
      // It can be done before it hears of it, but not on a machine that ran this.
      let left = try rows("SELECT id FROM e_Item", in: path).count
      if left > 0 {
        #expect(error?.code == .cancelled)
        #expect(error?.effect == .partial)
        #expect(error?.details?["done"] == .int64(Int64(2000 - left)))
      }
    }
  }

  @Test func `what a cascade took before its turn isn't missed`() async throws {
    try await withStore(Self.chain) { store, path in
      try await store.insert("Node", ["next"], "[[null],[null],[null],[null]]")
      try await store.update("Node", [1], ["next"], "[4]")
      let result = try await store.write(
        .delete(DeleteRequest(entity: "Node", rows: .identifiers([1, 2, 4]), chunk: 1))
      )
      #expect(result["deleted"] == .int64(3))
      #expect(try texts("SELECT id FROM e_Node", in: path) == [["3"]])
    }
  }

  private static let guarded = Schema(entities: [
    Entity(
      name: "Item",
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(
          name: "size",
          type: .int64,
          isOptional: true,
          validation: .init(maximum: .int64(1000))
        ),
      ],
      relationships: [
        Relationship(
          name: "parts",
          destination: "Part",
          inverse: "item",
          isToMany: true,
          deleteRule: .deny
        )
      ]
    ),
    Entity(
      name: "Part",
      attributes: [],
      relationships: [Relationship(name: "item", destination: "Item", inverse: "parts")]
    ),
  ])

  private static let chain = Schema(entities: [
    Entity(
      name: "Node",
      attributes: [],
      relationships: [Relationship(name: "next", destination: "Node", deleteRule: .cascade)]
    )
  ])
}
