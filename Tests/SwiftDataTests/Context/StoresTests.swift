import Testing

@testable import SwiftData

@Suite struct StoresTests {
  private struct Fixture {
    let container: ModelContainer
    init(allowsSave: Bool = true, url: URL? = nil) throws {
      let second =
        url.map {
          ModelConfiguration(
            "second",
            schema: Schema([Haven.self, Ship.self]),
            url: $0,
            allowsSave: allowsSave
          )
        }
        ?? ModelConfiguration(
          "second",
          schema: Schema([Haven.self, Ship.self]),
          isStoredInMemoryOnly: true
        )
      container = try ModelContainer(
        for: Schema([Gadget.self, Haven.self, Ship.self]),
        configurations: [
          ModelConfiguration("first", schema: Schema([Gadget.self]), isStoredInMemoryOnly: true),
          second,
        ]
      )
    }
  }

  @Test func `objects go to the stores of their classes`() throws {
    let fixture = try Fixture()
    let context = ModelContext(fixture.container)
    context.insert(Gadget(name: "Bolt"))
    context.insert(Haven(name: "Oslo"))
    try context.save()
    let other = ModelContext(fixture.container)
    let gadget = try #require(try other.fetch(FetchDescriptor<Gadget>()).first)
    let haven = try #require(try other.fetch(FetchDescriptor<Haven>()).first)
    #expect(
      gadget.persistentModelID.storeIdentifier != haven.persistentModelID.storeIdentifier
    )
  }

  @Test func `a later store that fails leaves what the earlier ones have saved`() throws {
    let fixture = try Fixture()
    let context = ModelContext(fixture.container)
    context.mergePolicy = .error
    let haven = Haven(name: "Oslo")
    context.insert(haven)
    try context.save()
    let other = ModelContext(fixture.container)
    try #require(try other.fetch(FetchDescriptor<Haven>()).first).name = "Bergen"
    try other.save()
    haven.name = "Tromsø"
    let gadget = Gadget(name: "Bolt")
    context.insert(gadget)
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(!gadget.hasChanges)
    #expect(haven.hasChanges)
    #expect(context.insertedModelsArray.isEmpty)
    #expect(try other.fetchCount(FetchDescriptor<Gadget>()) == 1)
    context.mergePolicy = .mergeByPropertyStoreTrump
    try context.save()
    #expect(haven.name == "Bergen")
  }

  @Test func `what was only read in another store can be required to be unchanged`() throws {
    let fixture = try Fixture()
    let context = ModelContext(fixture.container)
    let haven = Haven(name: "Oslo")
    context.insert(haven)
    try context.save()
    context.detectConflicts(for: haven)
    let other = ModelContext(fixture.container)
    try #require(try other.fetch(FetchDescriptor<Haven>()).first).name = "Bergen"
    try other.save()
    context.insert(Gadget(name: "Bolt"))
    let error = #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    #expect(error?.code == "conflict.read")
    #expect(try other.fetchCount(FetchDescriptor<Gadget>()) == 0)
    context.refresh(haven)
    try context.save()
    #expect(try other.fetchCount(FetchDescriptor<Gadget>()) == 1)
  }

  @Test func `classes that the container doesn't know are refused`() throws {
    let fixture = try Fixture()
    let context = ModelContext(fixture.container)
    context.insert(Keep(name: "x"))
    let error = #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
    #expect(error?.entity == "Keep")
    #expect(throws: SwiftDataError.unknownSchema) { try context.fetch(FetchDescriptor<Keep>()) }
  }

  @Test func `an object of another context is refused`() throws {
    let fixture = try Fixture()
    let context = ModelContext(fixture.container)
    let gadget = Gadget(name: "Bolt")
    context.insert(gadget)
    let other = ModelContext(fixture.container)
    other.insert(gadget)
    #expect(throws: SwiftDataError.modelValidationFailure) { try other.save() }
    #expect(gadget.modelContext === context)
    try other.save()
  }
}

@Model final class Keep {
  var name: String
  init(name: String) { self.name = name }
}
