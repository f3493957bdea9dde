import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

@Suite struct DeleteRuleTests {
  /// Two entities with a to-many relationship from A to B under a rule, and chains within A.
  private func schema(_ rule: Relationship.DeleteRule, isOptional: Bool = true) -> Schema {
    Schema(entities: [
      Entity(
        name: "A",
        attributes: [Attribute(name: "n", type: .int64, isOptional: true)],
        relationships: [
          Relationship(
            name: "bs",
            destination: "B",
            inverse: "a",
            isToMany: true,
            deleteRule: rule
          ),
          Relationship(name: "next", destination: "A", inverse: "previous", deleteRule: .cascade),
          Relationship(name: "previous", destination: "A", inverse: "next"),
          Relationship(
            name: "links",
            destination: "B",
            inverse: "linked",
            isToMany: true,
            deleteRule: rule
          ),
        ]
      ),
      Entity(
        name: "B",
        attributes: [Attribute(name: "n", type: .int64, isOptional: true)],
        relationships: [
          Relationship(name: "a", destination: "A", inverse: "bs", isOptional: isOptional),
          Relationship(name: "linked", destination: "A", inverse: "links", isToMany: true),
        ]
      ),
    ])
  }

  private func fill(_ store: StoreFixture) async throws {
    try await store.insert("A", ["n"], "[[1],[2],[3]]")
    try await store.insert("B", ["a", "n"], "[[1,1],[1,2],[2,3]]")
  }

  @Test func `nullify makes others forget a row`() async throws {
    try await withStore(schema(.nullify)) { store, path in
      try await fill(store)
      try await store.update("A", [1], ["links"], "[[1,3]]")
      let deleted1 = try await store.delete("A", [1])
      #expect(deleted1 == 1)
      #expect(
        try texts("SELECT r_a, version FROM e_B", in: path)
          == [[nil, "2"], [nil, "2"], ["2", "1"]]
      )
      #expect(try texts(#"SELECT * FROM "j_A.links""#, in: path).isEmpty)
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `nullify of a row that must lead to another is refused`() async throws {
    try await withStore(schema(.nullify, isOptional: false)) { store, path in
      try await fill(store)
      let error = await store.code { try await store.delete("A", [2]) }
      #expect(error?.code == .denied)
      #expect(error?.message.contains("B/3") == true)
      let both = SaveRequest(deletes: [
        SaveRequest.Deletion(entity: "A", identifiers: [2]),
        SaveRequest.Deletion(entity: "B", identifiers: [3]),
      ])
      let deleted = try await store.write(.save(both))["deleted"]
      #expect(deleted == .int64(2))
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `cascade deletes all that hangs on a row, also around a circle`() async throws {
    try await withStore(schema(.cascade)) { store, path in
      try await fill(store)
      try await store.update("A", [1], ["next"], "[2]")
      try await store.update("A", [2], ["next"], "[3]")
      try await store.update("A", [3], ["next"], "[1]")
      try await store.insert("A", ["n"], "[[4]]")
      try await store.insert("B", ["a", "linked"], "[[4,[2]],[4,[4]]]")
      let deleted2 = try await store.delete("A", [2])
      #expect(deleted2 == 7)
      #expect(try texts("SELECT id FROM e_A", in: path) == [["4"]])
      #expect(try texts("SELECT id FROM e_B", in: path) == [["5"]])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `deny refuses unless the other rows go too`() async throws {
    try await withStore(schema(.deny)) { store, path in
      try await fill(store)
      let error = await store.code { try await store.delete("A", [1]) }
      #expect(error?.code == .denied)
      #expect(error?.details?["rows"] == .array([.int64(1), .int64(2)]))
      let deleted3 = try await store.delete("A", [3])
      #expect(deleted3 == 1)
      let moved = SaveRequest(
        updates: [
          SaveRequest.Change(entity: "B", columns: ["$id", "a"], rows: .text("[[1,2]]"))
        ],
        deletes: [
          SaveRequest.Deletion(entity: "A", identifiers: [1]),
          SaveRequest.Deletion(entity: "B", identifiers: [2]),
        ]
      )
      let deleted = try await store.write(.save(moved))["deleted"]
      #expect(deleted == .int64(2))
      #expect(try texts("SELECT id, r_a FROM e_B", in: path) == [["1", "2"], ["3", "2"]])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `no action leaves references to nothing`() async throws {
    try await withStore(schema(.noAction)) { store, path in
      try await fill(store)
      try await store.update("A", [1], ["links"], "[[1]]")
      try await store.delete("A", [1])
      #expect(try texts("SELECT r_a, version FROM e_B", in: path)[0] == ["1", "1"])
      #expect(try texts(#"SELECT source FROM "j_A.links""#, in: path) == [["1"]])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `what leads to a row without an inverse forgets it`() async throws {
    try await withStore(.world) { store, path in
      try await store.insert("Country", ["name"], #"[["a"],["b"]]"#)
      try await store.insert("Note", ["text", "about", "mentions"], #"[["n",1,[1,2]]]"#)
      try await store.delete("Country", [1])
      #expect(try texts("SELECT r_about FROM e_Note", in: path) == [[nil]])
      #expect(try texts(#"SELECT target FROM "j_Note.mentions""#, in: path) == [["2"]])
      #expect(try await store.problems(path) == [])
    }
  }
}
