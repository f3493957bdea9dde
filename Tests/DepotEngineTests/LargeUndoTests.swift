import DepotProtocol
import Testing

@testable import DepotEngine

/// Transactions with more rows than are undone together.
@Suite struct LargeUndoTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Item",
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(name: "size", type: .int64, isOptional: true),
      ],
      relationships: [Relationship(name: "parent", destination: "Item")]
    )
  ])

  private func fill(_ store: StoreFixture, _ count: Int) async throws {
    for start in stride(from: 0, to: count, by: 10_000) {
      let rows = (start..<min(start + 10_000, count)).map { "[\"\($0)\"]" }
      try await store.insert("Item", ["name"], "[\(rows.joined(separator: ","))]")
    }
  }

  @Test func `of related rows are refused with the way to change so many`() async throws {
    try await withPast(Self.schema) { store, _ in
      try await fill(store, Inverse.rowLimit + 1)
      try await store.call("update", #"{"entity":"Item","where":{"value":true},"set":{"size":1}}"#)
      let error = await #expect(throws: DepotError.self) {
        try await store.call("undo", #"{"whole":true}"#)
      }
      #expect(error?.code == .tooManyRows)
      #expect(error?.hint?.contains("in chunks") == true, "\(error?.hint ?? "")")
      #expect(error?.hint?.contains("backup") == true)
    }
  }
}
