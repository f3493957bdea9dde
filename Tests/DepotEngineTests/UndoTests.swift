import DepotProtocol
import Testing

@testable import DepotEngine

/// What can be undone, what can't, and what becomes of later changes.
@Suite struct UndoTests {
  private func names(_ store: StoreFixture, _ past: PastFixture) throws -> [String] {
    try store.read("Item", in: past.path)
  }

  @Test func `the last transaction is undone and done again`() async throws {
    try await withPast { store, past in
      try await store.insert("Item", ["name", "size"], #"[["a",1]]"#)
      try await store.update("Item", [1], ["size"], "[2]")
      let result = try await store.call("undo", "{}")
      #expect(result["undone"]?.array?.count == 1)
      #expect(result["token"]?.string == (try past.head()))
      #expect(try names(store, past) == [#"["a",1]"#])
      try await store.call("undo", "{}")
      #expect(try names(store, past) == [])
      try await store.call("redo", "{}")
      #expect(try names(store, past) == [#"["a",1]"#])
      try await store.call("redo", "{}")
      #expect(try names(store, past) == [#"["a",2]"#])
      try await store.call("undo", "{}")
      #expect(try names(store, past) == [#"["a",1]"#])
      let last = try past.history(#"{"descending":true,"limit":1}"#).first
      #expect(last?["origin"]?.string?.hasPrefix("undo:") == true)
    }
  }

  @Test(arguments: [false, true])
  func `what can be done again is found without looking at all transactions`(
    ofAuthor: Bool
  ) async throws {
    try await withPast { store, past in
      try await store.insert("Item", ["name"], #"[["a"]]"#)
      let query = UndoSelection.undos(ofAuthor: ofAuthor).replacing("?1", with: "0")
        .replacing("?2", with: "'a'")
      let plan = try texts("EXPLAIN QUERY PLAN \(query)", in: past.path).compactMap(\.last)
      #expect(plan.contains { $0?.contains("depot_history_origin") == true }, "\(plan)")
    }
  }

  @Test func `versions go on when a deleted row is made again`() async throws {
    try await withPast { store, past in
      try await store.insert("Item", ["name"], #"[["a"]]"#)
      try await store.update("Item", [1], ["size"], "[1]")
      try await store.update("Item", [1], ["size"], "[2]")
      try await store.delete("Item", [1])
      try await store.call("undo", "{}")
      #expect(try past.count("SELECT version FROM e_Item WHERE id = 1") == 4)
      #expect(try await store.insert("Item", ["name"], #"[["b"]]"#) == [2])
    }
  }

  @Test func `a version grows whichever deletion of a row is undone`() async throws {
    try await withPast { store, past in
      func version() throws -> Int64 { try past.count("SELECT version FROM e_Item WHERE id = 1") }
      try await store.insert("Item", ["name", "size"], #"[["a",0]]"#)
      try await store.delete("Item", [1])
      let first = try past.head()
      try await store.call("undo", "{\"token\":\"\(first)\"}")
      #expect(try version() == 2)
      for size in 1...5 { try await store.update("Item", [1], ["size"], "[\(size)]") }
      try await store.delete("Item", [1])
      try await store.call("redo", "{\"token\":\"\(first)\"}")
      try await store.call("undo", "{\"token\":\"\(first)\"}")
      #expect(try version() == 8)
    }
  }

  @Test func `a version grows when a group deletes a row and makes it again`() async throws {
    try await withPast { store, past in
      func version() throws -> Int64 { try past.count("SELECT version FROM e_Item WHERE id = 1") }
      try await store.insert("Item", ["name", "size"], #"[["a",0]]"#)
      _ = await store.write(
        [.delete(DeleteRequest(entity: "Item", rows: .identifiers([1])))],
        group: "g"
      )
      let save = """
        {"update":[{"entity":"Item","columns":["$id","$version","name","size"],"rows":[[1,1,"a",1]],
        "base":{"columns":["name","size"],"rows":[["a",0]]}}],"policy":"overwrite"}
        """
      let results = await store.write([try Operation("save", save)], group: "g")
      _ = try results[0].get()
      for size in 2...9 { try await store.update("Item", [1], ["size"], "[\(size)]") }
      let last = try version()
      try await store.call("undo", #"{"group":"g","policy":"overwrite"}"#)
      #expect(try version() > last)
      #expect(try names(store, past) == [#"["a",0]"#])
    }
  }

  @Test func `a row that others make again counts on from its last version`() async throws {
    try await withPast { store, past in
      try await store.insert("Item", ["name", "size"], #"[["a",0]]"#)
      try await store.update("Item", [1], ["size"], "[1]")
      let token = try past.head()
      for size in 2...5 { try await store.update("Item", [1], ["size"], "[\(size)]") }
      try await store.delete("Item", [1])
      try await store.call("undo", "{\"token\":\"\(token)\",\"policy\":\"overwrite\"}")
      #expect(try past.count("SELECT version FROM e_Item WHERE id = 1") > 6)
      #expect(try names(store, past) == [#"["a",0]"#])
    }
  }

  @Test func `what went to and fro often is looked up once`() async throws {
    try await withPast { store, past in
      try await store.insert("Item", ["name", "size"], #"[["a",0]]"#)
      try await store.update("Item", [1], ["size"], "[1]")
      for _ in 0..<150 {
        try await store.call("undo", "{}")
        try await store.call("redo", "{}")
      }
      try await store.call("undo", "{}")
      let connection = try past.connection()
      let bounds = try HistoryBounds(on: connection)
      var selection = UndoSelection(
        bounds: bounds,
        isRedo: false,
        connection: connection,
        control: .unstoppable
      )
      let tokens = try selection.tokens(.last, author: nil)
      #expect(tokens == [2])
      #expect(selection.lookupCount <= 303)
      let control = CallControl()
      control.cancel()
      var stopped = UndoSelection(
        bounds: bounds,
        isRedo: true,
        connection: connection,
        control: control
      )
      let error = #expect(throws: DepotError.self) { try stopped.tokens(.last, author: nil) }
      #expect(error?.code == .cancelled)
      try await store.call("undo", "{}")
      #expect(try names(store, past) == [])
    }
  }

  @Test func `rows that were deleted with a row come back with what leads to them`() async throws {
    try await withPast(.recorded) { store, past in
      try await store.call(
        "save",
        """
        {"insert":[{"entity":"Node","columns":["$id","name","parent","home.city"],"rows":[
        ["#p","p",null,"Ulm"],["#a","a","#p",null],["#b","b","#a",null]]},
        {"entity":"Tag","columns":["label","nodes"],"rows":[["t",["#p","#b"]]]}]}
        """
      )
      let columns = ["name", "parent", "home", "home.city", "upper", "tags"]
      let before = try store.read("Node", in: past.path, select: columns)
      try await store.delete("Node", [1])
      #expect(try store.read("Node", in: past.path) == [])
      try await store.call("undo", "{}")
      #expect(try store.read("Node", in: past.path, select: columns) == before)
      try await store.call("redo", "{}")
      #expect(try store.read("Node", in: past.path) == [])
    }
  }

  @Test func `a group is undone in reverse in one transaction`() async throws {
    try await withPast { store, past in
      try await store.insert("Item", ["name", "size"], #"[["a",1]]"#)
      for size in 2...4 {
        let request = UpdateRequest(
          entity: "Item",
          rows: .identifiers([1]),
          columns: ["size"],
          values: .text("[[\(size)]]")
        )
        _ = await store.write([.update(request)], group: "g")
      }
      let before = try past.head()
      let result = try await store.call("undo", #"{"group":"g"}"#)
      #expect(result["undone"]?.array?.count == 3)
      #expect(try names(store, past) == [#"["a",1]"#])
      let history = try past.history("{\"since\":\"\(before)\"}")
      #expect(history.count == 1)
      #expect(history[0]["origin"]?.string?.split(separator: ",").count == 3)
      let again = await store.code { try await store.call("undo", #"{"group":"g"}"#) }
      #expect(again?.code == .alreadyUndone)
      try await store.call("redo", #"{"group":"g"}"#)
      #expect(try names(store, past) == [#"["a",4]"#])
      let none = await store.code { try await store.call("undo", #"{"group":"x"}"#) }
      #expect(none?.code == .nothingToUndo)
    }
  }

  @Test func `each author undoes what is theirs`() async throws {
    try await withPast { store, past in
      func insert(_ name: String, _ author: String?) async {
        let request = InsertRequest(
          entity: "Item",
          columns: ["name"],
          rows: .text("[[\"\(name)\"]]")
        )
        _ = await store.write([.insert(request)], author: author)
      }
      await insert("a", "ann")
      await insert("b", "bob")
      await insert("c", "ann")
      let result = await store.write([.undo(UndoRequest())], author: "bob")
      #expect(try result[0].get()["undone"]?.array?.count == 1)
      #expect(try names(store, past) == [#"["a",null]"#, #"["c",null]"#])
      try await store.call("undo", #"{"author":"ann"}"#)
      #expect(try names(store, past) == [#"["a",null]"#])
      let none = await store.write([.undo(UndoRequest())], author: "bob")
      #expect(throws: DepotError.self) { try none[0].get() }
    }
  }

  /// What becomes of a property that was changed since, and of one that wasn't.
  @Test(
    arguments: [
      (MergePolicy.error, nil), (.mergeByPropertyStoreTrump, #"["a",9]"#),
      (.mergeByPropertyObjectTrump, #"["a",1]"#), (.overwrite, #"["a",1]"#),
      (.rollback, #"["b",9]"#),
    ] as [(MergePolicy, String?)]
  )
  func `a policy decides about what was changed since`(
    policy: MergePolicy,
    expected: String?
  ) async throws {
    try await withPast { store, past in
      try await store.insert("Item", ["name", "size"], #"[["a",1]]"#)
      try await store.update("Item", [1], ["name", "size"], #"["b",2]"#)
      let token = try past.head()
      try await store.update("Item", [1], ["size"], "[9]")
      let later = try past.head()
      let call = "{\"token\":\"\(token)\",\"policy\":\"\(policy.rawValue)\"}"
      guard let expected else {
        let error = await store.code { try await store.call("undo", call) }
        #expect(error?.code == .merge)
        let conflict = error?.conflicts.first
        #expect(conflict?.properties == ["size"])
        #expect(conflict?.base == ["size": .int64(2)])
        #expect(conflict?.store == ["size": .int64(9)])
        #expect(conflict?.client == ["size": .int64(1)])
        #expect(conflict?.changedBy["size"]?.token == later)
        #expect(conflict?.storeVersion == 3)
        #expect(try past.head() == later)
        return
      }
      let result = try await store.call("undo", call)
      #expect(result["conflicts"]?.array?.count == 1)
      #expect(try names(store, past) == [expected])
      let again = await store.code { try await store.call("undo", call) }
      #expect(again?.code == .alreadyUndone)
    }
  }

  @Test(
    arguments: [
      (MergePolicy.error, nil), (.mergeByPropertyStoreTrump, []), (.rollback, []),
      (.mergeByPropertyObjectTrump, [#"["a",5]"#]), (.overwrite, [#"["a",5]"#]),
    ] as [(MergePolicy, [String]?)]
  )
  func `a policy decides about rows that were deleted since`(
    policy: MergePolicy,
    expected: [String]?
  ) async throws {
    try await withPast { store, past in
      try await store.insert("Item", ["name", "size"], #"[["a",1]]"#)
      try await store.update("Item", [1], ["name", "size"], #"["b",5]"#)
      try await store.update("Item", [1], ["name"], #"["c"]"#)
      let token = try past.head()
      try await store.update("Item", [1], ["name"], #"["a"]"#)
      try await store.delete("Item", [1])
      let call = "{\"token\":\"\(token)\",\"policy\":\"\(policy.rawValue)\"}"
      guard let expected else {
        let error = await store.code { try await store.call("undo", call) }
        #expect(error?.code == .merge)
        #expect(error?.conflicts.first?.kind == .updateOfDeleted)
        return
      }
      try await store.call("undo", call)
      #expect(try names(store, past) == expected.map { $0.replacing("\"a\"", with: "\"b\"") })
    }
  }

  @Test(
    arguments: [
      (MergePolicy.error, nil), (.mergeByPropertyStoreTrump, 1), (.rollback, 1),
      (.mergeByPropertyObjectTrump, 0), (.overwrite, 0),
    ] as [(MergePolicy, Int?)]
  )
  func `a policy decides about inserted rows that were changed since`(
    policy: MergePolicy,
    count: Int?
  ) async throws {
    try await withPast { store, past in
      try await store.insert("Item", ["name"], #"[["a"]]"#)
      let token = try past.head()
      try await store.update("Item", [1], ["size"], "[1]")
      let call = "{\"token\":\"\(token)\",\"policy\":\"\(policy.rawValue)\"}"
      guard let count else {
        let error = await store.code { try await store.call("undo", call) }
        #expect(error?.conflicts.first?.kind == .deleteOfUpdated)
        return
      }
      try await store.call("undo", call)
      #expect(try names(store, past).count == count)
    }
  }

  @Test func `a row whose place was taken can't come back`() async throws {
    try await withPast { store, past in
      try await store.insert("Item", ["name"], #"[["a"]]"#)
      try await store.delete("Item", [1])
      let token = try past.head()
      try await store.insert("Item", ["name"], #"[["a"]]"#)
      let error = await store.code {
        try await store.call("undo", "{\"token\":\"\(token)\",\"policy\":\"overwrite\"}")
      }
      #expect(error?.code == .unique)
    }
  }

  @Test func `rows that lead to an inserted one aren't taken along`() async throws {
    try await withPast(.recorded) { store, past in
      try await store.insert("Node", ["name"], #"[["p"]]"#)
      let token = try past.head()
      try await store.insert("Node", ["name", "parent"], #"[["c",1]]"#)
      let error = await store.code {
        try await store.call("undo", "{\"token\":\"\(token)\"}")
      }
      #expect(error?.code == .denied)
      #expect(try store.read("Node", in: past.path).count == 2)
    }
  }

  @Test func `what the history doesn't have can't be undone`() async throws {
    try await withPast(.recorded) { store, past in
      try await store.insert("Named", ["a"], "[[1]]")
      try await store.update("Named", [1], ["a"], "[2]")
      let names = await store.code { try await store.call("undo", "{}") }
      #expect(names?.code == .historyNoValues)
      try await store.insert("Quiet", ["a"], "[[1]]")
      let nothing = await store.code { try await store.call("undo", "{}") }
      #expect(nothing?.code == .historyNoValues)
      let schema = try past.history(#"{"limit":1}"#).first?["token"]?.string ?? ""
      let change = await store.code { try await store.call("undo", "{\"token\":\"\(schema)\"}") }
      #expect(change?.code == .nothingToUndo)
    }
  }

  @Test func `a change of the schema isn't skipped for an earlier change`() async throws {
    try await withPast(Self.items(1, ["Item"])) { store, past in
      try await store.insert("Item", ["name"], #"[["a"]]"#)
      let token = try past.head()
      try await migrate(store, Self.items(2, ["Item", "Box"]))
      let refused = await store.code { try await store.call("undo", "{}") }
      #expect(refused?.code == .nothingToUndo)
      #expect(refused?.message.contains("schema") == true)
      #expect(try store.read("Item", in: past.path).count == 1)
      try await store.insert("Item", ["name"], #"[["b"]]"#)
      try await store.call("undo", "{}")
      let again = await store.code { try await store.call("undo", "{}") }
      #expect(again?.code == .nothingToUndo)
      try await store.call("undo", "{\"token\":\"\(token)\"}")
      #expect(try store.read("Item", in: past.path).isEmpty)
      let all = await store.code { try await store.call("undo", "{}") }
      #expect(all?.hint == "All of it is undone already.")
    }
  }

  @Test func `an undo is done once for its key`() async throws {
    try await withPast { store, past in
      try await store.insert("Item", ["name"], #"[["a"]]"#)
      let first = try await store.call("undo", "{}", key: "k")
      let second = try await store.call("undo", "{}", key: "k")
      #expect(first == second)
      #expect(try past.history().count == 3)
    }
  }

  /// Animals and dogs, whose identifiers are counted apart as long as dogs are no animals.
  private static func animals(_ version: Int, areOne: Bool) -> Schema {
    let name = Attribute(name: "name", type: .string)
    return Schema(
      version: SchemaVersion(version, 0, 0),
      entities: [
        Entity(name: "Animal", attributes: [name]),
        Entity(
          name: "Dog",
          parent: areOne ? "Animal" : nil,
          attributes: areOne ? [] : [name]
        ),
      ]
    )
  }

  private static func items(_ version: Int, _ names: [String]) -> Schema {
    Schema(
      version: SchemaVersion(version, 0, 0),
      entities: names.map { name in
        Entity(name: name, attributes: [Attribute(name: "name", type: .string)])
      }
    )
  }

  private func migrate(_ store: StoreFixture, _ schemas: Schema...) async throws {
    for schema in schemas {
      try await store.write(.defineSchema(schema, isDryRun: false))
    }
  }

  /// Checks that what came before a migration isn't undone, and what came after it is.
  private func expectNothing(
    before token: String,
    of entity: String,
    _ store: StoreFixture,
    _ past: PastFixture
  ) async throws {
    let before = try store.read(entity, in: past.path)
    let last = await store.code { try await store.call("undo", "{}") }
    #expect(last?.code == .nothingToUndo)
    #expect(last?.hint?.contains("migration") == true)
    let named = await store.code { try await store.call("undo", "{\"token\":\"\(token)\"}") }
    #expect(named?.code == .historyNoValues)
    let group = await store.code { try await store.call("undo", #"{"group":"g"}"#) }
    #expect(group?.code == .historyNoValues)
    #expect(try store.read(entity, in: past.path) == before)
    try await store.insert(entity, ["name"], #"[["new"]]"#)
    try await store.call("undo", "{}")
    #expect(try store.read(entity, in: past.path) == before)
  }

  private func insert(_ entity: String, _ store: StoreFixture) async throws {
    let insertion = InsertRequest(entity: entity, columns: ["name"], rows: .text(#"[["g"]]"#))
    _ = try await store.write([.insert(insertion)], group: "g")[0].get()
  }

  @Test func `what came before rows got other identifiers isn't undone`() async throws {
    try await withPast(Self.animals(1, areOne: false)) { store, past in
      try await store.insert("Animal", ["name"], #"[["a"],["b"]]"#)
      for number in 1...4 { try await store.insert("Dog", ["name"], "[[\"d\(number)\"]]") }
      try await insert("Dog", store)
      let token = try past.head()
      try await migrate(store, Self.animals(2, areOne: true))
      try await expectNothing(before: token, of: "Dog", store, past)
    }
  }

  @Test func `what came before an entity's name was used again isn't undone`() async throws {
    try await withPast(Self.items(1, ["Item", "Other"])) { store, past in
      try await insert("Item", store)
      let token = try past.head()
      try await migrate(store, Self.items(2, ["Other"]), Self.items(3, ["Other", "Item"]))
      try await store.insert("Item", ["name"], #"[["other"]]"#)
      let error = await store.code { try await store.call("undo", "{\"token\":\"\(token)\"}") }
      #expect(error?.code == .historyNoValues)
      #expect(try store.read("Item", in: past.path) == [#"["other"]"#])
    }
  }

  @Test func `what came before an entity got another name isn't undone`() async throws {
    try await withPast(Self.items(1, ["Item"])) { store, past in
      try await insert("Item", store)
      let token = try past.head()
      var renamed = Self.items(2, ["Thing"])
      renamed.entities[0].originalName = "Item"
      try await migrate(store, renamed)
      try await expectNothing(before: token, of: "Thing", store, past)
    }
  }

  @Test func `what came before an entity got a parent isn't undone`() async throws {
    try await withPast(Self.items(1, ["Item"])) { store, past in
      try await insert("Item", store)
      let token = try past.head()
      try await store.update("Item", [1], ["name"], #"["changed"]"#)
      var schema = Self.items(2, ["Base", "Item"])
      schema.entities[0].isAbstract = true
      schema.entities[1].parent = "Base"
      schema.entities[1].attributes = []
      try await migrate(store, schema)
      try await expectNothing(before: token, of: "Item", store, past)
    }
  }

  @Test func `what came before other migrations is undone`() async throws {
    try await withPast(Self.items(1, ["Item"])) { store, past in
      try await insert("Item", store)
      var schema = Self.items(2, ["Item", "Other"])
      schema.entities[0].attributes[0].name = "title"
      schema.entities[0].attributes[0].originalName = "name"
      try await migrate(store, schema)
      try await store.call("undo", #"{"group":"g"}"#)
      #expect(try store.read("Item", in: past.path) == [])
    }
  }
}
