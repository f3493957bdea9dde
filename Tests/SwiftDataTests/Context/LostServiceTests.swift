import TestSupport
import Testing

@testable import SwiftData

/// What a context does while the service of its store is away, and when that is back.
@MainActor @Suite(.serialized) struct `A context whose service is killed` {
  private let service: LosableService
  private let container: ModelContainer
  private let context: ModelContext
  private let oslo: Haven
  private let ida: Ship
  private let una: Ship

  init() throws {
    service = try LosableService()
    container = try Self.container(service)
    context = container.mainContext
    context.autosaveEnabled = false
    oslo = Haven(name: "Oslo")
    ida = Ship(name: "Ida", haven: oslo)
    una = Ship(name: "Una", haven: oslo)
    ida.pennants = [Pennant(name: "fast"), Pennant(name: "red")]
    context.insert(oslo)
    try context.save()
  }

  private static func container(_ service: LosableService) throws -> ModelContainer {
    try service.fleetContainer()
  }

  /// The names of all ships that are stored.
  private func stored() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Ship>()).map(\.name).sorted()
  }

  @Test func `edits that aren't saved outlive the service and are saved once`() throws {
    context.insert(Ship(name: "Eva", haven: oslo))
    ida.length = 30
    context.delete(una)
    service.kill()
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    #expect(throws: SwiftDataError.storeFailure) { try context.fetch(FetchDescriptor<Ship>()) }
    #expect(throws: SwiftDataError.storeFailure) {
      try context.fetchCount(FetchDescriptor<Haven>())
    }
    #expect(context.insertedModelsArray.count == 1)
    #expect(context.changedModelsArray.contains { $0 === ida })
    #expect(context.deletedModelsArray.contains { $0 === una })
    #expect(ida.length == 30)
    try service.start()
    try context.save()
    #expect(!context.hasChanges)
    #expect(try stored() == ["Eva", "Ida"])
    let found = try ModelContext(container).fetch(FetchDescriptor<Ship>())
    #expect(found.first { $0.name == "Ida" }?.length == 30)
  }

  @Test func `what isn't read yet has placeholders until the service is back`() throws {
    let other = ModelContext(container)
    let ship = try #require(other.model(for: ida.persistentModelID) as? Ship)
    let haven = try #require(other.fetch(FetchDescriptor<Haven>()).first)
    service.kill()
    #expect(ship.name.isEmpty)
    #expect(ship.haven == nil)
    #expect(haven.ships.isEmpty)
    #expect(haven.name == "Oslo")
    #expect(ship.modelContext === other)
    #expect(throws: SwiftDataError.storeFailure) {
      try other.existingModel(for: una.persistentModelID, as: Ship.self)
    }
    try service.start()
    #expect(ship.name == "Ida")
    #expect(ship.haven === haven)
    #expect(haven.ships.count == 2)
    // What was asked for in vain is told once.
    #expect(throws: SwiftDataError.storeFailure) { try other.fetchCount(FetchDescriptor<Ship>()) }
    #expect(try other.fetchCount(FetchDescriptor<Ship>()) == 2)
  }

  @Test func `objects that can't be read anew stay what they are`() throws {
    ida.length = 30
    service.kill()
    context.refresh(ida)
    context.refresh(una)
    context.refreshAllObjects()
    #expect(ida.modelContext === context)
    #expect(una.modelContext === context)
    #expect(ida.length == 30)
    #expect(una.name == "Una")
    #expect(context.changedModelsArray.contains { $0 === ida })
    try service.start()
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    try context.save()
    let found = try ModelContext(container).fetch(FetchDescriptor<Ship>())
    #expect(found.first { $0.name == "Ida" }?.length == 30)
  }

  @Test func `what is added to a list that can't be read replaces nothing`() throws {
    let other = ModelContext(container)
    let ship = try #require(other.model(for: ida.persistentModelID) as? Ship)
    service.kill()
    ship.pennants.append(Pennant(name: "new"))
    try service.start()
    #expect(throws: SwiftDataError.storeFailure) { try other.save() }
    try other.save()
    let third = ModelContext(container)
    let found = try third.fetch(FetchDescriptor<Pennant>())
    #expect(Set(found.map(\.name)) == ["fast", "red", "new"])
    #expect(found.allSatisfy { $0.ships.map(\.name) == ["Ida"] })
  }

  @Test func `a deletion takes along what can't be read before the service is back`() throws {
    let other = ModelContext(container)
    let haven = try #require(other.fetch(FetchDescriptor<Haven>()).first)
    service.kill()
    other.delete(haven)
    #expect(throws: SwiftDataError.storeFailure) { try other.save() }
    try service.start()
    try other.save()
    #expect(try stored() == [])
  }

  @Test func `observers miss nothing`() async throws {
    let results = try ResultsObserver<Ship, Never>(
      filterBy: #Predicate { $0.length > 10 },
      sortBy: [SortDescriptor(\.length)],
      modelContext: context
    )
    let other = ModelContext(try Self.container(service))
    let ships = try other.fetch(FetchDescriptor<Ship>(sortBy: [SortDescriptor(\.name)]))
    ships[0].length = 20
    try other.save()
    try await expectSoon { results.results.map(\.name) == ["Ida"] }
    service.kill()
    ships[1].length = 30
    #expect(throws: SwiftDataError.self) { try other.save() }
    try service.start()
    try other.save()
    try await expectSoon { results.results.map(\.name) == ["Ida", "Una"] }
    service.kill()
    try service.start()
    ships[0].length = 40
    try other.save()
    try await expectSoon { results.results.map(\.name) == ["Una", "Ida"] }
    #expect(ida.length == 40)
    #expect(results.fetchError == nil)
  }
}
