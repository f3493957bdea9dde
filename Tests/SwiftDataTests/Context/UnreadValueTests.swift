import Testing

@testable import SwiftData

/// Values that the program asked for while no service answered, and then changed.
@MainActor @Suite(.serialized) struct `What was changed after it couldn't be read` {
  private let service: LosableService
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    service = try LosableService()
    container = try service.fleetContainer()
    let writer = ModelContext(container)
    let oslo = Haven(name: "Oslo")
    let ida = Ship(name: "Ida", haven: oslo)
    ida.length = 25
    ida.pennants = [Pennant(name: "fast"), Pennant(name: "red")]
    writer.insert(ida)
    writer.insert(Ship(name: "Una", haven: oslo))
    try writer.save()
    context = ModelContext(container)
  }

  /// Something of the context that is wanted while no service answers, when that is back.
  private func lost<Result>(_ body: () -> Result) throws -> Result {
    service.kill()
    let result = body()
    try service.start()
    // What went wrong is told once, to whom that may concern.
    #expect(throws: SwiftDataError.storeFailure) {
      try context.fetchCount(FetchDescriptor<Haven>())
    }
    return result
  }

  private func names<Model: PersistentModel>(
    _ name: KeyPath<Model, String>
  ) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<Model>()).map { $0[keyPath: name] }.sorted()
  }

  @Test func `a list that looked empty keeps what it has`() throws {
    let haven = try #require(context.fetch(FetchDescriptor<Haven>()).first)
    var ships = try lost { haven.ships }
    #expect(ships.isEmpty)
    ships.append(Ship(name: "Eva"))
    haven.ships = ships
    #expect(Set(haven.ships.map(\.name)) == ["Eva", "Ida", "Una"])
    try context.save()
    let other = ModelContext(container)
    let found = try #require(other.fetch(FetchDescriptor<Haven>()).first)
    #expect(found.ships.map(\.name).sorted() == ["Eva", "Ida", "Una"])
  }

  @Test func `a list of many to many keeps what it has`() throws {
    let ship = try #require(
      context.fetch(FetchDescriptor<Ship>(sortBy: [SortDescriptor(\.name)])).first
    )
    let pennants = try lost { ship.pennants }
    ship.pennants = pennants + [Pennant(name: "new")]
    try context.save()
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Ship>(sortBy: [SortDescriptor(\.name)]))[0]
    #expect(found.pennants.map(\.name).sorted() == ["fast", "new", "red"])
  }

  @Test func `a list that was read since is replaced`() throws {
    let haven = try #require(context.fetch(FetchDescriptor<Haven>()).first)
    _ = try lost { haven.ships }
    haven.ships = haven.ships.filter { $0.name == "Una" }
    try context.save()
    let other = ModelContext(container)
    let found = try #require(other.fetch(FetchDescriptor<Haven>()).first)
    #expect(found.ships.map(\.name) == ["Una"])
  }

  @Test func `a value that is made of a stand-in isn't saved`() throws {
    let row = try #require(
      ModelContext(container).fetchIdentifiers(
        FetchDescriptor<Ship>(predicate: #Predicate { $0.name == "Ida" })
      ).first
    )
    let ship = try #require(context.model(for: row) as? Ship)
    let length = try lost { ship.length }
    ship.length = length + 1
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.code == SwiftDataError.storeFailure.code)
    #expect(error?.entity == "Ship")
    #expect(error?.property == "length")
    #expect(context.hasChanges)
    context.refresh(ship, mergeChanges: false)
    ship.length += 1
    try context.save()
    let other = ModelContext(container)
    #expect(try (other.existingModel(for: row) as Ship).length == 26)
  }

  @Test func `an object isn't replaced that looked as if there were none`() throws {
    let ship = try #require(context.fetch(FetchDescriptor<Ship>()).first)
    let haven = try lost { ship.haven }
    if haven == nil { ship.haven = Haven(name: "Rome") }
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    context.rollback()
    #expect(ship.haven?.name == "Oslo")
    try context.save()
    #expect(try names(\Haven.name) == ["Oslo"])
  }

  @Test func `a list that others have entered before is saved`() throws {
    let haven = try #require(context.fetch(FetchDescriptor<Haven>()).first)
    context.insert(Ship(name: "Eva", haven: haven))
    _ = try lost { haven.ships }
    try context.save()
    #expect(try names(\Ship.name) == ["Eva", "Ida", "Una"])
    #expect(haven.ships.count == 3)
  }

  @Test func `a value that was never asked for is saved`() throws {
    let row = try #require(
      ModelContext(container).fetchIdentifiers(
        FetchDescriptor<Ship>(predicate: #Predicate { $0.name == "Una" })
      ).first
    )
    let ship = try #require(context.model(for: row) as? Ship)
    try lost { ship.name = "Eva" }
    try context.save()
    #expect(try names(\Ship.name) == ["Eva", "Ida"])
  }

  @Test func `undoing the change of a value that couldn't be read leaves what is stored`() throws {
    let manager = UndoManager()
    context.undoManager = manager
    let row = try #require(
      ModelContext(container).fetchIdentifiers(
        FetchDescriptor<Ship>(predicate: #Predicate { $0.name == "Ida" })
      ).first
    )
    let ship = try #require(context.model(for: row) as? Ship)
    try lost { ship.length = 1 }
    manager.undo()
    #expect(!context.hasChanges)
    #expect(ship.length == 25)
    manager.redo()
    try context.save()
    #expect(try (ModelContext(container).existingModel(for: row) as Ship).length == 1)
  }
}
