import DepotProtocol
import Testing

@testable import DepotEngine

/// What the history tells of transactions, and which of them.
@Suite struct HistoryStreamTests {
  @Test func `transactions come with old and new values`() async throws {
    try await withPast { store, past in
      try await store.insert("Item", ["name", "size"], #"[["a",1],["b",null]]"#)
      try await store.update("Item", [1], ["size"], "[5]")
      try await store.delete("Item", [2])
      let history = try past.history()
      #expect(history.count == 4)
      #expect(history[0]["origin"] == .string("schema"))
      #expect(
        PastFixture.texts(history[1]) == [
          #"insert Item/1 {"new":{"name":"a","size":1}}"#,
          #"insert Item/2 {"new":{"name":"b","size":null}}"#,
        ]
      )
      #expect(
        PastFixture.texts(history[2]) == [
          #"update Item/1 {"new":{"size":5},"old":{"size":1},"properties":["size"],"version":2}"#
        ]
      )
      #expect(
        PastFixture.texts(history[3]) == [
          #"delete Item/2 {"old":{"name":"b","size":null},"version":1}"#
        ]
      )
      #expect(history[3]["process"] == .string("test/1"))
      #expect(history[3]["at"]?.string?.hasSuffix("Z") == true)
    }
  }

  @Test func `a read goes on after a token`() async throws {
    try await withPast { store, past in
      try await store.insert([[.string("a"), .null]])
      let token = try past.head()
      try await store.insert([[.string("b"), .null]])
      try await store.insert([[.string("c"), .null]])
      let frames = try past.frames("{\"since\":\"\(token)\",\"limit\":1}")
      #expect(frames.last?["ok"]?["transactions"] == .int64(1))
      let next = try #require(frames.last?["ok"]?["token"]?.string)
      #expect(next != token)
      let rest = try past.frames("{\"since\":\"\(next)\"}")
      let transactions: [JSONValue] = rest.flatMap { $0["next"]?.array ?? [] }
      #expect(transactions.count == 1)
      #expect(rest.last?["ok"]?["token"]?.string == (try past.head()))
      let none = try past.frames("{\"since\":\"\(try past.head())\"}")
      #expect(none.count == 1)
      #expect(none.last?["ok"]?["token"]?.string == (try past.head()))
      let reversed = try past.history("{\"descending\":true,\"limit\":2}")
      #expect(reversed.count == 2)
      #expect(reversed.first?["token"]?.string == (try past.head()))
      let until = try past.history("{\"until\":\"\(token)\"}")
      #expect(until.last?["token"]?.string == token)
    }
  }

  @Test func `transactions are chosen by author, entity, row, and property`() async throws {
    try await withPast(.recorded) { store, past in
      try await store.insert("Node", ["name", "size"], #"[["a",1],["b",2]]"#)
      try await store.insert("Leaf", ["color"], #"[["red"]]"#)
      try await store.insert("Tag", ["label"], #"[["t"]]"#)
      _ = await store.write(
        [
          .update(
            UpdateRequest(
              entity: "Node",
              rows: .identifiers([1]),
              columns: ["size", "tags"],
              values: .text("[[9,[1]]]")
            )
          )
        ],
        author: "ann"
      )
      try await store.update("Node", [1], ["name"], #"["z"]"#)
      #expect(try past.history(#"{"author":"ann"}"#).count == 1)
      #expect(try past.history(#"{"author":"bob"}"#).isEmpty)
      #expect(try past.history(#"{"entity":"Leaf"}"#).count == 1)
      #expect(try past.history(#"{"entity":"Node"}"#).count == 4)
      let row = try past.history(#"{"entity":"Node","ids":[1]}"#)
      #expect(row.map { $0["changes"]?.array?.count } == [1, 2, 1])
      let leaf = try past.history(#"{"entity":"Leaf","ids":[3]}"#)
      #expect(PastFixture.texts(leaf.first).count == 1)
      let size = try past.history(#"{"entity":"Node","ids":[1],"properties":["size"]}"#)
      #expect(size.map { $0["changes"]?.array?.count } == [1, 1])
      let tags = try past.history(#"{"properties":["tags"],"author":"ann"}"#)
      #expect(
        PastFixture.texts(tags.first) == [
          #"links Node/1 {"new":{"tags":{"add":[1]}},"properties":["tags"]}"#
        ]
      )
      let last = try past.history(#"{"entity":"Node","ids":[1],"descending":true,"limit":1}"#)
      #expect(PastFixture.texts(last.first).first?.contains(#""name":"z""#) == true)
      let bare = try past.history(#"{"entity":"Node","ids":[1],"values":false}"#)
      #expect(
        bare.flatMap(PastFixture.texts) == [
          "insert Node/1 {}", #"update Node/1 {"properties":["size"],"version":2}"#,
          #"links Node/1 {"properties":["tags"]}"#,
          #"update Node/1 {"properties":["name","upper"],"version":3}"#,
        ]
      )
    }
  }

  @Test func `rows of an entity have no changes of its ancestors' rows`() async throws {
    try await withPast(.recorded) { store, past in
      func changes(_ json: String) throws -> [String] {
        try past.history(json).flatMap(PastFixture.texts).map {
          $0.split(separator: " ").prefix(2).joined(separator: " ")
        }
      }
      try await store.insert("Tag", ["label"], #"[["t"]]"#)
      try await store.insert("Node", ["name", "tags"], #"[["a",[1]]]"#)
      try await store.insert("Leaf", ["color", "tags"], #"[["red",[1]]]"#)
      let leaf = ["insert Leaf/2", "links Node/2"]
      #expect(try changes(#"{"entity":"Leaf","ids":[1]}"#) == [])
      #expect(try changes(#"{"entity":"Leaf","ids":[1,2]}"#).sorted() == leaf)
      #expect(try changes(#"{"entity":"Leaf"}"#).sorted() == leaf)
      #expect(try changes(#"{"entity":"Node","ids":[1]}"#).count == 2)
      #expect(try changes(#"{"entity":"Node"}"#).count == 4)
      try await store.call("delete", #"{"entity":"Node","ids":[1,2]}"#)
      let deleted = try changes(#"{"entity":"Leaf"}"#)
      #expect(Set(deleted) == Set(leaf + ["delete Leaf/2"]))
      #expect(try changes(#"{"entity":"Leaf","ids":[1,2]}"#) == deleted)
      #expect(try changes(#"{"entity":"Leaf","ids":[1]}"#) == [])
    }
  }

  @Test func `identifiers and whole numbers are strings for those who want that`() async throws {
    try await withPast { store, past in
      try await store.insert("Item", ["name", "size"], #"[["a",1]]"#)
      let frames = try past.frames(#"{"entity":"Item"}"#, int64: .string)
      let change = frames.first?["next"]?.array?.first?["changes"]?.array?.first
      #expect(
        change?.text == #"{"entity":"Item","id":"1","kind":"insert","new":{"name":"a","size":"1"}}"#
      )
    }
  }

  @Test func `a large transaction comes in pieces of bounded size`() async throws {
    try await withPast { store, past in
      let rows = (1...3000).map { "[\"row \($0)\",\($0)]" }.joined(separator: ",")
      try await store.insert("Item", ["name", "size"], "[\(rows)]")
      try await store.write(
        .delete(DeleteRequest(entity: "Item", rows: .predicate(.value(.bool(true)))))
      )
      let frames = try past.frames(#"{"entity":"Item"}"#, byteLimit: 4096)
      #expect(frames.count > 50)
      #expect(frames.allSatisfy { $0.text.utf8.count < 8192 })
      let history = try past.history(#"{"entity":"Item"}"#, byteLimit: 4096)
      #expect(history.count == 2)
      for (transaction, kind) in zip(history, ["insert", "delete"]) {
        let changes = transaction["changes"]?.array ?? []
        #expect(changes.count == 3000)
        #expect(changes.allSatisfy { $0["kind"]?.string == kind })
        #expect(changes.compactMap { $0["id"]?.int64 } == Array(1...3000))
        let value = kind == "insert" ? changes.last?["new"] : changes.last?["old"]
        #expect(value?["name"] == .string("row 3000"))
      }
    }
  }

  @Test func `tokens of other stores and of the future are told apart`() async throws {
    try await withPast { store, past in
      try await store.insert([[.string("a"), .null]])
      let head = try past.head()
      let foreign = await store.code { _ = try past.history(#"{"since":"00000000-1"}"#) }
      #expect(foreign?.code == .historyForeign)
      let future = "\(head.prefix(9))999999"
      let early = await store.code { _ = try past.history("{\"since\":\"\(future)\"}") }
      #expect(early?.code == .historyForeign)
      #expect(early?.details?["head"]?.string == head)
      #expect(early?.at == "/args/since")
      let damaged = await store.code { _ = try past.history(#"{"since":"x"}"#) }
      #expect(damaged?.code == .usage)
    }
  }

  @Test func `a read begins at a time`() async throws {
    try await withPast { store, past in
      try await store.insert([[.string("a"), .null]])
      #expect(try past.history(#"{"since":"2001-01-01T00:00:00Z"}"#).count == 2)
      #expect(try past.history(#"{"since":"2999-01-01T00:00:00Z"}"#).isEmpty)
    }
  }

  @Test func `entities of which only names are kept have no values`() async throws {
    try await withPast(.recorded) { store, past in
      try await store.insert("Named", ["a", "b"], "[[1,2]]")
      try await store.update("Named", [1], ["a"], "[5]")
      try await store.delete("Named", [1])
      try await store.insert("Quiet", ["a"], "[[1]]")
      #expect(
        try past.history().dropFirst().map(PastFixture.texts) == [
          ["insert Named/1 {}"], [#"update Named/1 {"properties":["a"],"version":2}"#],
          [#"delete Named/1 {"old":{"b":2},"version":2}"#], [],
        ]
      )
    }
  }
}
