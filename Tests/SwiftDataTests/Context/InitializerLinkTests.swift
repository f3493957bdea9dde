import Testing

@testable import SwiftData

@Model private final class House {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Floor.house) var floors: [Floor] = []
  @Relationship(inverse: \Guest.houses) var guests: [Guest]

  init(name: String, guests: [Guest] = []) {
    self.guests = guests
    self.name = name
  }
}

@Model private class Floor {
  var house: House
  @Relationship(deleteRule: .cascade, inverse: \Room.floor) var rooms: [Room] = []
  var level: Int

  init(house: House, level: Int) {
    self.house = house
    if level == 0 {
      self.level = -1
      return
    }
    self.level = level
  }

  convenience init(above floor: Floor) {
    self.init(house: floor.house, level: floor.level + 1)
  }
}

@Model private final class Attic: Floor {
  var lamp: Lamp
  var height: Int

  init(house: House, lamp: Lamp) {
    self.lamp = lamp
    height = 2
    super.init(house: house, level: 9)
  }
}

@Model private final class Lamp {
  @Relationship(inverse: \Attic.lamp) var attic: Attic?
  init() {}
}

@Model private final class Room {
  var floor: Floor
  var name: String

  init(floor: Floor, name: String) {
    self.floor = floor
    self.name = name
  }

  init?(floor: Floor, number: Int) throws {
    self.floor = floor
    self.name = "\(number)"
    if number == 0 { return nil }
    if number < 0 { throw SwiftDataError.modelValidationFailure }
  }
}

@Model private final class Guest {
  var houses: [House]
  var name: String

  init(houses: [House], name: String) {
    self.houses = houses
    self.name = name
  }
}

@Suite struct `A link set in an initializer` {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      storing: House.self,
      Floor.self,
      Attic.self,
      Lamp.self,
      Room.self,
      Guest.self
    )
    context = ModelContext(container)
  }

  /// A house that is in the context.
  private func house(_ name: String = "A", isSaved: Bool = false) throws -> House {
    let house = House(name: name)
    context.insert(house)
    if isSaved { try context.save() }
    return house
  }

  private func stored<Model: PersistentModel>(_: Model.Type) throws -> Int {
    try ModelContext(container).fetchCount(FetchDescriptor<Model>())
  }

  @Test(arguments: [false, true])
  func `leads both ways and inserts the object`(isSaved: Bool) throws {
    let house = try house(isSaved: isSaved)
    _ = Floor(house: house, level: 1)
    #expect(house.floors.map(\.level) == [1])
    try context.save()
    #expect(try stored(Floor.self) == 1)
  }

  @Test func `counts as a change though nothing is touched`() throws {
    let house = try house(isSaved: true)
    let floor = Floor(house: house, level: 1)
    #expect(context.hasChanges)
    #expect(context.insertedModelsArray.count == 1)
    try context.save()
    #expect(floor.modelContext === context)
    #expect(try stored(Floor.self) == 1)
  }

  @Test func `leads to an object that another context saved and this one has fetched`() throws {
    let other = ModelContext(container)
    other.insert(House(name: "A"))
    try other.save()
    let house = try #require(context.fetch(FetchDescriptor<House>()).first)
    _ = Floor(house: house, level: 1)
    try context.save()
    #expect(house.floors.count == 1)
    #expect(try stored(Floor.self) == 1)
  }

  @Test func `leads both ways before the parent is inserted`() throws {
    let house = House(name: "A")
    let floor = Floor(house: house, level: 1)
    _ = Room(floor: floor, name: "r")
    #expect(house.floors.count == 1)
    context.insert(house)
    try context.save()
    #expect(try (stored(Floor.self), stored(Room.self)) == (1, 1))
  }

  @Test(arguments: [false, true])
  func `keeps a graph of three levels`(isInsertedLast: Bool) throws {
    let house = House(name: "A")
    if !isInsertedLast { context.insert(house) }
    for level in 1...3 {
      let floor = Floor(house: house, level: level)
      for name in ["a", "b"] { _ = Room(floor: floor, name: name) }
    }
    if isInsertedLast { context.insert(house) }
    try context.save()
    #expect(try (stored(Floor.self), stored(Room.self)) == (3, 6))
    let found = try #require(ModelContext(container).fetch(FetchDescriptor<House>()).first)
    #expect(found.floors.map(\.level).sorted() == [1, 2, 3])
    #expect(found.floors.allSatisfy { $0.rooms.map(\.name).sorted() == ["a", "b"] })
  }

  @Test func `is made where the initializer returns early`() throws {
    let house = try house()
    _ = Floor(house: house, level: 0)
    #expect(house.floors.map(\.level) == [-1])
  }

  @Test func `is made by a convenience initializer`() throws {
    let house = try house(isSaved: true)
    _ = Floor(above: Floor(house: house, level: 1))
    #expect(house.floors.map(\.level) == [1, 2])
    try context.save()
    #expect(try stored(Floor.self) == 2)
  }

  @Test func `is made by a subclass in both classes' properties`() throws {
    let (house, lamp) = (try house(isSaved: true), Lamp())
    let attic = Attic(house: house, lamp: lamp)
    #expect(lamp.modelContext === context)
    #expect(lamp.attic === attic)
    #expect(house.floors.map(\.level) == [9])
    try context.save()
    #expect(try (stored(Attic.self), stored(Lamp.self)) == (1, 1))
  }

  @Test func `isn't made where the initializer gives no object`() throws {
    let house = try house()
    let floor = Floor(house: house, level: 1)
    #expect(try Room(floor: floor, number: 0) == nil)
    #expect(throws: SwiftDataError.self) { try Room(floor: floor, number: -1) }
    #expect(floor.rooms.isEmpty)
    #expect(try Room(floor: floor, number: 1) != nil)
    #expect(floor.rooms.map(\.name) == ["1"])
  }

  @Test func `leads to many, both ways`() throws {
    let houses = try [house("A"), house("B", isSaved: true)]
    let guest = Guest(houses: houses, name: "Ida")
    #expect(houses.map { $0.guests.map(\.name) } == [["Ida"], ["Ida"]])
    #expect(guest.modelContext === context)
    let third = House(name: "C", guests: [guest])
    #expect(third.modelContext === context)
    #expect(guest.houses.map(\.name) == ["A", "B", "C"])
    try context.save()
    #expect(try (stored(House.self), stored(Guest.self)) == (3, 1))
  }
}
