import DepotProtocol
import Testing

@testable import DepotServer

@Suite struct StorePlacementTests {
  private func entity(
    _ name: String,
    parent: String? = nil,
    to destinations: String...
  ) -> Entity {
    Entity(
      name: name,
      parent: parent,
      attributes: [Attribute(name: "n", type: .int64)],
      relationships: destinations.map {
        Relationship(name: "to\($0)", destination: $0)
      }
    )
  }

  private func placement(_ places: (String, [String]?)...) -> StorePlacement {
    StorePlacement(places.map { StorePlacement.StoreEntities(store: $0.0, entities: $0.1) })
  }

  /// The error that dividing throws.
  private func failure(_ placement: StorePlacement, _ entities: Entity...) -> DepotError? {
    #expect(throws: DepotError.self) { try placement.divide(Schema(entities: entities)) }
  }

  @Test func `each store gets the entities that it names, and one gets the rest`() throws {
    let schema = Schema(
      version: SchemaVersion("1.2.0"),
      entities: [entity("A"), entity("B", to: "C"), entity("C", to: "B", "C"), entity("D")]
    )
    let parts = try placement(("x", ["D"]), ("y", nil), ("z", ["C", "B"])).divide(schema)
    #expect(parts.map { $0.entities.map(\.name) } == [["D"], ["A"], ["B", "C"]])
    #expect(parts.allSatisfy { $0.version == schema.version })
    #expect(parts[2].entities == [schema.entities[1], schema.entities[2]])
  }

  @Test func `an entity that no store names is refused, and so is a name that no entity has`() {
    let divided = placement(("x", ["Order"]), ("y", ["Item"]))
    let missing = failure(divided, entity("Order"), entity("Item"), entity("Tag"))
    #expect(missing?.code == .invalidSchema)
    #expect(missing?.message.contains("Tag") == true)
    let unknown = failure(divided, entity("Order"), entity("Items"))
    #expect(unknown?.code == .invalidSchema)
    #expect(unknown?.hint == "Did you mean \"Items\"?")
    #expect(unknown?.at == "/args/stores/1/entities")
  }

  @Test func `neither a relationship nor a parent leads into another store`() {
    let divided = placement(("x", ["A"]), ("y", nil))
    for error in [
      failure(divided, entity("A", to: "B"), entity("B")),
      failure(divided, entity("A"), entity("B", to: "A")),
      failure(divided, entity("A", parent: "B"), entity("B")),
      failure(divided, entity("A"), entity("B", parent: "A")),
    ] {
      #expect(error?.code == .invalidSchema)
      for word in ["A", "B", " x", " y"] { #expect(error?.message.contains(word) == true) }
    }
  }

  @Test func `a store that holds what another should is found out`() throws {
    let divided = placement(("x", ["A"]), ("y", nil), ("z", ["C"]))
    let schemas = ["A", "B", "C"].map { Schema(entities: [entity($0)]) }
    for (index, schema) in schemas.enumerated() {
      for store in 0..<3 where store != index {
        #expect(throws: DepotError.self) { try divided.check(schema, of: store) }
      }
      try divided.check(schema, of: index)
    }
    let closed = placement(("x", ["A"]))
    #expect(throws: DepotError.self) { try closed.check(schemas[1], of: 0) }
  }
}
