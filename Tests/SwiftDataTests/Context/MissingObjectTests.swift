import Testing

@testable import SwiftData

@Suite struct `Objects that aren't there` {
  @Test func `an object whose row is gone has its last values`() throws {
    let fixture = try ContextFixture()
    let gadget = Gadget(name: "Bolt", count: 3, note: "small")
    fixture.context.insert(gadget)
    try fixture.context.save()
    let identifier = gadget.persistentModelID
    fixture.context.delete(gadget)
    try fixture.context.save()

    let context = fixture.other
    let missing = try #require(context.model(for: identifier) as? Gadget)
    #expect(missing.name == "Bolt")
    #expect(missing.count == 3)
    #expect(missing.note == "small")
    #expect(missing.modelContext == nil)
    let error = #expect(throws: SwiftDataError.storeFailure) {
      try context.existingModel(for: identifier, as: Gadget.self)
    }
    #expect(error?.code == "notfound.object")
    #expect(error?.entity == "Gadget")
  }

  @Test func `an object whose row was never there has its default values`() throws {
    let fixture = try ContextFixture()
    let gadget = Gadget(name: "Bolt", count: 3, note: "small")
    fixture.context.insert(gadget)
    try fixture.context.save()
    let entity = gadget.persistentModelID.entity
    let missing = try #require(
      fixture.other.model(for: PersistentIdentifier(entity, .row(4_711))) as? Gadget
    )
    #expect(missing.name.isEmpty)
    #expect(missing.count == 0)
    #expect(missing.note == nil)
    #expect(missing.modelContext == nil)
  }

  @Test func `an object that was never saved is unknown to other contexts`() throws {
    let fixture = try ContextFixture()
    let gadget = Gadget(name: "Bolt")
    fixture.context.insert(gadget)
    let context = fixture.other
    let missing = try #require(context.model(for: gadget.persistentModelID) as? Gadget)
    #expect(missing !== gadget)
    #expect(missing.name.isEmpty)
    let known: Gadget? = context.registeredModel(for: gadget.persistentModelID)
    #expect(known == nil)
  }
}
