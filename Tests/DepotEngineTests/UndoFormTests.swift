import DepotProtocol
import Testing

@testable import DepotEngine

/// The undo of changes whose values a migration has given another form since.
@Suite struct UndoFormTests {
  private static func forms(_ version: Int, _ types: [AttributeType], _ note: Attribute) -> Schema {
    Schema(
      version: SchemaVersion(version, 0, 0),
      entities: [
        Entity(
          name: "Item",
          attributes: [
            Attribute(name: "size", type: types[0], isOptional: true),
            Attribute(name: "sizes", type: types[1], collection: .array, isOptional: true), note,
          ]
        )
      ]
    )
  }

  private func migrate(_ store: StoreFixture, _ schema: Schema) async throws {
    try await store.write(.defineSchema(schema, isDryRun: false))
  }

  @Test func `values are set back in the form that a migration gave them`() async throws {
    let note = Attribute(name: "note", type: .string, isOptional: true)
    try await withPast(Self.forms(1, [.int64, .int64], note)) { store, past in
      try await store.insert("Item", ["size", "sizes"], "[[1,[1]],[2,[2]],[3,[3]]]")
      let insertion = try past.head()
      for size in [10, 11] {
        try await store.update("Item", [1, 2], ["size", "sizes"], "[\(size),[\(size),3]]")
      }
      let change = try past.head()
      try await store.call("delete", #"{"entity":"Item","ids":[3]}"#)
      let deletion = try past.head()
      try await migrate(store, Self.forms(2, [.string, .double], note))
      func undo(_ token: String) async -> DepotError? {
        await store.code { try await store.call("undo", "{\"token\":\"\(token)\"}") }
      }
      func rows() throws -> [String] { try store.read("Item", in: past.path) }
      #expect(await undo(deletion) == nil)
      #expect(try rows().last == #"["3",[3.0],null]"#)
      #expect(await undo(change) == nil)
      #expect(try rows().first == #"["10",[10.0,3.0],null]"#)
      #expect(await undo(insertion)?.code == .merge)
      try await store.update("Item", [1, 2], ["size", "sizes"], #"["1",[1]]"#)
      try await store.update("Item", [2], ["size", "sizes"], #"["2",[2]]"#)
      #expect(await undo(insertion) == nil)
      #expect(try rows() == [])
    }
  }

  @Test func `a value whose form a migration changed for good is named`() async throws {
    let note = Attribute(name: "note", type: .string, isOptional: true)
    try await withPast(Self.forms(1, [.int64, .int64], note)) { store, past in
      try await store.insert("Item", ["note"], #"[["a"]]"#)
      try await store.update("Item", [1], ["note"], #"["b"]"#)
      var outside = note
      outside.options = .externalStorage
      let update = try past.head()
      try await migrate(store, Self.forms(2, [.int64, .int64], outside))
      let error = await store.code { try await store.call("undo", "{\"token\":\"\(update)\"}") }
      #expect(error?.code == .historyNoValues)
      #expect(error?.message == "A migration has changed how Item/1.note is stored since then.")
      #expect(error?.details?["attribute"] == .string("note"))
    }
  }
}
