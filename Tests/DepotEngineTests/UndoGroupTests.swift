import DepotProtocol
import DepotSQLite
import Testing

@testable import DepotEngine

/// The undoing of all that one call or program did, in as many transactions as that takes.
@Suite struct UndoGroupTests {
  private func sizes(_ past: PastFixture) throws -> [Int64] {
    try rows("SELECT a_size FROM e_Item ORDER BY id", in: past.path).map {
      guard case .integer(let size) = $0[0] else { return -1 }
      return size
    }
  }

  /// The transactions after the definition of the schema.
  private func history(_ past: PastFixture, _ json: String = "{}") throws -> [JSONValue] {
    try past.history(json).filter { $0["origin"]?.string != "schema" }
  }

  /// Inserts rows in transactions of a few, with their numbers as sizes.
  private func fill(
    _ store: StoreFixture,
    _ count: Int,
    by step: Int = 1,
    named prefix: String = "",
    group: String? = "g"
  ) async throws {
    for start in stride(from: 0, to: count, by: step) {
      let values = (start..<start + step).map {
        [Value.string("\(prefix)\($0)"), .int64(Int64($0))]
      }
      let request = InsertRequest(
        entity: "Item",
        columns: ["name", "size"],
        rows: RowBatch(values)
      )
      _ = try await store.write([.insert(request)], group: group)[0].get()
    }
  }

  @Test func `a group is undone and done again as one, and others stay`() async throws {
    try await withPast { store, past in
      try await fill(store, 20)
      try await store.insert([[.string("other"), .int64(100)]])
      try await fill(store, 20, named: "more ")
      let result = try await store.call("undo", #"{"whole":true}"#)
      #expect(result["transactions"]?.int64 == 40)
      #expect(result["undone"]?.array?.count == 40)
      #expect(try sizes(past) == [100])
      let again = try await store.call("redo", #"{"whole":true}"#)
      #expect(again["token"]?.string == (try past.head()))
      #expect(try sizes(past).count == 41)
      try await store.call("undo", #"{"whole":true}"#)
      #expect(try sizes(past) == [100])
      try await store.call("redo", #"{"group":"g","whole":true}"#)
      #expect(try sizes(past).count == 41)
    }
  }

  @Test func `a token of a group stands for all of it`() async throws {
    try await withPast { store, past in
      try await fill(store, 3)
      let token = try #require(history(past).dropFirst().first?["token"]?.string)
      try await store.insert([[.string("other"), .int64(100)]])
      try await store.call("undo", "{\"token\":\"\(token)\",\"whole\":true}")
      #expect(try sizes(past) == [100])
      let again = await store.code {
        try await store.call("undo", "{\"token\":\"\(token)\",\"whole\":true}")
      }
      #expect(again?.code == .alreadyUndone)
      try await store.call("redo", "{\"token\":\"\(token)\",\"whole\":true}")
      #expect(try sizes(past) == [0, 1, 2, 100])
      let none = await store.code { try await store.call("undo", #"{"group":"x","whole":true}"#) }
      #expect(none?.code == .nothingToUndo)
    }
  }

  @Test(arguments: [nil, "k"])
  func `an update in chunks is undone and done again as one`(key: String?) async throws {
    try await withPast { store, past in
      try await fill(store, 50, by: 50, group: nil)
      try await store.call(
        "update",
        #"{"entity":"Item","where":{"value":true},"set":{"size":700},"chunk":5}"#,
        key: key
      )
      let before = try history(past).count
      #expect(before > 5)
      let groups = Set(try history(past).dropFirst().map { $0["group"]?.string })
      #expect(groups.count == 1)
      #expect(groups.first??.hasPrefix("update-") == true)
      let joined = try history(past, #"{"joined":true,"descending":true}"#)
      #expect(joined.count == 2)
      #expect(joined[0]["joined"]?["rows"]?["update"]?.int64 == 50)
      #expect(joined[0]["joined"]?["transactions"]?.int64 == Int64(before - 1))
      #expect(joined[0]["token"] == joined[0]["joined"]?["last"])
      try await store.call("undo", #"{"whole":true}"#, key: key.map { $0 + "2" })
      #expect(try sizes(past) == Array(0..<50))
      try await store.call("redo", #"{"whole":true}"#)
      #expect(try sizes(past) == Array(repeating: 700, count: 50))
      #expect(try history(past, #"{"joined":true}"#).count == 4)
      // A change in one chunk has no group.
      try await store.call(
        "update",
        #"{"entity":"Item","where":{"value":true},"set":{"size":8},"chunk":500}"#
      )
      #expect(try history(past, #"{"descending":true,"limit":1}"#)[0]["group"] == nil)
      #expect(try await store.problems(past.path) == [])
    }
  }

  @Test func `a conflict ends it, and the same goes on with the rest`() async throws {
    try await withPast { store, past in
      try await fill(store, 200)
      try await store.update("Item", [3], ["size"], "[1000]")
      let error = await store.code { try await store.call("undo", #"{"group":"g","whole":true}"#) }
      #expect(error?.code == .merge)
      let left = try sizes(past)
      if left.count < 200 {
        #expect(error?.effect == .partial)
        #expect(error?.details?["done"]?.int64 == Int64(200 - left.count))
        #expect(error?.details?["group"]?.string == "g")
      }
      #expect(left.prefix(3) == [0, 1, 1000])
      try await store.call(
        "undo",
        #"{"group":"g","whole":true,"policy":"mergeByPropertyStoreTrump"}"#
      )
      #expect(try sizes(past) == [1000])
      let groups = try history(past).compactMap { transaction in
        transaction["origin"] == nil ? nil : transaction["group"]?.string
      }
      #expect(Set(groups).count == 1)
      try await store.call("redo", #"{"whole":true}"#)
      #expect(try sizes(past).count == 200)
    }
  }

  @Test func `rows that are gone already don't stand in the way`() async throws {
    try await withPast { store, past in
      try await fill(store, 10)
      try await store.delete("Item", [4, 5])
      let result = try await store.call("undo", #"{"group":"g","whole":true}"#)
      #expect(result["conflicts"]?.array == [])
      #expect(try sizes(past) == [])
    }
  }

  @Test func `what was undone is found again by its key`() async throws {
    try await withPast { store, past in
      try await fill(store, 20)
      let first = try await store.call("undo", #"{"whole":true}"#, key: "u")
      let second = try await store.call("undo", #"{"whole":true}"#, key: "u")
      #expect(first == second)
      #expect(try history(past).count < 60)
    }
  }

  @Test func `joined transactions are told once, by the order of the read`() async throws {
    try await withPast { store, past in
      try await fill(store, 4)
      try await store.insert([[.string("other"), .int64(100)]])
      try await fill(store, 4, named: "more ")
      let up = try history(past, #"{"joined":true}"#)
      #expect(up.map { $0["group"]?.string } == ["g", nil])
      #expect(up[0]["joined"]?["rows"]?["insert"]?.int64 == 8)
      let down = try history(past, #"{"joined":true,"descending":true,"limit":1}"#)
      #expect(down.map { $0["group"]?.string } == ["g"])
      #expect(try history(past, #"{"joined":true,"entity":"Item","ids":[1]}"#).count == 1)
      #expect(try history(past, #"{"joined":true,"entity":"Item"}"#).count == 2)
    }
  }

  /// Undoing in slices has the same outcome as undoing at once.
  @Test(arguments: [true, false])
  func `many rows of one transaction are undone, whether in slices or at once`(
    isUnique: Bool
  ) async throws {
    let schema = Schema(entities: [
      Entity(
        name: "Item",
        attributes: [
          Attribute(name: "name", type: .string, isUnique: isUnique),
          Attribute(name: "size", type: .int64),
        ]
      )
    ])
    try await withPast(schema) { store, past in
      let count = 10_000
      try await fill(store, count, by: count, group: nil)
      let inserted = try past.head()
      let all = Array(0..<Int64(count))
      try await store.call("undo", "{}")
      #expect(try sizes(past) == [])
      try await store.call("redo", "{}")
      #expect(try sizes(past) == all)
      try await store.call(
        "update",
        #"{"entity":"Item","where":{"value":true},"compute":{"size":"size + 1"}}"#
      )
      #expect(try sizes(past) == all.map { $0 + 1 })
      try await store.call("undo", "{}")
      #expect(try sizes(past) == all)
      try await store.call("delete", #"{"entity":"Item","where":{"value":true}}"#)
      try await store.call("undo", "{}")
      #expect(try sizes(past) == all)
      // All conflicts are told, wherever they are, and nothing is undone.
      try await store.update("Item", [5, Int64(count) - 5], ["size"], "[-1]")
      let error = await store.code {
        try await store.call("undo", "{\"token\":\"\(inserted)\"}")
      }
      #expect(error?.code == .merge, "\(String(describing: error))")
      #expect(error?.details?["conflicts"]?.array?.count == 2)
      #expect(try sizes(past).count == count)
      try await store.call(
        "undo",
        "{\"token\":\"\(inserted)\",\"policy\":\"mergeByPropertyStoreTrump\"}"
      )
      #expect(try sizes(past) == [-1, -1])
      #expect(try await store.problems(past.path) == [])
    }
  }
}
