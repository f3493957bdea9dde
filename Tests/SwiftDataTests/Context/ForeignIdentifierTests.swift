import Testing

@testable import SwiftData

/// Identifiers of another container's store, whose rows have the same numbers.
@Suite struct `An identifier of another store` {
  private let fixture: ContextFixture
  private let haven: Haven
  private let ship: Ship
  private let foreign: PersistentIdentifier
  private let foreignShip: Ship
  private let foreignFixture: ContextFixture
  private var context: ModelContext { fixture.context }

  init() throws {
    func fill(_ fixture: ContextFixture, _ name: String) throws -> Ship {
      let ship = Ship(name: name, haven: Haven(name: name))
      fixture.context.insert(ship)
      try fixture.context.save()
      return ship
    }
    fixture = try ContextFixture()
    foreignFixture = try ContextFixture()
    ship = try fill(fixture, "own")
    haven = try #require(ship.haven)
    foreignShip = try fill(foreignFixture, "foreign")
    foreign = foreignShip.persistentModelID
    try #require(foreign.row == ship.persistentModelID.row)
  }

  @Test func `names no object`() throws {
    let other = fixture.other
    let error = #expect(throws: SwiftDataError.self) {
      try other.existingModel(for: foreign, as: Ship.self)
    }
    #expect(error?.code == "notfound.object")
    let stand = try #require(other.model(for: foreign) as? Ship)
    #expect(stand.name.isEmpty)
    let registered: Ship? = other.registeredModel(for: foreign)
    #expect(registered == nil)
  }

  @Test func `matches nothing in predicates`() throws {
    let (foreign, own) = (foreign, ship.persistentModelID)
    func count(_ predicate: Predicate<Ship>) throws -> Int {
      let descriptor = FetchDescriptor(predicate: predicate)
      return try fixture.other.fetchCount(descriptor)
    }
    #expect(try count(#Predicate { $0.persistentModelID == foreign }) == 0)
    #expect(try count(#Predicate { $0.persistentModelID != foreign }) == 1)
    #expect(try count(#Predicate { $0.persistentModelID == own }) == 1)
    let all = [foreign]
    #expect(try count(#Predicate { all.contains($0.persistentModelID) }) == 0)
    let place = try #require(foreignShip.haven?.persistentModelID)
    #expect(try count(#Predicate { $0.haven?.persistentModelID == place }) == 0)
  }

  @Test func `matches nothing among pending changes`() throws {
    ship.length = 20
    let foreign = foreign
    let descriptor = FetchDescriptor<Ship>(
      predicate: #Predicate { $0.persistentModelID == foreign }
    )
    #expect(try context.fetch(descriptor).isEmpty)
    #expect(try context.fetchCount(descriptor) == 0)
  }

  @Test func `can't be what relationships are set to at once`() throws {
    let place = try #require(foreignShip.haven?.persistentModelID)
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.update(Ship.self, set: [.set(\.haven, to: place)])
    }
    #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.insert(model: Ship.self, rows: 1) { _, row in
        row[\.name] = "new"
        row[\.haven] = place
      }
    }
    #expect(try fixture.other.fetch(FetchDescriptor<Ship>()).map(\.haven?.name) == ["own"])
  }
}
