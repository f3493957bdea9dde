import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

@Suite struct InheritanceTests {
  static let schema = Schema(entities: [
    Entity(
      name: "Trip",
      isAbstract: true,
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(name: "code", type: .string, isOptional: true),
      ],
      relationships: [
        Relationship(name: "owner", destination: "Person", inverse: "trips", isOptional: false)
      ]
    ),
    Entity(
      name: "BusinessTrip",
      parent: "Trip",
      attributes: [Attribute(name: "budget", type: .int64, defaultValue: .int64(5))],
      uniques: [["code"]]
    ),
    Entity(
      name: "LeisureTrip",
      parent: "Trip",
      attributes: [Attribute(name: "budget", type: .string)]
    ),
    Entity(
      name: "Person",
      attributes: [Attribute(name: "name", type: .string)],
      relationships: [
        Relationship(
          name: "trips",
          destination: "Trip",
          inverse: "owner",
          isToMany: true,
          deleteRule: .cascade
        ),
        Relationship(name: "work", destination: "BusinessTrip"),
      ]
    ),
  ])

  private func fill(_ store: StoreFixture) async throws {
    try await store.insert("Person", ["name"], #"[["p"],["q"]]"#)
    try await store.insert("BusinessTrip", ["name", "owner", "code"], #"[["b",1,"x"]]"#)
    try await store.insert(
      "LeisureTrip",
      ["name", "owner", "budget", "code"],
      #"[["l",1,"low","x"]]"#
    )
  }

  @Test func `rows of a hierarchy share identifiers and keep their entity`() async throws {
    try await withStore(Self.schema) { store, path in
      try await fill(store)
      let stored = try texts(
        #"SELECT id, kind, "a_BusinessTrip:budget", "a_LeisureTrip:budget" FROM e_Trip"#,
        in: path
      )
      #expect(stored == [["1", "2", "5", nil], ["2", "3", nil, "low"]])
      let abstract = await store.code {
        try await store.insert("Trip", ["name", "owner"], #"[["t",1]]"#)
      }
      #expect(abstract?.code == .usage)
      #expect(abstract?.at == "/args/entity")
      let missing = await store.code {
        try await store.insert("LeisureTrip", ["name", "owner"], #"[["t",1]]"#)
      }
      #expect(missing?.details?["attribute"] == .string("budget"))
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `an abstract root without properties holds the rows of what descends from it`()
    async throws
  {
    let schema = Schema(entities: [
      Entity(name: "Root", isAbstract: true, attributes: []),
      Entity(name: "Leaf", parent: "Root", attributes: [Attribute(name: "x", type: .int64)]),
      Entity(name: "Bare", parent: "Root", attributes: []),
    ])
    try await withStore(schema) { store, path in
      try await store.insert("Leaf", ["x"], "[[7]]")
      try await store.insert("Bare", [], "[[],[]]")
      let stored = try texts("SELECT id, kind FROM e_Root ORDER BY id", in: path)
      #expect(stored == [["1", "2"], ["2", "3"], ["3", "3"]])
      try await store.delete("Root", [2])
      #expect(try texts("SELECT id FROM e_Root ORDER BY id", in: path) == [["1"], ["3"]])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a row is reached by its ancestors' names and not by others`() async throws {
    try await withStore(Self.schema) { store, path in
      try await fill(store)
      try await store.update("Trip", [1, 2], ["name"], #"["n"]"#)
      try await store.update("BusinessTrip", [1], ["budget"], "[6]")
      let sibling = await store.code {
        try await store.update("BusinessTrip", [2], ["name"], #"["n"]"#)
      }
      #expect(sibling?.code == .objectNotFound)
      let deleted = await store.code { try await store.delete("LeisureTrip", [1]) }
      #expect(deleted?.code == .objectNotFound)
      let wrong = await store.code { try await store.update("Person", [1], ["work"], "[2]") }
      #expect(wrong?.code == .reference)
      try await store.update("Person", [1], ["work"], "[1]")
      try await store.delete("Trip", [1])
      #expect(try texts("SELECT a_name, version FROM e_Trip", in: path) == [["n", "2"]])
      #expect(try texts("SELECT r_work FROM e_Person ORDER BY id", in: path) == [[nil], [nil]])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a plain deletion keeps to the entity and its descendants`() async throws {
    var schema = Self.schema
    schema.entities.removeLast()
    schema.entities[0].relationships = []
    try await withStore(schema) { store, path in
      try await store.insert("BusinessTrip", ["name"], #"[["a"],["b"]]"#)
      try await store.insert("LeisureTrip", ["name", "budget"], #"[["c","x"],["d","y"]]"#)
      let sibling = await store.code { try await store.delete("LeisureTrip", [3, 1]) }
      #expect(sibling?.details?["missing"] == .array([.int64(1)]))
      func deleteAll(_ entity: String, chunk: Int? = nil) async throws -> Int64? {
        try await store.write(
          .delete(
            DeleteRequest(
              entity: entity,
              rows: .predicate(.value(.bool(true))),
              chunk: chunk
            )
          )
        )["deleted"]?.int64
      }
      #expect(try await deleteAll("BusinessTrip", chunk: 1) == 2)
      #expect(try texts("SELECT id FROM e_Trip ORDER BY id", in: path) == [["3"], ["4"]])
      #expect(try await deleteAll("Trip") == 2)
      #expect(store.store.statistics.rowsDeleted == 4)
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `an update by predicate minds whether descendants are meant`() async throws {
    var schema = Self.schema
    schema.entities[0].isAbstract = false
    try await withStore(schema) { store, path in
      try await fill(store)
      try await store.insert("Trip", ["name", "owner"], #"[["t",1]]"#)
      for (entity, isDeep, count) in [
        ("Trip", true, 3), ("Trip", false, 1), ("BusinessTrip", true, 1),
      ] {
        let result = try await store.write(
          .update(
            UpdateRequest(
              entity: entity,
              rows: .predicate(.value(.bool(true))),
              includesSubentities: isDeep,
              columns: ["name"],
              values: .text(#"[["m"]]"#),
              returnsIdentifiers: true
            )
          )
        )
        #expect(result["updated"] == .int64(Int64(count)))
        #expect(result["ids"]?.array?.count == count)
      }
      let request = DeleteRequest(
        entity: "Trip",
        rows: .identifiers([1, 3]),
        includesSubentities: false
      )
      let results = await store.write([.delete(request)])
      #expect(results[0].error?.details?["missing"] == .array([.int64(1)]))
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `what a descendant demands isn't demanded of others`() async throws {
    try await withStore(Self.schema) { store, path in
      try await fill(store)
      let clash = await store.code {
        try await store.insert("BusinessTrip", ["name", "owner", "code"], #"[["c",1,"x"]]"#)
      }
      #expect(clash?.code == .unique)
      try await store.insert("BusinessTrip", ["name", "owner", "code"], #"[["c",1,"y"]]"#)
      let byParent = await store.code { try await store.update("Trip", [4], ["code"], #"["x"]"#) }
      #expect(byParent?.code == .unique)
      try await store.update("Trip", [2], ["code"], #"["y"]"#)
      let replaced = try await store.insert(
        "BusinessTrip",
        ["name", "owner", "code"],
        #"[["d",2,"x"]]"#,
        onConflict: .replace
      )
      #expect(replaced == [1])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a cascade finds rows of every entity`() async throws {
    try await withStore(Self.schema) { store, path in
      try await fill(store)
      let count = try await store.delete("Person", [1])
      #expect(count == 3)
      #expect(try texts("SELECT id FROM e_Trip", in: path).isEmpty)
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `an entity that gets its first descendant keeps its rows`() async throws {
    let base = Entity(
      name: "Base",
      attributes: [Attribute(name: "n", type: .int64, isUnique: true)]
    )
    let child = Entity(
      name: "Child",
      parent: "Base",
      attributes: [Attribute(name: "m", type: .int64, defaultValue: .int64(3))],
      relationships: [
        Relationship(name: "friends", destination: "Base", isToMany: true),
        Relationship(name: "best", destination: "Base"),
      ],
      uniques: [["n"]]
    )
    try await withStore(Schema(entities: [base])) { store, path in
      try await store.insert("Base", ["n"], "[[1],[2]]")
      try await store.write(
        .defineSchema(Schema(entities: [base, child]), isDryRun: false)
      )
      try await store.insert("Child", ["n", "friends", "best"], "[[3,[1,2],1]]")
      let stored = try texts(#"SELECT id, kind, "a_Child:m" FROM e_Base ORDER BY id"#, in: path)
      #expect(stored == [["1", "1", nil], ["2", "1", nil], ["3", "2", "3"]])
      #expect(try await store.problems(path) == [])
    }
  }
}
