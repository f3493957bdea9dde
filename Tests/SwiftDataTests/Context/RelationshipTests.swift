import Testing

@testable import SwiftData

@Suite struct RelationshipTests {
  @Test func `both sides agree at once, without a context`() {
    let haven = Haven(name: "Oslo")
    let other = Haven(name: "Bergen")
    let ship = Ship(name: "Ida")
    ship.haven = haven
    #expect(haven.ships.map(\.name) == ["Ida"])
    other.ships.append(ship)
    #expect(ship.haven === other)
    #expect(haven.ships.isEmpty)
    other.ships = []
    #expect(ship.haven == nil)

    let pennant = Pennant(name: "fast")
    ship.pennants.append(pennant)
    #expect(pennant.ships.first === ship)
    pennant.ships.removeAll()
    #expect(ship.pennants.isEmpty)

    let licence = Licence(number: 1)
    licence.ship = ship
    #expect(ship.licence === licence)
    let next = Ship(name: "Una")
    next.licence = licence
    #expect(licence.ship === next)
    #expect(ship.licence == nil)
  }

  @Test func `both sides agree at once in a context`() throws {
    let fixture = try ContextFixture()
    let context = fixture.context
    let haven = Haven(name: "Oslo")
    context.insert(haven)
    let ship = Ship(name: "Ida")
    haven.ships.append(ship)
    #expect(ship.modelContext === context)
    #expect(ship.haven === haven)
    try context.save()
    #expect(ship.haven === haven)
    let other = Haven(name: "Bergen")
    ship.haven = other
    #expect(other.modelContext === context)
    #expect(haven.ships.isEmpty)
    #expect(other.ships.first === ship)
    try context.save()

    let second = fixture.other
    let found = try second.saved(Ship.self)
    #expect(found.first?.haven?.name == "Bergen")
    #expect(found.first?.haven?.ships.map(\.name) == ["Ida"])
    let havens = try second.saved(Haven.self)
    #expect(havens.first { $0.name == "Oslo" }?.ships.isEmpty == true)
  }

  @Test func `inserting an object inserts what it leads to`() throws {
    let fixture = try ContextFixture()
    let ship = Ship(name: "Ida", haven: Haven(name: "Oslo"))
    ship.pennants = [Pennant(name: "fast"), Pennant(name: "old")]
    ship.licence = Licence(number: 4)
    ship.shipyard = Shipyard(name: "Colin")
    fixture.context.insert(ship)
    #expect(fixture.context.insertedModelsArray.count == 6)
    try fixture.context.save()

    let copy = try #require(try fixture.other.saved(Ship.self).first)
    #expect(copy.haven?.name == "Oslo")
    #expect(copy.pennants.map(\.name).sorted() == ["fast", "old"])
    #expect(copy.pennants.first?.ships.first === copy)
    #expect(copy.licence?.number == 4)
    #expect(copy.licence?.ship === copy)
    #expect(copy.shipyard?.name == "Colin")
  }

  @Test func `the other side sees what a relationship that isn't loaded became`() throws {
    let fixture = try ContextFixture()
    let haven = Haven(name: "Oslo")
    for index in 0..<3 { haven.ships.append(Ship(name: "B\(index)")) }
    fixture.context.insert(haven)
    try fixture.context.save()

    let context = fixture.other
    let ships = try context.saved(Ship.self)
    let oslo = try #require(try context.saved(Haven.self).first)
    ships[0].haven = nil
    let new = Ship(name: "New")
    new.haven = oslo
    #expect(oslo.ships.map(\.name) == ["B1", "B2", "New"])
    context.rollback()
    #expect(oslo.ships.map(\.name) == ["B0", "B1", "B2"])
  }

  @Test func `many-to-many relationships are saved from both sides`() throws {
    let fixture = try ContextFixture()
    let context = fixture.context
    let ships = (0..<3).map { Ship(name: "B\($0)") }
    let pennants = (0..<3).map { Pennant(name: "T\($0)") }
    context.insert(contentsOf: ships)
    context.insert(contentsOf: pennants)
    ships[0].pennants = pennants
    try context.save()

    let second = fixture.other
    let first = try #require(try second.saved(Pennant.self).first)
    #expect(first.ships.map(\.name) == ["B0"])
    first.ships = try second.saved(Ship.self).filter { $0.name != "B0" }
    try second.save()

    let third = fixture.other
    let links = try third.saved(Ship.self).map { ship in
      "\(ship.name): \(ship.pennants.map(\.name).sorted().joined(separator: " "))"
    }
    #expect(links == ["B0: T1 T2", "B1: T0", "B2: T0"])
  }

  @Test func `one-to-one relationships move`() throws {
    let fixture = try ContextFixture()
    let context = fixture.context
    let (first, second) = (Ship(name: "A"), Ship(name: "B"))
    context.insert(first)
    context.insert(second)
    first.licence = Licence(number: 1)
    second.licence = Licence(number: 2)
    try context.save()
    (first.licence, second.licence) = (second.licence, first.licence)
    try context.save()
    let other = fixture.other
    let ships = try other.saved(Ship.self)
    #expect(ships.map { $0.licence?.number ?? 0 } == [2, 1])
    // From the other side, where the ship isn't loaded.
    let licences = try fixture.other.saved(Licence.self)
    licences[0].ship = nil
    try licences[0].modelContext?.save()
    let last = try fixture.other.saved(Ship.self)
    #expect(last.map { $0.licence?.number ?? 0 } == [2, 0])
  }

  @Test func `objects of subclasses are read as what they are`() throws {
    let fixture = try ContextFixture()
    let groom = Groom(name: "Kim")
    groom.beasts = [Beast(name: "Rex"), Mare(name: "Sleipner", height: 170)]
    fixture.context.insert(groom)
    try fixture.context.save()
    let context = fixture.other
    let beasts = try context.saved(Beast.self)
    #expect(beasts.map(\.name) == ["Rex", "Sleipner"])
    #expect((beasts.last as? Mare)?.height == 170)
    #expect(beasts.last?.groom?.name == "Kim")
    #expect(try context.saved(Mare.self).first === beasts.last)
    let other = fixture.other
    let again = try #require(try other.saved(Groom.self).first)
    #expect(again.beasts.map(\.name).sorted() == ["Rex", "Sleipner"])
    #expect(again.beasts.contains { $0 is Mare })
    (again.beasts.first { $0 is Mare } as? Mare)?.height = 171
    try other.save()
    #expect(try fixture.other.saved(Mare.self).first?.height == 171)
  }

  @Test func `what many objects lead to is read together`() throws {
    let fixture = try ContextFixture()
    for index in 0..<250 {
      fixture.context.insert(Ship(name: "B\(index)", haven: Haven(name: "H\(index)")))
    }
    try fixture.context.save()
    let context = fixture.other
    let ships = try context.saved(Ship.self)
    #expect(ships.map { $0.haven?.name ?? "" } == (0..<250).map { "H\($0)" })
    let havens = try fixture.other.saved(Haven.self)
    #expect(havens.map { $0.ships.first?.name ?? "" } == (0..<250).map { "B\($0)" })
  }

  @Test func `nothing is kept alive that the program has let go`() throws {
    let fixture = try ContextFixture()
    weak var weakHaven: Haven?
    weak var weakShip: Ship?
    weak var weakPennant: Pennant?
    weak var weakLicence: Licence?
    do {
      let ship = Ship(name: "Ida", haven: Haven(name: "Oslo"))
      ship.pennants = [Pennant(name: "fast")]
      ship.licence = Licence(number: 1)
      fixture.context.insert(ship)
      (weakShip, weakHaven, weakPennant, weakLicence) = (
        ship, ship.haven, ship.pennants.first, ship.licence
      )
      try fixture.context.save()
      #expect(ship.haven?.ships.first === ship)
      #expect(ship.pennants.first?.ships.first === ship)
    }
    fixture.context.recent.removeAll()
    #expect(weakShip == nil)
    #expect(weakHaven == nil)
    #expect(weakPennant == nil)
    #expect(weakLicence == nil)
  }

  @Test func `ordered relationships keep their order`() throws {
    let fixture = try ContextFixture()
    let setlist = Setlist(name: "P")
    let tunes = (0..<6).map { Tune(title: "T\($0)") }
    setlist.tunes = tunes.reversed()
    setlist.favourites = [tunes[2], tunes[0]]
    fixture.context.insert(setlist)
    try fixture.context.save()
    let second = fixture.other
    let copy = try #require(try second.saved(Setlist.self).first)
    #expect(copy.tunes.map(\.title) == ["T5", "T4", "T3", "T2", "T1", "T0"])
    #expect(copy.favourites.map(\.title) == ["T2", "T0"])
    copy.tunes.swapAt(0, 5)
    copy.tunes.insert(Tune(title: "New"), at: 1)
    copy.favourites.append(copy.tunes[3])
    try second.save()
    let third = try #require(try fixture.other.saved(Setlist.self).first)
    #expect(third.tunes.map(\.title) == ["T0", "New", "T4", "T3", "T2", "T1", "T5"])
    #expect(third.favourites.map(\.title) == ["T2", "T0", "T3"])
  }

  @Test func `relationships without an inverse forget deleted objects`() throws {
    let fixture = try ContextFixture()
    let ship = Ship(name: "Ida")
    ship.shipyard = Shipyard(name: "Colin")
    let setlist = Setlist(name: "P")
    setlist.favourites = [Tune(title: "T0"), Tune(title: "T1")]
    fixture.context.insert(ship)
    fixture.context.insert(setlist)
    try fixture.context.save()
    let other = fixture.other
    let sameShip = try #require(try other.saved(Ship.self).first)
    let sameSetlist = try #require(try other.saved(Setlist.self).first)
    #expect(sameSetlist.favourites.count == 2)
    other.delete(try #require(sameShip.shipyard))
    other.delete(sameSetlist.favourites[0])
    other.processPendingChanges()
    #expect(sameShip.shipyard == nil)
    #expect(sameSetlist.favourites.map(\.title) == ["T1"])
    try other.save()
    #expect(try fixture.other.saved(Setlist.self).first?.favourites.map(\.title) == ["T1"])
  }

  @Test func `a row that is found to be deleted leaves the lists that its object is in`() throws {
    let fixture = try ContextFixture()
    let haven = Haven(name: "Oslo")
    haven.ships = [Ship(name: "Ida"), Ship(name: "Una")]
    let setlist = Setlist(name: "P")
    setlist.favourites = [Tune(title: "T0"), Tune(title: "T1")]
    fixture.context.insert(haven)
    fixture.context.insert(setlist)
    try fixture.context.save()
    let other = fixture.other
    other.delete(try #require(try other.saved(Ship.self).first { $0.name == "Ida" }))
    other.delete(try #require(try other.saved(Tune.self).first { $0.title == "T0" }))
    try other.save()
    let (ida, tune) = (haven.ships[0], setlist.favourites[0])
    fixture.context.refresh(ida)
    fixture.context.refresh(tune)
    #expect(ida.modelContext == nil)
    #expect(haven.ships.map(\.name) == ["Una"])
    #expect(setlist.favourites.map(\.title) == ["T1"])
    #expect(!fixture.context.hasChanges)
  }

  @Test func `objects can be added one by one`() throws {
    let fixture = try ContextFixture()
    let haven = Haven(name: "Oslo")
    fixture.context.insert(haven)
    let first = Ship(name: "S0")
    haven.ships.append(first)
    haven.ships.append(first)
    for index in 1..<2000 { haven.ships.append(Ship(name: "S\(index)")) }
    #expect(haven.ships.count == 2000)
    #expect(haven.ships.allSatisfy { $0.haven === haven })
    let second = Haven(name: "Bergen")
    second.ships = [haven.ships[0], haven.ships[1]]
    second.ships += [haven.ships[0]]
    #expect(haven.ships.count == 1997)
    try fixture.context.save()
    let copy = try #require(try fixture.other.saved(Haven.self).first)
    #expect(copy.ships.count == 1997)
    copy.ships.append(Ship(name: "New"))
    copy.ships.removeFirst()
    try copy.modelContext?.save()
    #expect(try fixture.other.saved(Haven.self).first?.ships.last?.name == "New")
  }

  /// Relationships of two ships and two havens, changed from one side.
  enum Change: CaseIterable {
    case move, entry, exit, pennant, member, licence

    func make(_ fleet: Fixture) {
      switch self {
      case .move: fleet.ships[0].haven = fleet.havens[1]
      case .entry: fleet.havens[1].ships.append(fleet.ships[0])
      case .exit: fleet.havens[0].ships.removeAll { $0 === fleet.ships[0] }
      case .pennant: fleet.ships[0].pennants = [fleet.pennants[1]]
      case .member: fleet.pennants[1].ships = [fleet.ships[0]]
      case .licence: fleet.ships[0].licence = fleet.ships[1].licence
      }
    }

    /// The object that has the property which is set.
    func owner(_ fleet: Fixture) -> any PersistentModel {
      switch self {
      case .move, .pennant, .licence: fleet.ships[0]
      case .entry: fleet.havens[1]
      case .exit: fleet.havens[0]
      case .member: fleet.pennants[1]
      }
    }
  }

  struct Fixture {
    let fixture: ContextFixture
    let context: ModelContext
    let havens: [Haven]
    let ships: [Ship]
    let pennants: [Pennant]

    init() throws {
      fixture = try ContextFixture()
      let seed = fixture.other
      for (index, name) in ["A", "B"].enumerated() {
        let ship = Ship(name: name, haven: Haven(name: name))
        ship.pennants = [Pennant(name: name)]
        ship.licence = Licence(number: index)
        seed.insert(ship)
      }
      try seed.save()
      context = fixture.context
      havens = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.name)]))
      ships = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.name)]))
      pennants = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.name)]))
    }

    /// The destination of all relationships.
    var links: [String] {
      havens.map { "\($0.name): \($0.ships.map(\.name).sorted())" }
        + pennants.map { "\($0.name): \($0.ships.map(\.name).sorted())" }
        + ships.map { ship in
          let licence = ship.licence.map { "\($0.number) \($0.ship?.name ?? "-")" } ?? "-"
          let pennants = ship.pennants.map(\.name).sorted()
          return "\(ship.name): \(ship.haven?.name ?? "-") \(licence) \(pennants)"
        }
    }
  }

  @Test(arguments: Change.allCases, [false, true])
  func `refreshing an object without its changes takes them back on both sides`(
    change: Change,
    isRead: Bool
  ) throws {
    let fleet = try Fixture()
    let before = try Fixture().links
    if isRead { #expect(fleet.links == before) }
    change.make(fleet)
    #expect(fleet.context.hasChanges)
    func refresh(_ model: some PersistentModel) {
      fleet.context.refresh(model, mergeChanges: false)
    }
    refresh(change.owner(fleet))
    #expect(fleet.links == before)
    #expect(!fleet.context.hasChanges)
  }

  @Test func `refreshing an object without its changes lets new objects not lead to it`() throws {
    let fleet = try Fixture()
    let new = Ship(name: "New")
    fleet.havens[0].ships.append(new)
    new.pennants = [fleet.pennants[0]]
    fleet.context.refresh(fleet.havens[0], mergeChanges: false)
    fleet.context.refresh(fleet.pennants[0], mergeChanges: false)
    #expect(new.haven == nil)
    #expect(new.pennants.isEmpty)
    try fleet.context.save()
    #expect(fleet.havens[0].ships.map(\.name) == ["A"])
    #expect(fleet.pennants[0].ships.map(\.name) == ["A"])
  }

  @Test func `nothing is kept alive beyond its context`() throws {
    let fixture = try ContextFixture()
    let haven = Haven(name: "Oslo")
    for index in 0..<10 { haven.ships.append(Ship(name: "S\(index)")) }
    fixture.context.insert(haven)
    try fixture.context.save()
    weak var weakShip: Ship?
    weak var weakHaven: Haven?
    weak var weakNew: Haven?
    do {
      let context = ModelContext(fixture.container)
      let ships = try context.fetch(FetchDescriptor<Ship>())
      #expect(ships.allSatisfy { $0.haven?.ships.count == 10 })
      (weakShip, weakHaven) = (ships[0], ships[0].haven)
      ships[1].haven = Haven(name: "Bergen")
      weakNew = ships[1].haven
    }
    #expect(weakShip == nil)
    #expect(weakHaven == nil)
    #expect(weakNew == nil)
  }

  @Test func `one that is set to what it leads to already is no change`() throws {
    let container = try libraryContainer()
    let setup = ModelContext(container)
    let shelf = Shelf(name: "A")
    shelf.volumes = [Volume(title: "Emma"), Volume(title: "Dune")]
    shelf.volumes[0].topics = [Topic(name: "love"), Topic(name: "money")]
    setup.insert(shelf)
    setup.insert(Volume(title: "Lost"))
    try setup.save()
    for context in [setup, ModelContext(container)] {
      for shelf in try context.fetch(FetchDescriptor<Shelf>()) { shelf.volumes = shelf.volumes }
      for volume in try context.fetch(FetchDescriptor<Volume>()) {
        volume.shelf = volume.shelf
        volume.topics = volume.topics
      }
      for topic in try context.fetch(FetchDescriptor<Topic>()) { topic.volumes = topic.volumes }
      #expect(!context.hasChanges)
    }
  }
}
