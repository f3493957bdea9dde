import Testing

@testable import SwiftData

/// Relationships between objects of different contexts.
@Suite struct `Objects of different contexts` {
  private let fixture: ContextFixture
  private let own: Ship
  private let foreign: Haven
  private let foreignContext: ModelContext
  private var context: ModelContext { fixture.context }

  init() throws {
    fixture = try ContextFixture()
    foreignContext = fixture.other
    let oslo = Haven(name: "Oslo")
    foreignContext.insert(oslo)
    try foreignContext.save()
    foreign = oslo
    own = Ship(name: "Ida")
    fixture.context.insert(own)
  }

  @Test func `aren't linked by to-one relationships`() throws {
    own.haven = foreign
    #expect(own.haven == nil)
    #expect(foreign.ships.isEmpty)
    #expect(!foreignContext.hasChanges)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.entity == "Ship")
    try context.save()
  }

  @Test func `aren't linked by lists`() throws {
    foreign.ships = [own, Ship(name: "Una")]
    #expect(foreign.ships.map(\.name) == ["Una"])
    foreign.ships.append(own)
    #expect(foreign.ships.map(\.name) == ["Una"])
    #expect(own.haven == nil)
    #expect(throws: SwiftDataError.modelValidationFailure) { try foreignContext.save() }
    try foreignContext.save()
    #expect(try fixture.other.fetch(FetchDescriptor<Haven>())[0].ships.map(\.name) == ["Una"])
  }

  @Test func `aren't linked by an initializer`() throws {
    let pennant = Pennant(name: "red")
    context.insert(pennant)
    let ship = Ship(name: "Eva", haven: foreign)
    #expect(ship.modelContext === foreignContext)
    ship.pennants = [pennant]
    #expect(ship.pennants.isEmpty)
    #expect(throws: SwiftDataError.modelValidationFailure) { try foreignContext.save() }
  }
}
