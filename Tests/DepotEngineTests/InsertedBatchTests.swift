import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

/// Inserts of so many rows that one statement stores them.
@Suite struct InsertedBatchTests {
  private static func rows(_ names: [String?]) -> [[Value]] {
    names.enumerated().map { [$1.map(Value.string) ?? .null, .int64(Int64($0))] }
  }

  /// Returns the names `a0`, `a1`, and so on, with others at some positions.
  private static func names(_ count: Int, _ others: [Int: String?] = [:]) -> [String?] {
    (0..<count).map { others[$0] ?? "a\($0)" }
  }

  private static func pointers(_ error: DepotError?) -> [String?]? {
    error?.details?["violations"]?.array?.map { $0["pointer"]?.string } ?? error.map { [$0.at] }
  }

  @Test func `identifiers go on behind rows that were deleted`() async throws {
    try await withStore { store, path in
      let first = try await store.insert(Self.rows(Self.names(100)))
      #expect(first == Array(1...100))
      _ = try await store.delete("Item", Array(90...100))
      let names = (0..<50).map { "b\($0)" }
      let second = try await store.insert(Self.rows(names))
      #expect(second == Array(101...150))
      let columns = "id, version, a_name, a_size"
      let stored = try texts("SELECT \(columns) FROM e_Item WHERE id > 100", in: path)
      #expect(stored == names.enumerated().map { ["\($0 + 101)", "1", $1, "\($0)"] })
      #expect(try await store.problems(path) == [])
    }
  }

  /// Items whose table has triggers.
  private static let searched = Schema(entities: [
    Entity(
      name: "Item",
      attributes: [
        Attribute(name: "name", type: .string, isUnique: true, options: .spotlight),
        Attribute(name: "size", type: .int64, isOptional: true),
      ]
    )
  ])

  @Test(arguments: [Schema.items, searched])
  func `all rows that clash are named, and nothing is stored`(schema: Schema) async throws {
    try await withStore(schema) { store, path in
      try await store.insert([[.string("z"), .null]])
      let names = Self.names(60, [0: "z", 20: "a5", 21: "z", 59: "a58"])
      let error = await store.code { try await store.insert(Self.rows(names)) }
      #expect(
        Self.pointers(error)
          == ["/args/rows/0", "/args/rows/20", "/args/rows/21", "/args/rows/59"]
      )
      #expect(try texts("SELECT a_name FROM e_Item", in: path) == [["z"]])
      let identifiers = try await store.insert(Self.rows(Self.names(20)))
      #expect(identifiers.count == 20)
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `rows that lack a value are named beside one that clashes`() async throws {
    try await withStore { store, path in
      let names = Self.names(40, [0: nil, 17: nil, 30: "a5", 39: nil])
      let error = await store.code { try await store.insert(Self.rows(names)) }
      #expect(
        Self.pointers(error)
          == ["/args/rows/0/0", "/args/rows/17/0", "/args/rows/30", "/args/rows/39/0"]
      )
      let stored = try texts("SELECT a_name FROM e_Item", in: path)
      #expect(stored.isEmpty)
    }
  }

  @Test func `a row with another number of values ends the insert`() async throws {
    try await withStore { store, path in
      var rows = Self.rows(Self.names(40))
      rows[25].removeLast()
      let error = await store.code { try await store.insert(rows) }
      #expect(error?.code == .usage)
      #expect(error?.at == "/args/rows/25")
      let stored = try texts("SELECT a_name FROM e_Item", in: path)
      #expect(stored.isEmpty)
    }
  }
}
