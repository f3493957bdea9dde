import DepotEngine
import DepotProtocol
import Testing

@Suite struct SaveConflictTests {
  private static let select = "SELECT id, version, a_a, a_b, a_c FROM e_Person ORDER BY id"

  /// Runs `body` with a store whose row 1 was read at version 1 with a 1, b 1, c 1 and has been changed to
  /// a 2, b 2 since.
  private func withChangedRow(_ body: (StoreFixture, String) async throws -> Void) async throws {
    try await withStore(.people) { store, path in
      try await store.insert("Person", ["a", "b", "c", "code"], #"[[1,1,1,"x"],[9,9,9,"y"]]"#)
      try await store.update("Person", [1], ["a", "b"], "[2,2]")
      try await body(store, path)
    }
  }

  private static func change(
    _ policy: String,
    base: String = #"["a","c"],"rows":[[1,1]]"#
  ) -> String {
    """
    {"update":[{"entity":"Person","columns":["$id","$version","a","c"],"rows":[[1,1,7,7]],
    "base":{"columns":\(base)}}],"policy":"\(policy)"}
    """
  }

  @Test(arguments: [
    ("mergeByPropertyStoreTrump", ["1", "3", "2", "2", "7"], "merged"),
    ("mergeByPropertyObjectTrump", ["1", "3", "7", "2", "7"], "client"),
    ("overwrite", ["1", "3", "7", "2", "7"], "client"),
    ("rollback", ["1", "2", "2", "2", "1"], "store"),
  ])
  func `a row that both sides changed is merged as the policy says`(
    policy: String,
    row: [String?],
    decision: String
  ) async throws {
    try await withChangedRow { store, path in
      let result = try await store.save(Self.change(policy))
      #expect(try texts(Self.select, in: path).first == row)
      #expect(result.decisions == [decision])
      #expect(result["versions"]?.text == #"{"Person":[[1,\#(row[1] ?? "")]]}"#)
      let conflict = try #require(result["conflicts"]?.array?.first.flatMap(SaveConflict.init))
      #expect(conflict.kind == .update)
      #expect(conflict.properties == ["a"])
      #expect(conflict.pointer == "/args/update/0/rows/0")
      #expect([conflict.baseVersion, conflict.storeVersion] == [1, 2])
      #expect(conflict.base == ["a": .int64(1), "c": .int64(1)])
      #expect(conflict.store == ["a": .int64(2), "c": .int64(1)])
      #expect(conflict.client == ["a": .int64(7), "c": .int64(7)])
      #expect(conflict.changedBy.keys.sorted() == ["a", "b"])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a deletion is told only if it came after what was read`() async throws {
    try await withPast { store, past in
      try await store.insert("Item", ["name", "size"], #"[["a",0]]"#)
      try await store.delete("Item", [1])
      try await store.call("undo", "{}")
      try await store.update("Item", [1], ["size"], "[5]")
      func changes(since version: Int) async throws -> [String] {
        let error = await store.saveError(
          """
          {"update":[{"entity":"Item","columns":["$id","$version","size"],"rows":[[1,\(version),9]],
          "base":{"columns":["name","size"],"rows":[["a",0]]}}]}
          """
        )
        return error?.conflicts.first?.changedBy.keys.sorted() ?? []
      }
      #expect(try await changes(since: 2) == ["size"])
      #expect(try await changes(since: 1) == ["$deleted", "size"])
    }
  }

  @Test func `a wrong base is told at its own row`() async throws {
    try await withChangedRow { store, _ in
      try await store.update("Person", [2], ["a"], "[3]")
      let error = await store.saveError(
        """
        {"update":[{"entity":"Person","columns":["$id","$version","a"],"rows":[[1,null,7],[2,1,7]],
        "base":{"columns":["a","b"],"rows":[[1,1],[9,"x"]]}}]}
        """
      )
      #expect(error?.code == .type)
      #expect(error?.at == "/args/update/0/base/rows/1/1")
    }
  }

  @Test func `a row isn't made again as one of an entity that its own descends from`() async throws
  {
    try await withPast(.recorded) { store, past in
      try await store.insert("Leaf", ["size", "color"], #"[[1,"red"]]"#)
      try await store.delete("Leaf", [1])
      func save(_ entity: String, _ names: String, _ values: String) -> String {
        """
        {"update":[{"entity":"\(entity)","columns":["$id","$version","size"],"rows":[[1,1,2]],
        "base":{"columns":["size"\(names)],"rows":[[1\(values)]]}}],"policy":"overwrite"}
        """
      }
      let error = await store.saveError(save("Node", "", ""))
      #expect(error?.code == .usage)
      #expect(error?.at == "/args/update/0/entity")
      #expect(error?.hint?.contains("Leaf") == true)
      #expect(try store.read("Node", in: past.path) == [])
      try await store.save(save("Leaf", #","color""#, #","red""#))
      #expect(try store.read("Leaf", in: past.path, select: ["size", "color"]) == [#"[2,"red"]"#])
    }
  }

  @Test func `overwrite writes also what was only read`() async throws {
    try await withChangedRow { store, path in
      let base = #"["a","b","c","code"],"rows":[[1,1,1,"x"]]"#
      try await store.save(Self.change("overwrite", base: base))
      #expect(try texts(Self.select, in: path).first == ["1", "3", "7", "1", "7"])
    }
  }

  @Test func `an error lists all conflicts and nothing is stored`() async throws {
    try await withChangedRow { store, path in
      try await store.insert("Person", ["a"], "[[5],[6]]")
      try await store.delete("Person", [3])
      try await store.update("Person", [4], ["a"], "[8]")
      let error = await store.saveError(
        """
        {"insert":[{"entity":"Person","columns":["code"],"rows":[["y"]]}],
        "update":[{"entity":"Person","columns":["$id","$version","c"],"rows":[[1,1,7],[3,1,7],[2,1,7]],
        "base":{"columns":["c"],"rows":[[1],[null],[9]]}}],
        "delete":[{"entity":"Person","ids":[4],"versions":[1]}]}
        """
      )
      #expect(error?.code == .merge)
      #expect(
        error?.conflicts.map(\.kind) == [.update, .updateOfDeleted, .deleteOfUpdated, .unique]
      )
      #expect(
        error?.conflicts.map(\.pointer) == [
          "/args/update/0/rows/0", "/args/update/0/rows/1", "/args/delete/0/ids/0",
          "/args/insert/0/rows/0",
        ]
      )
      #expect(error?.at == "/args/update/0/rows/0")
      #expect(error?.conflicts[1].changedBy.keys.sorted() == ["$deleted"])
      let rows = try texts("SELECT id, a_c FROM e_Person ORDER BY id", in: path)
      #expect(rows == [["1", "1"], ["2", "9"], ["4", nil]])
    }
  }

  @Test(
    arguments: [
      ("mergeByPropertyStoreTrump", nil, "dropped"), ("rollback", nil, "dropped"),
      ("mergeByPropertyObjectTrump", ["1", "3", "7", nil, "7"], "recreated"),
      ("overwrite", ["1", "3", "7", nil, "7"], "recreated"),
    ] as [(String, [String?]?, String)]
  )
  func `a row that others deleted is dropped or made again`(
    policy: String,
    row: [String?]?,
    decision: String
  ) async throws {
    try await withChangedRow { store, path in
      try await store.delete("Person", [1])
      let result = try await store.save(Self.change(policy))
      let rows = try texts(
        "\(Self.select.replacing(" ORDER", with: " WHERE id = 1 ORDER"))",
        in: path
      )
      #expect(rows == (row.map { [$0] } ?? []))
      #expect(result.decisions == [decision])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `rows that are made again may lead to each other`() async throws {
    try await withStore(.people) { store, path in
      try await store.insert("Person", ["a"], "[[1],[2]]")
      try await store.delete("Person", [1, 2])
      try await store.save(
        """
        {"update":[{"entity":"Person","columns":["$id","$version","boss"],"rows":[[1,1,2],[2,1,1]],
        "base":{"columns":["a","boss"],"rows":[[1,null],[2,null]]}}],"policy":"overwrite"}
        """
      )
      let rows = try texts("SELECT id, version, a_a, r_boss FROM e_Person", in: path)
      #expect(rows == [["1", "2", "1", "2"], ["2", "2", "2", "1"]])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test(arguments: [false, true])
  func `a link that was only read leads to nothing when its row is gone`(
    isGone: Bool
  ) async throws {
    try await withStore(.people) { store, path in
      try await store.insert("Person", ["a"], "[[1],[2]]")
      try await store.delete("Person", isGone ? [1, 2] : [2])
      func save(_ columns: String, _ row: String) -> String {
        """
        {"update":[{"entity":"Person","columns":["$id","$version",\(columns)],"rows":[\(row)],
        "base":{"columns":["boss"],"rows":[[2]]}}],"policy":"overwrite"}
        """
      }
      // One that is changed must lead to a row.
      let error = await store.saveError(save(#""boss""#, "[1,0,2]"))
      #expect(error?.code == .reference)
      try await store.save(save(#""a""#, "[1,0,3]"))
      let rows = try texts("SELECT id, a_a, r_boss FROM e_Person", in: path)
      #expect(rows == [["1", "3", nil]])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a row can't be made again without what it requires`() async throws {
    try await withStore(.people) { store, path in
      try await store.insert("Required", ["name"], #"[["x"]]"#)
      try await store.delete("Required", [1])
      let error = await store.saveError(
        """
        {"update":[{"entity":"Required","columns":["$id","$version","size"],"rows":[[1,1,2]]}],
        "policy":"overwrite"}
        """
      )
      #expect(error?.code == .required)
      #expect(error?.at == "/args/update/0/rows/0")
    }
  }

  @Test(arguments: [
    ("mergeByPropertyStoreTrump", 2, "dropped"), ("rollback", 2, "dropped"),
    ("mergeByPropertyObjectTrump", 1, "client"), ("overwrite", 1, "client"),
  ])
  func `a row that others changed is deleted or stays`(
    policy: String,
    count: Int,
    decision: String
  ) async throws {
    try await withChangedRow { store, path in
      let result = try await store.save(
        #"{"delete":[{"entity":"Person","ids":[1],"versions":[1]}],"policy":"\#(policy)"}"#
      )
      #expect(try texts(Self.select, in: path).count == count)
      #expect(result.decisions == [decision])
    }
  }

  @Test func `a row that is gone needn't be deleted`() async throws {
    try await withChangedRow { store, _ in
      try await store.delete("Person", [1])
      let result = try await store.save(
        #"{"delete":[{"entity":"Person","ids":[1,2],"versions":[1,1]}]}"#
      )
      #expect(result["deleted"] == .int64(1))
      #expect(result["conflicts"] == .array([]))
      let missing = await store.saveError(
        #"{"delete":[{"entity":"Person","ids":[99],"versions":[1]}]}"#
      )
      #expect(missing?.code == .objectNotFound)
    }
  }

  @Test(arguments: MergePolicy.allCases)
  func `what was read must be as it was under every policy`(policy: MergePolicy) async throws {
    try await withChangedRow { store, _ in
      let save = { (row: Int, version: Int) in
        #"""
        {"insert":[{"entity":"Person","columns":["a"],"rows":[[1]]}],"policy":"\#(policy.rawValue)",
        "read":[{"entity":"Person","ids":[\#(row)],"versions":[\#(version)]}]}
        """#
      }
      let changed = await store.saveError(save(1, 1))
      #expect(changed?.code == .read)
      #expect(changed?.at == "/args/read/0/ids/0")
      #expect(changed?.conflicts.first?.kind == .read)
      try await store.save(save(1, 2))
      try await store.delete("Person", [2])
      let gone = await store.saveError(save(2, 1))
      #expect(gone?.code == .read)
      #expect(gone?.conflicts.first?.storeVersion == nil)
    }
  }

  @Test(arguments: [
    ("mergeByPropertyStoreTrump", "x", "5", "store"), ("rollback", "x", "5", "dropped"),
    ("mergeByPropertyObjectTrump", "x", "6", "client"), ("overwrite", "x", "6", "client"),
  ])
  func `a row to insert means the one that has its unique values`(
    policy: String,
    name: String,
    size: String,
    decision: String
  ) async throws {
    try await withStore(.people) { store, path in
      try await store.insert("Required", ["name"], #"[["x"]]"#)
      let result = try await store.save(
        ##"""
        {"insert":[{"entity":"Required","columns":["$id","name","size"],"rows":[["#a","x",6]]}],
        "policy":"\##(policy)"}
        """##
      )
      #expect(result["ids"]?.text == ##"{"#a":1}"##)
      #expect(result.decisions == [decision])
      let conflict = try #require(result["conflicts"]?.array?.first.flatMap(SaveConflict.init))
      #expect(conflict.kind == .unique)
      #expect(conflict.existing == 1)
      #expect(conflict.store["size"] == .int64(5))
      #expect(try texts("SELECT a_name, a_size FROM e_Required", in: path) == [[name, size]])
    }
  }

  @Test func `overwrite gives what isn't named its default`() async throws {
    try await withStore(.people) { store, path in
      try await store.insert("Required", ["name", "size"], #"[["x",9]]"#)
      try await store.save(
        #"{"insert":[{"entity":"Required","columns":["name"],"rows":[["x"]]}],"policy":"overwrite"}"#
      )
      #expect(try texts("SELECT a_name, a_size FROM e_Required", in: path) == [["x", "5"]])
    }
  }

  @Test(
    arguments: [
      ("mergeByPropertyStoreTrump", "x", "7"), ("rollback", "x", "2"),
      ("mergeByPropertyObjectTrump", nil, nil), ("overwrite", nil, nil), ("error", nil, nil),
    ] as [(String, String?, String?)]
  )
  func `a row doesn't take unique values from another of the store`(
    policy: String,
    code: String?,
    a: String?
  ) async throws {
    try await withChangedRow { store, path in
      let save = #"""
        {"update":[{"entity":"Person","columns":["$id","code","a"],"rows":[[1,"y",7]]}],
        "policy":"\#(policy)"}
        """#
      guard let code, let a else {
        let error = await store.saveError(save)
        #expect(error?.code == .unique)
        #expect(error?.conflicts.map(\.existing) == [2])
        #expect(error?.conflicts.map(\.identifier) == [1])
        return
      }
      let result = try await store.save(save)
      #expect(result["conflicts"]?.array?.first?["kind"]?.string == "unique")
      let rows = try texts("SELECT a_code, a_a FROM e_Person", in: path)
      #expect(rows == [[code, a], ["y", "9"]])
    }
  }

  @Test(arguments: ["mergeByPropertyStoreTrump", "mergeByPropertyObjectTrump", "rollback", "error"])
  func `rows of a save exchange unique values under every policy`(policy: String) async throws {
    try await withChangedRow { store, path in
      let result = try await store.save(
        #"""
        {"update":[{"entity":"Person","columns":["$id","code"],"rows":[[1,"y"],[2,"z"]]}],
        "insert":[{"entity":"Person","columns":["code"],"rows":[["x"]]}],"policy":"\#(policy)"}
        """#
      )
      #expect(result["conflicts"] == .array([]))
      let rows = try texts("SELECT id, a_code FROM e_Person ORDER BY id", in: path)
      #expect(rows == [["1", "y"], ["2", "z"], ["3", "x"]])
    }
  }

  @Test func `what is added to a to-many relationship never conflicts, a whole list does`()
    async throws
  {
    try await withStore(.people) { store, path in
      try await store.insert("Person", ["a"], "[[1],[2],[3]]")
      try await store.update("Person", [1], ["a"], "[5]")
      try await store.save(
        #"""
        {"update":[{"entity":"Person","columns":["$id","$version","friends"],
        "rows":[[1,1,{"add":[2]}]]}]}
        """#
      )
      let save = { (policy: String) in
        #"""
        {"update":[{"entity":"Person","columns":["$id","$version","friends"],"rows":[[1,2,[3]]],
        "base":{"columns":["friends"],"rows":[[[]]]}}],"policy":"\#(policy)"}
        """#
      }
      let error = await store.saveError(save("error"))
      #expect(error?.conflicts.first?.properties == ["friends"])
      #expect(error?.conflicts.first?.store == ["friends": .array([.int64(2)])])
      try await store.save(save("mergeByPropertyStoreTrump"))
      #expect(try store.read("Person", in: path, select: ["friends"]).first == "[[2]]")
      try await store.save(save("mergeByPropertyObjectTrump"))
      #expect(try store.read("Person", in: path, select: ["friends"]).first == "[[3]]")
    }
  }

  @Test func `a version that grew without a difference is no conflict`() async throws {
    try await withStore(.people) { store, path in
      try await store.insert("Person", ["a", "b"], "[[1,1]]")
      try await store.update("Person", [1], ["a"], "[2]")
      try await store.update("Person", [1], ["a"], "[1]")
      let base = #"["a","b","c","code","boss"],"rows":[[1,1,null,null,null]]"#
      let result = try await store.save(
        #"""
        {"update":[{"entity":"Person","columns":["$id","$version","b"],"rows":[[1,1,7]],
        "base":{"columns":\#(base)}}]}
        """#
      )
      #expect(result["conflicts"] == .array([]))
      #expect(try texts(Self.select, in: path) == [["1", "4", "1", "7", nil]])
    }
  }

  @Test func `values that a row has already don't change its version`() async throws {
    try await withStore(.people) { store, path in
      try await store.insert("Person", ["a", "b", "code"], #"[[1,1,"x"]]"#)
      let result = try await store.update("Person", [1], ["a", "code"], #"[1,"x"]"#)
      #expect(result["updated"] == .int64(1))
      #expect(result["token"] == nil)
      #expect(try texts(Self.select, in: path) == [["1", "1", "1", "1", nil]])
      // A change of the same row in the same request counts.
      try await store.save(
        #"""
        {"update":[{"entity":"Person","columns":["$id","a"],"rows":[[1,1]]},
        {"entity":"Person","columns":["$id","b"],"rows":[[1,5]]}]}
        """#
      )
      #expect(try texts(Self.select, in: path) == [["1", "2", "1", "5", nil]])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a repeated key gives the answer with its conflicts again`() async throws {
    try await withChangedRow { store, path in
      let first = try await store.save(Self.change("mergeByPropertyStoreTrump"), key: "k")
      let again = try await store.save(Self.change("mergeByPropertyStoreTrump"), key: "k")
      #expect(first == again)
      #expect(try texts(Self.select, in: path).first?[1] == "3")
      let other = await store.code { try await store.save(Self.change("rollback"), key: "k") }
      #expect(other?.code == .keyReused)
    }
  }

  @Test(arguments: [
    (
      #"{"update":[{"entity":"Person","columns":["$id","a"],"rows":[[1,2]],"base":{"columns":["a"],"rows":[[1]]}}]}"#,
      "/args/update/0/base"
    ),
    (
      #"{"update":[{"entity":"Person","columns":["$id","$version","a"],"rows":[[1,1,2]],"base":{"columns":["a"],"rows":[]}}]}"#,
      "/args/update/0/base/rows"
    ),
    (
      #"{"update":[{"entity":"Person","columns":["$id","$version","a"],"rows":[[1,1,2]],"base":{"columns":["$id"],"rows":[[1]]}}]}"#,
      "/args/update/0/base/columns"
    ),
    (
      #"{"update":[{"entity":"Person","columns":["$id","$version","a"],"rows":[[1,1,2]],"base":{"columns":["a"],"rows":[[]]}}]}"#,
      "/args/update/0/base/rows/0"
    ),
    (#"{"delete":[{"entity":"Person","ids":[1],"versions":[]}]}"#, "/args/delete/0/versions"),
    (#"{"read":[{"entity":"Person","ids":[1],"versions":[1,2]}]}"#, "/args/read/0/versions"),
    (#"{"policy":"merge"}"#, "/args/policy"),
  ])
  func `what doesn't go together is refused`(json: String, pointer: String) async throws {
    try await withChangedRow { store, _ in
      let error = await store.saveError(json)
      #expect(error?.code == .usage)
      #expect(error?.at?.hasSuffix(pointer.dropFirst(5)) == true)
    }
  }

  @Test func `answers to clients with numbers as strings quote identifiers only`() async throws {
    try await withChangedRow { store, _ in
      let call = try JSONDocument(
        Array(#"["save",\#(Self.change("rollback"))]"#.utf8)
      ).root.elements()
      let operation = try Operation(call[0], arguments: call[1])
      let results = await store.write([operation], int64: .string)
      let result = try results[0].get()
      #expect(result["versions"]?.text == #"{"Person":[[1,2]]}"#)
      #expect(result.decisions == ["store"])
    }
  }
}
