import Testing

@testable import SwiftData

enum PadsOne: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Pad.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

  @Model final class Pad {
    var text: String
    init(text: String) { self.text = text }
  }
}

enum PadsTwo: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Pad.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }

  @Model final class Pad {
    var text: String
    init(text: String) { self.text = text }
  }
}

@Suite struct `Inserting an object` {
  private let fixture: ContextFixture
  private var context: ModelContext { fixture.context }

  init() throws { fixture = try ContextFixture() }

  @Test func `that was new in a context which is gone`() throws {
    let haven = Haven(name: "Oslo")
    let ship = Ship(name: "Ida", haven: haven)
    do {
      let other = ModelContext(fixture.container)
      other.insert(ship)
    }
    #expect(ship.modelContext == nil)
    context.insert(ship)
    try context.save()
    let found = try fixture.other.fetch(FetchDescriptor<Haven>())
    #expect(found.map(\.name) == ["Oslo"])
    #expect(found[0].ships.map(\.name) == ["Ida"])
  }

  @Test func `of another class of the same name is refused`() throws {
    let container = try ModelContainer(storing: PadsTwo.Pad.self)
    let context = ModelContext(container)
    context.insert(PadsOne.Pad(text: "x"))
    let error = #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
    #expect(error?.entity == "Pad")
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<PadsTwo.Pad>()) == 0)
  }

  @Test func `of another class of the same name can't be asked for`() throws {
    let container = try ModelContainer(storing: PadsTwo.Pad.self)
    let context = ModelContext(container)
    context.insert(PadsTwo.Pad(text: "y"))
    try context.save()
    let asks: [() throws -> Void] = [
      { _ = try context.fetch(FetchDescriptor<PadsOne.Pad>()) },
      { _ = try context.fetchCount(FetchDescriptor<PadsOne.Pad>()) },
      { _ = try context.fetchIdentifiers(FetchDescriptor<PadsOne.Pad>()) },
      { try context.enumerate(FetchDescriptor<PadsOne.Pad>()) { _ in } },
      { try context.delete(model: PadsOne.Pad.self) },
      { try context.update(PadsOne.Pad.self, set: \.text, to: "x") },
    ]
    for ask in asks {
      let error = #expect(throws: SwiftDataError.unknownSchema) { try ask() }
      #expect(error?.message.contains("another Pad") == true)
    }
    #expect(try context.fetchCount(FetchDescriptor<PadsTwo.Pad>()) == 1)
  }

  @Test func `after a rollback takes along what it leads to`() throws {
    let haven = Haven(name: "Oslo")
    let ship = Ship(name: "Ida", haven: haven)
    context.insert(ship)
    context.rollback()
    #expect(haven.modelContext == nil)
    context.insert(ship)
    #expect(haven.modelContext === context)
    try context.save()
    #expect(ship.haven === haven)
    #expect(try fixture.other.fetchCount(FetchDescriptor<Haven>()) == 1)
  }

  @Test func `after a rollback is in the lists of what it leads to`() throws {
    let (red, ida) = (Pennant(name: "red"), Ship(name: "Ida"))
    ida.pennants = [red]
    context.insert(red)
    context.rollback()
    context.insert(red)
    #expect(ida.modelContext === context)
    #expect(ida.pennants.map(\.name) == ["red"])
    #expect(red.ships.map(\.name) == ["Ida"])
    try context.save()
    let stored = try #require(fixture.other.fetch(FetchDescriptor<Ship>()).first)
    #expect(stored.pennants.map(\.name) == ["red"])
  }

  @Test func `takes its deletion back on both sides`() throws {
    let haven = Haven(name: "Oslo")
    let (ida, una) = (Ship(name: "Ida", haven: haven), Ship(name: "Una", haven: haven))
    let red = Pennant(name: "red")
    ida.pennants = [red]
    context.insert(ida)
    context.insert(una)
    try context.save()
    #expect(haven.ships.count == 2)
    #expect(red.ships.count == 1)
    context.delete(ida)
    context.processPendingChanges()
    #expect(haven.ships.count == 1)
    #expect(red.ships.isEmpty)
    context.insert(ida)
    #expect(haven.ships.count == 2)
    #expect(red.ships.map(\.name) == ["Ida"])
    try context.save()
    #expect(ida.haven === haven)
    let other = fixture.other
    #expect(try other.fetch(FetchDescriptor<Haven>())[0].ships.count == 2)
    #expect(try other.fetch(FetchDescriptor<Pennant>())[0].ships.count == 1)
  }

  @Test func `takes the deletion of an owner back`() throws {
    let groom = Groom(name: "Tom")
    let mare = Mare(name: "Bess", height: 150)
    groom.beasts = [mare]
    context.insert(groom)
    try context.save()
    context.delete(groom)
    context.processPendingChanges()
    #expect(mare.groom == nil)
    context.insert(groom)
    #expect(mare.groom === groom)
    try context.save()
    #expect(try fixture.other.fetch(FetchDescriptor<Beast>())[0].groom?.name == "Tom")
  }
}
