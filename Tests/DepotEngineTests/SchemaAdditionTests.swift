import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

/// Additions to a schema whose store has rows.
@Suite struct SchemaAdditionTests {
  private func define(_ store: StoreFixture, _ entities: [Entity]) async throws {
    try await store.write(.defineSchema(Schema(entities: entities), isDryRun: false))
  }

  @Test func `relationships are added between entities with rows`() async throws {
    var item = Schema.items.entities[0]
    let tag = Entity(
      name: "Tag",
      attributes: [Attribute(name: "t", type: .string)],
      relationships: [
        Relationship(name: "item", destination: "Item", inverse: "tags"),
        Relationship(name: "others", destination: "Item", inverse: "otherTags", isToMany: true),
      ]
    )
    try await withStore { store, path in
      try await store.insert([[.string("a"), .int64(1)], [.string("b"), .null]])
      item.relationships = [
        Relationship(
          name: "tags",
          destination: "Tag",
          inverse: "item",
          isToMany: true,
          isOrdered: true
        ),
        Relationship(name: "otherTags", destination: "Tag", inverse: "others", isToMany: true),
        Relationship(name: "best", destination: "Item", inverse: "best"),
      ]
      try await define(store, [item, tag])
      try await store.insert("Tag", ["t", "item", "others"], #"[["x",1,[1,2]],["y",1,[]]]"#)
      try await store.update("Item", [2], ["best", "tags"], "[1,[2]]")
      #expect(
        try texts("SELECT a_size, r_best, version FROM e_Item ORDER BY id", in: path)
          == [["1", "2", "2"], [nil, "1", "2"]]
      )
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `new parts of a composite get their defaults where it is there`() async throws {
    func entity(_ parts: [Attribute], _ others: [Attribute] = []) -> Entity {
      Entity(
        name: "P",
        attributes: [
          Attribute(name: "home", type: .composite, properties: parts, isOptional: true)
        ] + others
      )
    }
    let city = Attribute(name: "city", type: .string)
    let zone = Attribute(name: "zone", type: .int64, defaultValue: .int64(7))
    let spot = Attribute(name: "spot", type: .composite, properties: [zone], isOptional: true)
    let tags = Attribute(
      name: "tags",
      type: .string,
      collection: .set,
      defaultValue: .list([.string("b"), .string("a")])
    )
    try await withStore(Schema(entities: [entity([city])])) { store, path in
      try await store.insert("P", ["home.city"], #"[["Kyiv"],[null]]"#)
      try await define(store, [entity([city, zone], [spot, tags])])
      let stored = try texts(
        #"SELECT "a_home.zone", a_spot, "a_spot.zone", a_tags FROM e_P ORDER BY id"#,
        in: path
      )
      #expect(stored == [["7", "0", nil, #"["a","b"]"#], [nil, "0", nil, #"["a","b"]"#]])
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a descendant that comes later is bound by its parent's demands`() async throws {
    let root = Entity(name: "R", attributes: [Attribute(name: "n", type: .int64)])
    let middle = Entity(
      name: "M",
      parent: "R",
      attributes: [Attribute(name: "m", type: .int64, isOptional: true)],
      uniques: [["n"]]
    )
    let leaf = Entity(
      name: "L",
      parent: "M",
      attributes: [Attribute(name: "l", type: .int64, defaultValue: .int64(4))]
    )
    try await withStore(Schema(entities: [root, middle])) { store, path in
      try await store.insert("R", ["n"], "[[1],[1]]")
      try await store.insert("M", ["n"], "[[1]]")
      try await define(store, [root, middle, leaf])
      let clash = await store.code { try await store.insert("L", ["n"], "[[1]]") }
      #expect(clash?.code == .unique)
      try await store.insert("L", ["n"], "[[2]]")
      let replaced = try await store.insert("M", ["n", "m"], "[[2,5]]", onConflict: .replace)
      #expect(replaced == [5])
      #expect(
        try texts(#"SELECT kind, a_n, "a_M:m", "a_L:l" FROM e_R ORDER BY id"#, in: path).last
          == ["3", "2", "5", "4"]
      )
      #expect(try await store.problems(path) == [])
    }
  }
}
