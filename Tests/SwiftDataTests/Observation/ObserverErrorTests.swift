import TestSupport
import Testing

@testable import SwiftData

/// Errors that belong to the program, while observers fetch in its context.
@MainActor @Suite(.serialized) struct `Errors of a context that is observed` {
  @Test func `a save tells of changes that can't be made`() async throws {
    let fixture = try ContextFixture()
    let context = fixture.container.mainContext
    context.autosaveEnabled = false
    let results = try ResultsObserver<Gadget, Never>(
      fetchDescriptor: FetchDescriptor(),
      modelContext: context
    )
    let foreign = Gadget(name: "foreign")
    fixture.context.insert(foreign)
    context.insert(foreign)
    context.insert(Gadget(name: "own"))
    try await expectSoon { results.results.map(\.name) == ["own"] }
    #expect(results.fetchError == nil)
    // A fetch isn't the place to tell of it either.
    #expect(try context.fetchCount(FetchDescriptor<Gadget>()) == 1)
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    try context.save()
    #expect(try fixture.other.fetch(FetchDescriptor<Gadget>()).map(\.name) == ["own"])
  }

  @Test func `delete rules are applied again where something couldn't be read`() throws {
    let service = try LosableService()
    let container = try service.fleetContainer()
    let writer = ModelContext(container)
    writer.insert(Ship(name: "Ida", haven: Haven(name: "Oslo")))
    try writer.save()
    let context = ModelContext(container)
    let results = try ResultsObserver<Haven, Never>(
      fetchDescriptor: FetchDescriptor(),
      modelContext: context,
      isolation: nil
    )
    let haven = try #require(results.results.first)
    let ship: Ship = try #require(context.fetch(FetchDescriptor<Ship>()).first)
    service.kill()
    context.delete(haven)
    context.processPendingChanges()
    #expect(!ship.isDeleted)
    try service.start()
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    #expect(haven.isDeleted)
    try context.save()
    #expect(ship.modelContext == nil)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ship>()) == 0)
  }
}
