import Testing

@testable import SwiftData

@Suite struct DeleteTests {
  @Test func `a deleted object stays readable`() throws {
    let fixture = try ContextFixture()
    let context = fixture.context
    let gadget = Gadget(name: "Bolt", count: 3)
    context.insert(gadget)
    try context.save()
    context.delete(gadget)
    #expect(gadget.isDeleted)
    #expect(context.deletedModelsArray.count == 1)
    #expect(gadget.modelContext === context)
    try context.save()
    #expect(!gadget.isDeleted)
    #expect(gadget.modelContext == nil)
    #expect(context.deletedModelsArray.isEmpty)
    #expect(gadget.count == 3)
    #expect(try fixture.other.saved(Gadget.self).isEmpty)
  }

  @Test func `an object that nobody read is readable after its deletion`() throws {
    let fixture = try ContextFixture()
    let gadget = Gadget(name: "Bolt", count: 3)
    fixture.context.insert(gadget)
    try fixture.context.save()
    let other = fixture.other
    let model = try #require(other.model(for: gadget.persistentModelID) as? Gadget)
    other.delete(model)
    try other.save()
    #expect(model.name == "Bolt")
    #expect(try fixture.other.saved(Gadget.self).isEmpty)
  }

  @Test func `an object that was read in part is whole when it is inserted after its deletion`()
    throws
  {
    let fixture = try ContextFixture()
    fixture.context.insert(Gadget(name: "Bolt", count: 3))
    try fixture.context.save()
    let other = fixture.other
    var descriptor = FetchDescriptor<Gadget>()
    descriptor.propertiesToFetch = [\.name]
    let gadget = try #require(try other.fetch(descriptor).first)
    other.delete(gadget)
    try other.save()
    #expect(gadget.count == 3)
    other.insert(gadget)
    try other.save()
    #expect(try fixture.other.saved(Gadget.self).map(\.count) == [3])
  }

  @Test func `deleting cascades, nullifies, and denies`() throws {
    let fixture = try ContextFixture()
    let haven = Haven(name: "Oslo")
    haven.ships = [Ship(name: "Ida"), Ship(name: "Una")]
    let pennant = Pennant(name: "fast")
    pennant.ships = haven.ships
    haven.jetties = [Jetty(name: "A")]
    fixture.context.insert(haven)
    try fixture.context.save()

    let context = fixture.other
    let copy = try #require(try context.saved(Haven.self).first)
    let samePennant = try #require(try context.saved(Pennant.self).first)
    #expect(samePennant.ships.count == 2)
    context.delete(copy)
    context.processPendingChanges()
    #expect(context.deletedModelsArray.count == 3)
    #expect(samePennant.ships.isEmpty)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.entity == "Haven")
    #expect(error?.property == "jetties")
    for jetty in try context.saved(Jetty.self) { jetty.haven = nil }
    try context.save()
    let last = fixture.other
    #expect(try last.saved(Ship.self).isEmpty)
    #expect(try last.saved(Haven.self).isEmpty)
    #expect(try last.saved(Pennant.self).first?.ships.isEmpty == true)
    #expect(try last.saved(Jetty.self).first?.haven == nil)
  }

  @Test func `a deletion is taken back by rollback`() throws {
    let fixture = try ContextFixture()
    let context = fixture.context
    let haven = Haven(name: "Oslo")
    haven.ships = [Ship(name: "Ida")]
    context.insert(haven)
    try context.save()
    let ship = haven.ships[0]
    ship.name = "Una"
    context.delete(ship)
    context.processPendingChanges()
    #expect(haven.ships.isEmpty)
    context.insert(Ship(name: "New"))
    context.rollback()
    #expect(!context.hasChanges)
    #expect(haven.ships.first === ship)
    #expect(ship.name == "Ida")
    #expect(!ship.isDeleted)
    #expect(ship.haven === haven)
    try context.save()
    #expect(try fixture.other.saved(Ship.self).count == 1)
  }

  @Test func `an object that was never saved is forgotten when it is deleted`() throws {
    let fixture = try ContextFixture()
    let context = fixture.context
    let haven = Haven(name: "Oslo")
    context.insert(haven)
    let ship = Ship(name: "Ida", haven: haven)
    context.insert(ship)
    #expect(haven.ships.count == 1)
    context.delete(ship)
    #expect(ship.isDeleted)
    #expect(context.deletedModelsArray.isEmpty)
    try context.save()
    #expect(haven.ships.isEmpty)
    #expect(ship.name == "Ida")
    #expect(try fixture.other.saved(Ship.self).isEmpty)
  }

  @Test func `rules are checked before anything is sent`() throws {
    let fixture = try ContextFixture()
    let shipyard = Shipyard(name: "Colin")
    shipyard.laurels = [1, 2, 3].map { Laurel(year: $0) }
    fixture.context.insert(shipyard)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) {
      try fixture.context.save()
    }
    #expect(error?.entity == "Shipyard")
    #expect(error?.property == "laurels")
    shipyard.laurels.removeLast()
    try fixture.context.save()
    #expect(try fixture.other.saved(Shipyard.self).first?.laurels.map(\.year) == [1, 2])
  }

  @Test func `a transaction that fails changes nothing`() throws {
    struct Failure: Error {}
    let fixture = try ContextFixture()
    let context = fixture.context
    let gadget = Gadget(name: "Bolt", count: 1)
    context.insert(gadget)
    #expect(throws: Failure.self) {
      try context.transaction {
        gadget.count = 2
        context.insert(Gadget(name: "Nut"))
        throw Failure()
      }
    }
    #expect(gadget.count == 1)
    #expect(!context.hasChanges)
    try context.transaction { gadget.count = 3 }
    #expect(try fixture.other.saved(Gadget.self).map(\.count) == [3])
  }
}
