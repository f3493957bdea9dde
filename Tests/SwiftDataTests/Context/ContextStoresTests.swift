import Testing

@testable import SwiftData

@Suite struct `The stores of a context` {
  private let folder: TemporaryFolder
  private let container: ModelContainer
  private let stores: ContextStores

  init() throws {
    folder = try TemporaryFolder()
    let (url, ships) = (try folder.store(), Schema([Haven.self, Ship.self]))
    // A store has to be made before it is only read.
    _ = try ModelContainer(for: ships, configurations: ModelConfiguration(url: url))
    container = try ModelContainer(
      for: Schema([Gadget.self, Haven.self, Ship.self]),
      configurations: [
        ModelConfiguration("first", schema: Schema([Gadget.self]), isStoredInMemoryOnly: true),
        ModelConfiguration("second", schema: ships, url: url, allowsSave: false),
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
