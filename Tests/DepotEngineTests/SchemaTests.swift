import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

@Suite struct SchemaTests {
  private func define(_ schema: Schema, isDryRun: Bool = false) -> DepotProtocol.Operation {
    .defineSchema(schema, isDryRun: isDryRun)
  }

  private var extended: Schema {
    var schema = Schema.items
    schema.entities[0].attributes[1].isIndexed = true
    // In front, to show that stored rows don't depend on the order that a client uses.
    schema.entities[0].attributes.insert(
      Attribute(name: "note", type: .string, defaultValue: .string("it's")),
      at: 0
    )
    schema.entities[0].attributes.append(Attribute(name: "ratio", type: .double, isOptional: true))
    schema.entities[0].indexes = [["size", "note"]]
    schema.entities.append(Entity(name: "Tag", attributes: [Attribute(name: "t", type: .url)]))
    return schema
  }

  @Test func `the same schema again is no change`() async throws {
    try await withStore { store, _ in
      let catalog = store.store.catalog
      let result = try await store.write(define(.items))
      #expect(result["changed"] == .bool(false))
      #expect(result["schema"] == .string(catalog.fingerprint))
      #expect(store.store.catalog.generation == catalog.generation)
    }
  }

  @Test func `additions are applied, and the rows that exist get defaults`() async throws {
    try await withStore { store, path in
      try await store.insert((0..<2500).map { [.string("\($0)"), .int64($0)] })
      let result = try await store.write(define(extended))
      #expect(result["changed"] == .bool(true))
      #expect(result["changes"]?.array?.count == 5)
      #expect(store.store.catalog.schema.entities.map(\.name) == ["Item", "Tag"])
      let stored = try rows("SELECT DISTINCT version, a_note, a_ratio FROM e_Item", in: path)
      #expect(stored == [[.integer(1), .text("it's"), .null]])
      try await store.insert([[.string("new"), .string("n")]], columns: ["name", "note"])
      let again = try await store.write(define(extended))
      #expect(again["changed"] == .bool(false))
      await store.close()
      #expect(try Store.check(path: path) == [])
      let reopened = try StoreFixture(StoreConfiguration(path: path))
      #expect(reopened.store.catalog.fingerprint == store.store.catalog.fingerprint)
      await reopened.close()
    }
  }

  @Test func `a dry run says what would change and changes nothing`() async throws {
    try await withStore { store, _ in
      let before = store.store.catalog.fingerprint
      let result = try await store.write(define(extended, isDryRun: true))
      #expect(result["changed"] == .bool(true))
      #expect(store.store.catalog.fingerprint == before)
      let error = await #expect(throws: DepotError.self) {
        try await store.write(
          .insert(InsertRequest(entity: "Tag", columns: [], rows: RowBatch()))
        )
      }
      #expect(error?.code == .unknownEntity)
      #expect(error?.at == "/args/entity")
    }
  }

  @Test func `a dry run finds the rows that are in the way`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .int64(1)], [.string("b"), .int64(1)]])
      var schema = Schema.items
      schema.entities[0].attributes.append(
        Attribute(name: "code", type: .string, defaultValue: .string("x"), isUnique: true)
      )
      schema.entities.append(
        Entity(name: "Tag", attributes: [Attribute(name: "name", type: .string)])
      )
      let error = await store.code { try await store.write(define(schema, isDryRun: true)) }
      #expect(error?.code == .mismatch)
      #expect(try rows("SELECT name FROM sqlite_master WHERE name = 'e_Tag'", in: path).isEmpty)
      try await store.delete("Item", [1])
      try await store.write(define(schema, isDryRun: true))
      #expect(try rows("SELECT name FROM sqlite_master WHERE name = 'e_Tag'", in: path).isEmpty)
      try await store.write(define(schema, isDryRun: false))
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `anything else is refused with all differences`() async throws {
    try await withStore { store, _ in
      let other = Schema(entities: [
        Entity(
          name: "Item",
          attributes: [
            Attribute(name: "name", type: .int64),
            Attribute(name: "color", type: .string),
          ]
        )
      ])
      let error = await #expect(throws: DepotError.self) { try await store.write(define(other)) }
      #expect(error?.code == .mismatch)
      #expect(
        error?.details?["differences"]?.array?.compactMap(\.string) == [
          "Item.name is of type string, not int64",
          "attribute Item.color is new, but neither optional nor with a default",
          "attribute Item.size is missing",
        ]
      )
    }
  }

  @Test func `a unique attribute whose default several rows would get is refused`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .null], [.string("b"), .null]])
      var schema = Schema.items
      schema.entities[0].attributes.append(
        Attribute(name: "code", type: .int64, defaultValue: .int64(1), isUnique: true)
      )
      let error = await #expect(throws: DepotError.self) { try await store.write(define(schema)) }
      #expect(error?.code == .mismatch)
      try await store.insert([[.string("c"), .null]])
      #expect(try rows("SELECT count(*) FROM e_Item", in: path) == [[.integer(3)]])
    }
  }
}
