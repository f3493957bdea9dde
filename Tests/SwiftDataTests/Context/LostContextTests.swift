import Testing

@testable import SwiftData

/// Objects that a function returns after fetching them through a context of its own.
@Suite struct `Objects that outlive their context` {
  private let fixture: ContextFixture

  init() throws {
    fixture = try ContextFixture()
    let haven = Haven(name: "Oslo")
    fixture.context.insert(haven)
    let pennant = Pennant(name: "Red")
    for name in ["Ida", "Una"] {
      let ship = Ship(name: name, haven: haven)
      ship.pennants = [pennant]
      ship.licence = Licence(number: name == "Ida" ? 1 : 2)
    }
    haven.jetties = [Jetty(name: "North")]
    try fixture.context.save()
  }

  private func ships(_ names: [PartialKeyPath<Ship>] = []) throws -> [Ship] {
    var descriptor = FetchDescriptor<Ship>(sortBy: [SortDescriptor(\.name)])
    descriptor.propertiesToFetch = names
    return try ModelContext(fixture.container).fetch(descriptor)
  }

  @Test func `read what they lead to`() throws {
    let ships = try ships()
    #expect(ships.map(\.modelContext) == [nil, nil])
    #expect(ships.map(\.haven?.name) == ["Oslo", "Oslo"])
    #expect(ships.map(\.licence?.number) == [1, 2])
    #expect(ships[0].pennants.map(\.name) == ["Red"])
    #expect(ships[0].haven?.jetties.map(\.name) == ["North"])
    #expect(ships[0].modelContext == nil)
    #expect(!ships[0].hasChanges)
  }

  @Test func `are still the same for each other`() throws {
    let ships = try ships()
    let haven = try #require(ships[0].haven)
    #expect(ships[1].haven === haven)
    #expect(haven.ships.count == 2)
    #expect(haven.ships.allSatisfy { ship in ships.contains { $0 === ship } })
    #expect(ships[0].pennants.first === ships[1].pennants.first)
  }

  @Test func `read values that weren't fetched`() throws {
    let ships = try ships([\Ship.length])
    #expect(ships.map(\.name) == ["Ida", "Una"])
    let id = ships[0].persistentModelID
    let ship = ModelContext(fixture.container).model(for: id) as? Ship
    #expect(ship?.name == "Ida")
  }

  @Test func `may outlive each other`() throws {
    var ships = try ships()
    var haven = ships[0].haven
    ships = []
    #expect(haven?.ships.map(\.name).sorted() == ["Ida", "Una"])
    let ship = try #require(haven?.ships.first)
    haven = nil
    #expect(ship.haven?.jetties.count == 1)
    #expect(ship.licence?.ship === ship)
  }

  @Test func `are let go when nobody has them any more`() throws {
    weak var ship: Ship?
    weak var haven: Haven?
    do {
      let ships = try ships()
      ships[0].name = "Eva"
      #expect(ships[0].haven?.ships.count == 2)
      (ship, haven) = (ships[1], ships[1].haven)
      #expect(ship?.licence?.number == 2)
    }
    #expect(ship == nil)
    #expect(haven == nil)
  }

  @Test func `have placeholders where the container is gone too`() throws {
    func orphan() throws -> Ship {
      let fixture = try ContextFixture()
      fixture.context.insert(Ship(name: "Ida", haven: Haven(name: "Oslo")))
      try fixture.context.save()
      return try #require(ModelContext(fixture.container).fetch(FetchDescriptor<Ship>()).first)
    }
    let ship = try orphan()
    #expect(ship.name == "Ida")
    #expect(ship.haven == nil)
  }
}
