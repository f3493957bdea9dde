import DepotProtocol
import DepotSQLite
import Testing

@testable import DepotEngine

/// What each kind of write leaves in the history.
@Suite struct HistoryRecordingTests {
  private func run(
    _ body: (_ store: StoreFixture, _ path: String) async throws -> Void
  ) async throws {
    try await withStore(.recorded) { store, path in
      try await body(store, path)
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `an insertion is a range of identifiers without values`() async throws {
    try await run { store, path in
      let lines = try await store.recorded(path) {
        try await store.insert("Tag", ["label"], #"[["a"],["b"],["c"]]"#)
      }
      #expect(lines == ["insert Tag [[1,3]]"])
    }
  }

  @Test func `rows of a hierarchy are told apart`() async throws {
    try await run { store, path in
      let lines = try await store.recorded(path) {
        try await store.call(
          "save",
          """
          {"insert":[{"entity":"Node","columns":["size"],"rows":[[1],[2]]},
          {"entity":"Leaf","columns":["color"],"rows":[["red"]]}]}
          """
        )
      }
      #expect(lines == ["insert Node [[1,2]]", "insert Leaf [[3,3]]"])
      let update = try await store.recorded(path) {
        try await store.update("Leaf", [3], ["color", "size"], #"["blue",5]"#)
      }
      #expect(
        update == [
          #"update Leaf [{"id":3,"v":2,"p":{"size":[null,5],"color":["red","blue"]}}]"#
        ]
      )
    }
  }

  @Test func `an update has the old and the new values in the form of the wire`() async throws {
    try await run { store, path in
      try await store.insert("Node", ["name"], #"[["x"]]"#)
      let lines = try await store.recorded(path) {
        try await store.update(
          "Node",
          [1],
          ["size", "rate", "day", "price", "mark", "bytes", "list", "any", "home.city", "name"],
          """
          [9007199254740993,1.5,"2020-01-02T03:04:05Z","1.50",\
          "6F9619FF-8B86-D011-B42D-00C04FC964FF","AQI=",[1,2],{"a":[1]},"Ulm","x"]
          """
        )
      }
      #expect(lines.count == 1)
      let text = try #require(lines.first?.dropFirst("update Node ".count))
      let change = try #require(try JSONValue(parsing: text.utf8).array?.first)
      let row = try #require(try store.read("Node", in: path).first)
      #expect(change["id"] == .int64(1))
      #expect(change["v"] == .int64(2))
      let fields = try Catalog(.recorded, generation: 1).layout(of: "Node").fields
      let values = try #require(try JSONValue(parsing: row.utf8).array)
      #expect(values.count == fields.count + 1)
      for (field, value) in zip(fields, values.dropFirst()) {
        guard let pair = change["p"]?[field.path]?.array else { continue }
        #expect(pair[1] == value, "\(field.path)")
      }
      #expect(change["p"]?.object?.keys.count == 10)
      #expect(change["p"]?["home"]?.array == [.bool(false), .bool(true)])
      #expect(change["p"]?["size"]?.array == [.null, .int64(9_007_199_254_740_993)])
    }
  }

  @Test func `changes of a row in one request are one`() async throws {
    try await run { store, path in
      try await store.insert("Node", ["name", "size"], #"[["x",1],["y",2]]"#)
      let lines = try await store.recorded(path) {
        try await store.call(
          "save",
          """
          {"update":[{"entity":"Node","columns":["$id","size","name"],"rows":[[1,7,"z"],[2,8,"y"]]},
          {"entity":"Node","columns":["$id","size"],"rows":[[1,1],[2,9]]}]}
          """
        )
      }
      #expect(
        lines == [
          """
          update Node [{"id":1,"v":2,"p":{"name":["x","z"],"upper":["X","Z"]}},\
          {"id":2,"v":2,"p":{"size":[2,9]}}]
          """
        ]
      )
    }
  }

  @Test func `an update that changes nothing is no transaction`() async throws {
    try await run { store, path in
      try await store.insert("Node", ["size"], "[[1]]")
      let lines = try await store.recorded(path) {
        let result = try await store.update("Node", [1], ["size"], "[1]")
        #expect(result["token"] == nil)
      }
      #expect(lines.isEmpty)
    }
  }

  @Test func `a row that replaces another is an update`() async throws {
    try await run { store, path in
      try await store.insert("Node", ["name", "size"], #"[["x",1]]"#)
      let lines = try await store.recorded(path) {
        try await store.insert(
          "Node",
          ["name", "size"],
          #"[["x",2],["y",3]]"#,
          onConflict: .replace
        )
      }
      #expect(
        lines == ["insert Node [[2,2]]", #"update Node [{"id":1,"v":2,"p":{"size":[1,2]}}]"#]
      )
    }
  }

  @Test func `a deletion keeps the whole row, and what goes with it`() async throws {
    try await run { store, path in
      try await store.insert("Node", ["size", "parent"], "[[1,null],[2,1],[3,2]]")
      try await store.insert("Tag", ["nodes"], "[[[1,2]]]")
      let lines = try await store.recorded(path) { _ = try await store.delete("Node", [2]) }
      #expect(lines.count == 2)
      #expect(lines.contains(#"links Node [{"id":2,"p":{"tags":{"remove":[1]}}}]"#))
      let text = try #require(lines.first { $0.hasPrefix("delete Node ") }?.dropFirst(12))
      let rows = try #require(try JSONValue(parsing: text.utf8).array)
      #expect(rows.map { $0["id"] } == [.int64(2), .int64(3)])
      #expect(rows[0]["p"]?["parent"] == .int64(1))
      #expect(rows[0]["p"]?["size"] == .int64(2))
      #expect(rows[0]["p"]?["name"] == .null)
      #expect(rows[1]["p"]?["parent"] == .int64(2))
    }
  }

  @Test func `rows that come and go in one request leave nothing`() async throws {
    try await run { store, path in
      try await store.insert("Node", ["size", "parent"], "[[1,null],[2,1]]")
      let lines = try await store.recorded(path) {
        try await store.call(
          "save",
          """
          {"insert":[{"entity":"Node","columns":["$id","parent"],"rows":[["#1",2]]},
          {"entity":"Tag","columns":["label"],"rows":[["t"]]}],
          "delete":[{"entity":"Node","ids":[1]}]}
          """
        )
      }
      #expect(lines.filter { $0.hasPrefix("insert") } == ["insert Tag [[1,1]]"])
      #expect(lines.count == 2)
      let deletion = try #require(lines.first { $0.hasPrefix("delete Node ") }?.dropFirst(12))
      let rows = try JSONValue(parsing: deletion.utf8).array?.map { $0["id"] }
      #expect(rows == [.int64(1), .int64(2)])
    }
  }

  @Test func `links are told from the declaring side`() async throws {
    try await run { store, path in
      try await store.insert("Node", ["size"], "[[1],[2]]")
      try await store.insert("Tag", ["label"], #"[["a"],["b"],["c"]]"#)
      let added = try await store.recorded(path) {
        try await store.update("Tag", [1, 2], ["nodes"], "[[1,2]]")
      }
      #expect(
        added == [
          #"links Node [{"id":1,"p":{"tags":{"add":[1,2]}}},{"id":2,"p":{"tags":{"add":[1,2]}}}]"#
        ]
      )
      let changed = try await store.recorded(path) {
        try await store.update("Node", [1], ["tags"], "[[3,1]]")
      }
      let reordered = #"links Node [{"id":1,"p":{"tags":{"order":true}}}]"#
      #expect(
        changed == [#"links Node [{"id":1,"p":{"tags":{"add":[3],"remove":[2]}}}]"#, reordered]
      )
      let moved = try await store.recorded(path) {
        try await store.update("Node", [1], ["tags"], "[[1,3]]")
      }
      #expect(moved == [reordered])
    }
  }

  @Test func `a large value is its length`() async throws {
    try await run { store, path in
      try await store.insert("Node", ["image"], #"[["AQID"]]"#)
      let lines = try await store.recorded(path) {
        try await store.write(
          .writeBlob(
            BlobWriteRequest(entity: "Node", identifier: 1, attribute: "image", data: "BAUG")
          )
        )
      }
      #expect(
        lines == [
          #"update Node [{"id":1,"v":2,"p":{"image":[{"$length":3},{"$length":3}]}}]"#
        ]
      )
    }
  }

  @Test func `the policy decides what is kept`() async throws {
    try await run { store, path in
      let lines = try await store.recorded(path) {
        for entity in ["Named", "Quiet", "Loud"] {
          try await store.insert(entity, ["a"], "[[1]]")
        }
        try await store.update("Named", [1], ["a"], "[2]")
        try await store.update("Quiet", [1], ["a"], "[2]")
        try await store.update("Loud", [2], ["a"], "[2]")
        _ = try await store.delete("Named", [1])
        _ = try await store.delete("Quiet", [1])
        _ = try await store.delete("Loud", [2])
      }
      #expect(
        lines == [
          "insert Named [[1,1]]", "", "insert Loud [[2,2]]",
          #"update Named [{"id":1,"v":2,"p":["a"]}]"#, "",
          #"update Loud [{"id":2,"v":2,"p":{"a":[1,2]}}]"#,
          #"delete Named [{"id":1,"v":2,"p":{"b":null}}]"#, "",
          #"delete Loud [{"id":2,"v":2,"p":{"a":2,"b":null}}]"#,
        ]
      )
    }
  }

  @Test func `rejected rows are undone in the history too`() async throws {
    try await run { store, path in
      try await store.insert("Tag", ["label"], #"[["t"]]"#)
      try await store.insert("Node", ["name"], #"[["a"]]"#)
      let lines = try await store.recorded(path) {
        let result = try await store.call(
          "insert",
          """
          {"entity":"Node","columns":["name","tags"],"rejects":true,
          "rows":[["b",[1]],["a",[1]],["c",[99]],["d",[1]]]}
          """
        )
        #expect(result["rejected"]?.array?.count == 2)
      }
      let stored = try texts("SELECT id FROM e_Node WHERE id > 1 ORDER BY id", in: path)
      #expect(stored.count == 2)
      let links = try #require(lines.first { $0.hasPrefix("links") })
      for row in stored { #expect(links.contains("{\"id\":\(row[0] ?? "")")) }
      #expect(links.split(separator: "\"id\"").count == 3)
      #expect(lines.contains { $0.hasPrefix("insert Node") })
    }
  }

  @Test func `a row that comes, goes, and comes back in one request is inserted`() async throws {
    try await withPast { store, past in
      func group(_ name: String, _ json: String) async throws {
        _ = try await store.write([Operation(name, json)], group: "g")[0].get()
      }
      try await store.insert("Item", ["name", "size"], #"[["a",0]]"#)
      try await group("delete", #"{"entity":"Item","ids":[1]}"#)
      try await group(
        "save",
        """
        {"update":[{"entity":"Item","columns":["$id","$version","size"],"rows":[[1,1,1]],
        "base":{"columns":["name","size"],"rows":[["a",0]]}}],"policy":"overwrite"}
        """
      )
      try await group("delete", #"{"entity":"Item","ids":[1]}"#)
      let told = try await store.told {
        let lines = try await store.recorded(past.path) {
          try await store.call("undo", #"{"group":"g"}"#)
        }
        #expect(lines.filter { !$0.isEmpty } == ["insert Item [[1,1]]"])
      }
      #expect(told.first?.tables["Item"]?.rows.map(\.kind) == [.insert])
      #expect(try store.read("Item", in: past.path) == [#"["a",0]"#])
    }
  }
}
