import Testing

@testable import SwiftData

@Suite struct `The stores of a context` {
  private let container: ModelContainer
  private let stores: ContextStores

  init() throws {
    container = try ModelContainer(
      for: Schema([Gadget.self, Haven.self, Ship.self]),
      configurations: [
        ModelConfiguration("first", schema: Schema([Gadget.self]), isStoredInMemoryOnly: true),
        ModelConfiguration(
          "second",
          schema: Schema([Haven.self, Ship.self]),
          isStoredInMemoryOnly: true,
          allowsSave: false
        ),
      ]
    )
    stores = ContextStores(container.core)
  }

  @Test func `are found by the entities that they keep`() throws {
    let gadgets = try stores.store(of: EntityDescription.of(Gadget.self))
    let ships = try stores.store(of: EntityDescription.of(Ship.self))
    #expect(gadgets === stores.all[0] && ships === stores.all[1])
    #expect(stores.identifiers == [gadgets.identifier, ships.identifier])
    #expect(!stores.isInDoubt)
  }

  @Test func `know no class that the container lacks`() {
    #expect(stores.knows(EntityDescription.of(Ship.self)))
    let plane = EntityDescription.of(Mare.self)
    #expect(!stores.knows(plane))
    #expect(throws: SwiftDataError.unknownSchema) { try stores.store(of: plane) }
  }

  @Test func `are written to only where they allow it`() throws {
    let gadgets = try stores.writableStore(of: EntityDescription.of(Gadget.self))
    #expect(gadgets === stores.all[0])
    #expect(throws: SwiftDataError.storeFailure) {
      try stores.writableStore(of: EntityDescription.of(Ship.self))
    }
  }
}
