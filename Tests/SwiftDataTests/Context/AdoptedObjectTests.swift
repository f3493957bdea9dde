import Testing

@testable import SwiftData

/// Objects that were read in a context that is gone, in the one that takes them over.
@Suite struct `Objects that another context takes over` {
  private let fixture: ContextFixture
  private var context: ModelContext { fixture.context }

  init() throws {
    fixture = try ContextFixture()
    let writer = fixture.other
    writer.insert(Gadget(name: "Bolt"))
    let (oslo, rome) = (Haven(name: "Oslo"), Haven(name: "Rome"))
    writer.insert(rome)
    for name in ["Ida", "Una"] {
      let ship = Ship(name: name, haven: oslo)
      writer.insert(ship)
      ship.pennants = [Pennant(name: "flag of " + name)]
    }
    let yard = Shipyard(name: "North")
    writer.insert(yard)
    yard.laurels = [Laurel(year: 1)]
    let list = Setlist(name: "Friday")
    writer.insert(list)
    list.tunes = ["A", "B", "C"].map { Tune(title: $0) }
    writer.insert(Groom(name: "Tom"))
    writer.insert(Mare(name: "Bess", height: 150))
    try writer.save()
  }

  /// Returns objects whose context is gone, sorted by name.
  private func orphans<Model: PersistentModel>(
    _ name: any KeyPath<Model, String> & Sendable,
    _ type: Model.Type = Model.self
  ) throws -> [Model] {
    try ModelContext(fixture.container).fetch(FetchDescriptor(sortBy: [SortDescriptor(name)]))
  }

  /// The values that another context reads.
  private func stored<Model: PersistentModel>(
    _ name: any KeyPath<Model, String> & Sendable,
    _ type: Model.Type = Model.self
  ) throws -> [Model] {
    try fixture.other.fetch(FetchDescriptor(sortBy: [SortDescriptor(name)]))
  }

  @Test func `are saved with their changes`() throws {
    let bolt = try orphans(\Gadget.name)[0]
    bolt.count = 5
    context.insert(bolt)
    #expect(bolt.modelContext === context)
    #expect(bolt.hasChanges)
    try context.save()
    bolt.note = "later"
    try context.save()
    let found = try stored(\Gadget.name)
    #expect(found.map(\.count) == [5])
    #expect(found.map(\.note) == ["later"])
  }

  @Test func `are saved with changes that were made while their context was there`() throws {
    func changed() throws -> Ship {
      let context = ModelContext(fixture.container)
      let ships = try context.fetch(FetchDescriptor<Ship>(sortBy: [SortDescriptor(\.name)]))
      let havens = try context.fetch(FetchDescriptor<Haven>(sortBy: [SortDescriptor(\.name)]))
      ships[0].length = 20
      ships[0].haven = havens[1]
      ships[0].pennants = []
      return ships[0]
    }
    let ida = try changed()
    #expect(ida.haven?.name == "Rome")
    context.insert(ida)
    try context.save()
    let found = try stored(\Ship.name)[0]
    #expect(found.length == 20)
    #expect(found.haven?.name == "Rome")
    #expect(found.pennants.isEmpty)
    #expect(ida.haven?.ships.map(\.name) == ["Ida"])
  }

  @Test func `keep what they lead to when their context ends`() throws {
    func changed() throws -> Haven {
      let context = ModelContext(fixture.container)
      let havens = try context.fetch(FetchDescriptor<Haven>(sortBy: [SortDescriptor(\.name)]))
      havens[0].ships.removeAll { $0.name == "Una" }
      return havens[0]
    }
    let oslo = try changed()
    #expect(oslo.ships.map(\.name) == ["Ida"])
    context.insert(oslo)
    try context.save()
    #expect(try stored(\Haven.name)[0].ships.map(\.name) == ["Ida"])
    #expect(try stored(\Ship.name).map { $0.haven?.name } == ["Oslo", nil])
  }

  @Test func `come along when a list leads to them`() throws {
    let ida = try orphans(\Ship.name)[0]
    ida.length = 30
    let bergen = Haven(name: "Bergen")
    context.insert(bergen)
    bergen.ships.append(ida)
    #expect(ida.modelContext === context)
    try context.save()
    #expect(bergen.ships.map(\.name) == ["Ida"])
    let found = try stored(\Haven.name)
    #expect(found.map { $0.ships.map(\.name) } == [["Ida"], ["Una"], []])
    #expect(found[0].ships[0].length == 30)
  }

  @Test func `come along when a to-one relationship leads to them`() throws {
    let rome = try orphans(\Haven.name)[1]
    rome.name = "Roma"
    let ship = Ship(name: "Eva")
    context.insert(ship)
    ship.haven = rome
    #expect(rome.ships.map(\.name) == ["Eva"])
    try context.save()
    #expect(try stored(\Ship.name)[0].haven?.name == "Roma")
  }

  @Test func `come along with an object that they lead to`() throws {
    let ida = try orphans(\Ship.name)[0]
    let bergen = Haven(name: "Bergen")
    context.insert(bergen)
    ida.haven = bergen
    #expect(ida.modelContext === context)
    try context.save()
    #expect(try stored(\Haven.name)[0].ships.map(\.name) == ["Ida"])
  }

  @Test func `come along with new objects whose initializer took them`() throws {
    let rome = try orphans(\Haven.name)[1]
    let ship = Ship(name: "Eva", haven: rome)
    context.insert(ship)
    #expect(rome.modelContext === context)
    try context.save()
    #expect(rome.ships.map(\.name) == ["Eva"])
    #expect(try stored(\Haven.name)[1].ships.map(\.name) == ["Eva"])
  }

  @Test func `come along in a list that a new object was given`() throws {
    let ships = try orphans(\Ship.name)
    ships[1].length = 40
    let bergen = Haven(name: "Bergen")
    bergen.ships = ships
    context.insert(bergen)
    try context.save()
    #expect(bergen.ships.count == 2)
    let found = try stored(\Haven.name)[0]
    #expect(found.ships.map(\.name).sorted() == ["Ida", "Una"])
    #expect(try stored(\Ship.name)[1].length == 40)
  }

  @Test func `come along where nothing leads back`() throws {
    let yard = try orphans(\Shipyard.name)[0]
    let laurel = try #require(yard.laurels.first)
    laurel.year = 2
    let ship = try orphans(\Ship.name)[0]
    ship.shipyard = yard
    context.insert(ship)
    #expect(laurel.modelContext === context)
    try context.save()
    #expect(try stored(\Ship.name)[0].shipyard?.laurels.map(\.year) == [2])
  }

  @Test func `come along on both sides of many to many`() throws {
    let ships = try orphans(\Ship.name)
    let flag = try #require(ships[1].pennants.first)
    ships[0].pennants.append(flag)
    flag.name = "shared"
    context.insert(flag)
    #expect(ships[0].modelContext === context)
    try context.save()
    let found = try stored(\Ship.name)
    #expect(found.map { $0.pennants.map(\.name) } == [["flag of Ida", "shared"], ["shared"]])
  }

  @Test func `keep the order of their lists`() throws {
    let list = try orphans(\Setlist.name)[0]
    list.tunes.reverse()
    list.tunes.append(Tune(title: "D"))
    context.insert(list)
    try context.save()
    #expect(list.tunes.map(\.title) == ["C", "B", "A", "D"])
    #expect(try stored(\Setlist.name)[0].tunes.map(\.title) == ["C", "B", "A", "D"])
  }

  @Test func `may be of a subclass`() throws {
    let bess = try orphans(\Beast.name)[0]
    let tom = try orphans(\Groom.name)[0]
    (bess as? Mare)?.height = 160
    tom.beasts = [bess]
    context.insert(tom)
    try context.save()
    let found = try #require(try stored(\Groom.name)[0].beasts.first as? Mare)
    #expect(found.height == 160)
  }

  @Test func `leave what they led to`() throws {
    let ships = try orphans(\Ship.name)
    let oslo = try #require(ships[0].haven)
    #expect(oslo.ships.count == 2)
    ships[0].haven = nil
    context.insert(ships[0])
    try context.save()
    #expect(oslo.ships.map(\.name) == ["Una"])
    #expect(oslo.modelContext === context)
    #expect(try stored(\Haven.name)[0].ships.map(\.name) == ["Una"])
  }

  @Test func `take the place of objects that weren't changed`() throws {
    let known = try context.fetch(FetchDescriptor<Haven>(sortBy: [SortDescriptor(\.name)]))
    let ships = try context.fetch(FetchDescriptor<Ship>(sortBy: [SortDescriptor(\.name)]))
    #expect(known[0].ships.count == 2)
    let oslo = try orphans(\Haven.name)[0]
    oslo.name = "Kristiania"
    context.insert(oslo)
    #expect(context.model(for: oslo.persistentModelID) === oslo)
    #expect(ships.allSatisfy { $0.haven === oslo })
    #expect(known[0].modelContext == nil)
    try context.save()
    #expect(try stored(\Haven.name)[0].name == "Kristiania")
    #expect(oslo.ships.count == 2)
  }

  @Test func `don't take the place of objects that were changed`() throws {
    let known = try context.fetch(FetchDescriptor<Gadget>())[0]
    known.count = 1
    let bolt = try orphans(\Gadget.name)[0]
    bolt.note = "orphan"
    context.insert(bolt)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(error?.entity == "Gadget")
    try context.save()
    context.insert(bolt)
    try context.save()
    let found = try stored(\Gadget.name)[0]
    #expect(found.count == 1)
    #expect(found.note == "orphan")
    #expect(bolt.count == 1)
  }

  @Test func `are deleted`() throws {
    let ida = try orphans(\Ship.name)[0]
    context.delete(ida)
    #expect(ida.isDeleted)
    try context.save()
    #expect(try stored(\Ship.name).map(\.name) == ["Una"])
  }

  @Test func `are inserted anew when their row is deleted`() throws {
    let bolt = try orphans(\Gadget.name)[0]
    let other = fixture.other
    try other.delete(model: Gadget.self)
    try other.save()
    context.insert(bolt)
    try context.save()
    #expect(try stored(\Gadget.name).map(\.name) == ["Bolt"])
    #expect(bolt.modelContext === context)
  }

  @Test func `get their own values back by a rollback`() throws {
    let ida = try orphans(\Ship.name)[0]
    ida.length = 50
    ida.haven = nil
    context.insert(ida)
    context.rollback()
    #expect(ida.length == 10)
    #expect(ida.haven?.name == "Oslo")
    #expect(!context.hasChanges)
  }

  @Test func `aren't those of another container's store`() throws {
    let other = try ContextFixture()
    let bolt = try orphans(\Gadget.name)[0]
    other.context.insert(bolt)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try other.context.save() }
    #expect(error?.message.contains("another container") == true)
    let ida = try orphans(\Ship.name)[0]
    let bergen = Haven(name: "Bergen")
    other.context.insert(bergen)
    bergen.ships.append(ida)
    #expect(bergen.ships.isEmpty)
    #expect(throws: SwiftDataError.modelValidationFailure) { try other.context.save() }
    other.context.delete(ida)
    #expect(throws: SwiftDataError.modelValidationFailure) { try other.context.save() }
    #expect(try stored(\Ship.name).count == 2)
  }
}
