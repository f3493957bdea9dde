import DepotProtocol
import Testing

@testable import DepotEngine

/// What a row was, and who changed it.
@Suite struct HistoryRowTests {
  @Test func `a row is shown as it was at each token`() async throws {
    try await withPast { store, past in
      let before = try past.head()
      try await store.insert("Item", ["name", "size"], #"[["a",1]]"#)
      let inserted = try past.head()
      try await store.update("Item", [1], ["name", "size"], #"["b",2]"#)
      let updated = try past.head()
      try await store.delete("Item", [1])
      let deleted = try past.head()
      func row(_ token: String) throws -> JSONValue? {
        try past.ask("history.row", "{\"entity\":\"Item\",\"id\":1,\"at\":\"\(token)\"}")
      }
      #expect(try row(before)?["row"] == .null)
      #expect(try row(before)?["deleted"] == .bool(true))
      #expect(try row(inserted)?["row"]?.text == #"{"name":"a","size":1}"#)
      #expect(try row(updated)?["row"]?.text == #"{"name":"b","size":2}"#)
      #expect(try row(deleted)?["row"] == .null)
      #expect(try row(updated)?["entity"] == .string("Item"))
    }
  }

  @Test func `each property is blamed on its last change`() async throws {
    try await withPast(.recorded) { store, past in
      try await store.insert("Leaf", ["name", "size"], #"[["a",1]]"#)
      let inserted = try past.head()
      try await store.update("Leaf", [1], ["size"], "[2]")
      let first = try past.head()
      try await store.update("Leaf", [1], ["name", "size"], #"["b",2]"#)
      let second = try past.head()
      let blame = try past.ask("history.row", #"{"entity":"Node","id":1}"#)
      #expect(blame["entity"] == .string("Leaf"))
      #expect(blame["properties"]?["size"]?["token"]?.string == first)
      #expect(blame["properties"]?["name"]?["token"]?.string == second)
      #expect(blame["properties"]?["upper"]?["token"]?.string == second)
      #expect(blame["properties"]?["color"]?["token"]?.string == inserted)
      #expect(blame["inserted"]?["token"]?.string == inserted)
      #expect(blame["deletedBy"] == nil)
      try await store.delete("Leaf", [1])
      let gone = try past.ask("history.row", #"{"entity":"Leaf","id":1}"#)
      #expect(gone["deletedBy"]?["token"]?.string == (try past.head()))
    }
  }

  @Test func `a row that nobody knows is an error`() async throws {
    try await withPast(.recorded) { store, past in
      try await store.insert("Node", ["name"], #"[["a"]]"#)
      let missing = await store.code {
        _ = try past.ask("history.row", #"{"entity":"Node","id":9}"#)
      }
      #expect(missing?.code == .objectNotFound)
      let other = await store.code {
        _ = try past.ask("history.row", #"{"entity":"Leaf","id":1}"#)
      }
      #expect(other?.code == .objectNotFound)
      let entity = await store.code {
        _ = try past.ask("history.row", #"{"entity":"Nope","id":1}"#)
      }
      #expect(entity?.code == .unknownEntity)
    }
  }

  @Test func `what isn't kept is said to be unknown`() async throws {
    try await withPast(.recorded) { store, past in
      try await store.insert("Named", ["a", "b"], "[[1,2]]")
      let inserted = try past.head()
      try await store.update("Named", [1], ["a"], "[5]")
      let row = try past.ask(
        "history.row",
        "{\"entity\":\"Named\",\"id\":1,\"at\":\"\(inserted)\"}"
      )
      #expect(row["row"]?.text == #"{"b":2}"#)
      #expect(row["unknown"] == .array([.string("a")]))
      try await store.insert("Quiet", ["a"], "[[1]]")
      let quiet = await store.code {
        _ = try past.ask("history.row", #"{"entity":"Quiet","id":1}"#)
      }
      #expect(quiet?.code == .historyNoValues)
    }
  }

  @Test func `a row that was made again has two lives`() async throws {
    try await withPast { store, past in
      try await store.insert("Item", ["name"], #"[["a"]]"#)
      let first = try past.head()
      try await store.delete("Item", [1])
      let gone = try past.head()
      try await store.insert("Item", ["name"], #"[["x"],["y"]]"#)
      try await store.call("undo", "{\"token\":\"\(gone)\"}")
      let again = try past.head()
      try await store.update("Item", [1], ["name"], #"["b"]"#)
      func name(_ token: String) throws -> JSONValue? {
        try past.ask("history.row", "{\"entity\":\"Item\",\"id\":1,\"at\":\"\(token)\"}")["row"]?[
          "name"
        ]
      }
      #expect(try name(first) == .string("a"))
      #expect(try name(gone) == nil)
      #expect(try name(again) == .string("a"))
      #expect(try name(try past.head()) == .string("b"))
      let blame = try past.ask("history.row", #"{"entity":"Item","id":1}"#)
      #expect(blame["inserted"]?["token"]?.string == again)
      #expect(blame["properties"]?["size"]?["token"]?.string == again)
    }
  }
}
