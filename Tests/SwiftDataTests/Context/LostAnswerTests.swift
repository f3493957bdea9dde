import TestSupport
import Testing

@testable import SwiftData

/// Saves of which nobody knows at first whether they were made.
@Suite(.serialized) struct `A save whose answer is lost` {
  private let service: LosableService
  private let container: ModelContainer
  private let context: ModelContext
  private let ida: Ship
  private let una: Ship

  init() throws {
    service = try LosableService()
    container = try service.fleetContainer()
    context = ModelContext(container)
    ida = Ship(name: "Ida", haven: Haven(name: "Oslo"))
    una = Ship(name: "Una")
    ida.pennants = [Pennant(name: "fast")]
    context.insert(ida)
    context.insert(una)
    try context.save()
  }

  private var oslo: Haven { get throws { try #require(ida.haven) } }

  /// Saves, so that the service does it and nobody is told.
  private func loseSave() throws {
    service.loseAnswers()
    let error = #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    #expect(error?.code == "unavailable.disconnected")
    #expect(error?.serviceError?.effect == .unknown)
    #expect(error?.hint != nil)
    service.kill()
    try service.start()
  }

  private func stored<Model: PersistentModel>(_: Model.Type) throws -> [Model] {
    try ModelContext(container).fetch(FetchDescriptor<Model>())
  }

  @Test func `it is made once`() throws {
    let eva = Ship(name: "Eva", haven: try oslo)
    context.insert(eva)
    ida.length = 30
    context.delete(una)
    try loseSave()
    #expect(context.hasChanges)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try stored(Ship.self).map(\.name).sorted() == ["Eva", "Ida"])
    #expect(eva.persistentModelID.storeIdentifier != nil)
    #expect(una.modelContext == nil)
    eva.length = 7
    ida.length = 31
    try context.save()
    #expect(Set(try stored(Ship.self).map(\.length)) == [7, 31])
  }

  @Test func `what is edited after it is saved too`() throws {
    let eva = Ship(name: "Eva")
    let doomed = Ship(name: "Doomed")
    context.insert(eva)
    context.insert(doomed)
    ida.length = 30
    ida.pennants.append(Pennant(name: "red"))
    context.delete(una)
    try loseSave()
    eva.length = 5
    eva.haven = try oslo
    ida.name = "Ida II"
    ida.pennants.removeAll { $0.name == "fast" }
    context.delete(doomed)
    context.insert(Ship(name: "Late"))
    context.insert(una)
    try context.save()
    #expect(!context.hasChanges)
    let other = ModelContext(container)
    let ships = try other.fetch(FetchDescriptor<Ship>())
    #expect(ships.map(\.name).sorted() == ["Eva", "Ida II", "Late", "Una"])
    #expect(ships.first { $0.name == "Eva" }?.length == 5)
    #expect(ships.first { $0.name == "Eva" }?.haven?.name == "Oslo")
    #expect(ships.first { $0.name == "Ida II" }?.length == 30)
    #expect(ships.first { $0.name == "Ida II" }?.pennants.map(\.name) == ["red"])
    #expect(try oslo.ships.map(\.name).sorted() == ["Eva", "Ida II"])
  }

  @Test func `a fetch settles it first`() throws {
    context.insert(Ship(name: "Eva", haven: try oslo))
    try loseSave()
    #expect(try context.fetchCount(FetchDescriptor<Ship>()) == 3)
    #expect(!context.hasChanges)
    #expect(try oslo.ships.count == 2)
  }

  @Test func `it is settled before what others save is merged`() throws {
    context.automaticallyMergesChanges = true
    _ = try context.fetch(FetchDescriptor<Haven>())
    let eva = Ship(name: "Eva", haven: try oslo)
    context.insert(eva)
    try loseSave()
    let other = ModelContext(container)
    let haven = try #require(other.fetch(FetchDescriptor<Haven>()).first)
    haven.name = "Moss"
    try other.save()
    try expectSoon {
      context.processPendingChanges()
      return try oslo.name == "Moss"
    }
    #expect(try oslo.ships.count == 2)
    #expect(try oslo.ships.contains { $0 === eva })
    #expect(eva.persistentModelID.storeIdentifier != nil)
  }

  @Test func `a rollback gives it up`() throws {
    ida.length = 30
    context.insert(Ship(name: "Eva"))
    try loseSave()
    context.rollback()
    #expect(!context.hasChanges)
    #expect(ida.length == 10)
    context.insert(Ship(name: "Late"))
    try context.save()
    #expect(try stored(Ship.self).map(\.name).sorted() == ["Eva", "Ida", "Late", "Una"])
  }

  @Test func `one that the store refuses after all leaves its changes pending`() throws {
    context.mergePolicy = .error
    ida.length = 30
    service.kill()
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    try service.start()
    let other = ModelContext(container)
    let theirs = try #require(
      other.fetch(FetchDescriptor<Ship>(predicate: #Predicate { $0.name == "Ida" })).first
    )
    theirs.length = 20
    try other.save()
    #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    #expect(context.hasChanges)
    context.mergePolicy = .overwrite
    try context.save()
    #expect(try stored(Ship.self).first { $0.name == "Ida" }?.length == 30)
  }
}
