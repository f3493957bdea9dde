import TestSupport
import Testing

@testable import SwiftData

/// Lists that are read, or that others change, while objects in them are to be deleted.
@Suite struct `An object that is to be deleted` {
  private let fixture: ContextFixture
  private var context: ModelContext { fixture.context }

  init() throws {
    fixture = try ContextFixture()
    let writer = fixture.other
    let oslo = Haven(name: "Oslo")
    let ida = Ship(name: "Ida", haven: oslo)
    ida.pennants = [Pennant(name: "fast"), Pennant(name: "red")]
    writer.insert(ida)
    writer.insert(Ship(name: "Una", haven: oslo))
    writer.insert(Haven(name: "Rome"))
    try writer.save()
  }

  private func one<Model: PersistentModel>(
    _ predicate: Predicate<Model>,
    in context: ModelContext? = nil
  ) throws -> Model {
    try #require((context ?? self.context).fetch(FetchDescriptor(predicate: predicate)).first)
  }

  @Test func `isn't in a list that is read later`() throws {
    let ida: Ship = try one(#Predicate { $0.name == "Ida" })
    context.delete(ida)
    let haven: Haven = try one(#Predicate { $0.name == "Oslo" })
    #expect(haven.ships.map(\.name) == ["Una"])
    try context.save()
    #expect(haven.ships.map(\.name) == ["Una"])
  }

  @Test func `is in the list again after a rollback`() throws {
    let ida: Ship = try one(#Predicate { $0.name == "Ida" })
    context.delete(ida)
    let haven: Haven = try one(#Predicate { $0.name == "Oslo" })
    #expect(haven.ships.count == 1)
    context.rollback()
    #expect(haven.ships.map(\.name).sorted() == ["Ida", "Una"])
    #expect(!context.hasChanges)
  }

  @Test(arguments: [true, false])
  func `isn't in lists of many to many that are read later`(isSavedSide: Bool) throws {
    if isSavedSide {
      let red: Pennant = try one(#Predicate { $0.name == "red" })
      context.delete(red)
      context.processPendingChanges()
      let ida: Ship = try one(#Predicate { $0.name == "Ida" })
      #expect(ida.pennants.map(\.name) == ["fast"])
      try context.save()
      #expect(ida.pennants.map(\.name) == ["fast"])
      let there: Ship = try one(#Predicate { $0.name == "Ida" }, in: fixture.other)
      #expect(there.pennants.map(\.name) == ["fast"])
    } else {
      let ida: Ship = try one(#Predicate { $0.name == "Ida" })
      context.delete(ida)
      context.processPendingChanges()
      let red: Pennant = try one(#Predicate { $0.name == "red" })
      #expect(red.ships.isEmpty)
      try context.save()
      #expect(red.ships.isEmpty)
    }
  }

  @Test func `isn't what others lead to though it was read in part`() throws {
    let writer = fixture.other
    let theirs: Ship = try one(#Predicate { $0.name == "Ida" }, in: writer)
    theirs.licence = Licence(number: 7)
    try writer.save()
    let licence: Licence = try one(#Predicate { $0.number == 7 })
    var descriptor = FetchDescriptor<Ship>(predicate: #Predicate { $0.name == "Ida" })
    descriptor.propertiesToFetch = [\.name]
    let ida = try #require(context.fetch(descriptor).first)
    context.delete(ida)
    context.processPendingChanges()
    #expect(licence.ship == nil)
    try context.save()
    #expect(licence.ship == nil)
  }

  @Test func `isn't what a new object leads to, unless the deletion is taken back`() throws {
    let writer = fixture.other
    writer.insert(Groom(name: "Tom"))
    writer.insert(Groom(name: "Kim"))
    try writer.save()
    let tom: Groom = try one(#Predicate { $0.name == "Tom" })
    let kim: Groom = try one(#Predicate { $0.name == "Kim" })
    let (bess, rex) = (Mare(name: "Bess", height: 150), Beast(name: "Rex"))
    (bess.groom, rex.groom) = (tom, kim)
    context.delete(tom)
    context.delete(kim)
    context.processPendingChanges()
    #expect(bess.groom == nil)
    context.insert(kim)
    #expect(rex.groom === kim)
    try context.save()
    #expect(kim.beasts == [rex])
    let stored = try fixture.other.fetch(FetchDescriptor<Beast>(sortBy: [SortDescriptor(\.name)]))
    #expect(stored.map(\.name) == ["Bess", "Rex"])
    #expect(stored.map { $0.groom?.name } == [nil, "Kim"])
  }

  @Test func `isn't in a list of a new object`() throws {
    let red: Pennant = try one(#Predicate { $0.name == "red" })
    let eva = Ship(name: "Eva")
    eva.pennants = [red]
    #expect(eva.modelContext === context)
    context.delete(red)
    context.processPendingChanges()
    #expect(eva.pennants.isEmpty)
    try context.save()
    let stored: Ship = try one(#Predicate { $0.name == "Eva" }, in: fixture.other)
    #expect(stored.pennants.isEmpty)
  }

  @Test func `is led to once when its deletion is undone`() throws {
    let writer = fixture.other
    writer.insert(Groom(name: "Tom"))
    try writer.save()
    let tom: Groom = try one(#Predicate { $0.name == "Tom" })
    let red: Pennant = try one(#Predicate { $0.name == "red" })
    let (bess, eva) = (Mare(name: "Bess", height: 150), Ship(name: "Eva"))
    (bess.groom, eva.pennants) = (tom, [red])
    let manager = UndoManager()
    context.undoManager = manager
    context.delete(tom)
    context.delete(red)
    manager.undo()
    #expect(bess.groom === tom)
    #expect(tom.beasts == [bess])
    #expect(eva.pennants == [red])
    #expect(red.ships.map(\.name).sorted() == ["Eva", "Ida"])
    try context.save()
    let stored: Pennant = try one(#Predicate { $0.name == "red" }, in: fixture.other)
    #expect(stored.ships.map(\.name).sorted() == ["Eva", "Ida"])
  }

  @Test func `isn't in the list where others have moved it`() async throws {
    context.automaticallyMergesChanges = true
    let havens = try context.fetch(FetchDescriptor<Haven>(sortBy: [SortDescriptor(\.name)]))
    #expect(havens.map(\.ships.count) == [2, 0])
    let ida: Ship = try one(#Predicate { $0.name == "Ida" })
    context.delete(ida)
    context.processPendingChanges()
    let other = fixture.other
    let theirs: Ship = try one(#Predicate { $0.name == "Ida" }, in: other)
    theirs.haven = try one(#Predicate { $0.name == "Rome" }, in: other)
    try other.save()
    try await expectSoon {
      context.processPendingChanges()
      return ida.haven === havens[1]
    }
    #expect(havens[1].ships.isEmpty)
    try context.save()
    #expect(havens.map(\.ships.count) == [1, 0])
  }

  @Test func `takes along a member whose move away is given up`() throws {
    context.automaticallyMergesChanges = true
    context.mergePolicy = .rollback
    let ida: Ship = try one(#Predicate { $0.name == "Ida" })
    let oslo = try #require(ida.haven)
    ida.haven = nil
    context.delete(oslo)
    context.processPendingChanges()
    #expect(!ida.isDeleted)
    let writer = fixture.other
    let there: Ship = try one(#Predicate { $0.name == "Ida" }, in: writer)
    there.length = 11
    try writer.save()
    #expect(try context.fetch(FetchDescriptor<Ship>()).isEmpty)
    #expect(ida.isDeleted)
    try context.save()
    #expect(try fixture.other.fetchCount(FetchDescriptor<Ship>()) == 0)
    #expect(try fixture.other.fetch(FetchDescriptor<Haven>()).map(\.name) == ["Rome"])
  }

  /// The ways in which a context finds out that an object is deleted.
  enum Way: CaseIterable { case save, fetch, refresh, history }

  @Test(arguments: Way.allCases)
  func `leaves a list that isn't read when others delete it`(_ way: Way) throws {
    context.mergePolicy = .mergeByPropertyStoreTrump
    let writer = fixture.other
    writer.insert(Pennant(name: "blue"))
    try writer.save()
    let ida: Ship = try one(#Predicate { $0.name == "Ida" })
    let blue: Pennant = try one(#Predicate { $0.name == "blue" })
    blue.ships.append(ida)
    writer.delete(try one(#Predicate<Pennant> { $0.name == "blue" }, in: writer))
    try writer.save()
    switch way {
    case .save: break
    case .fetch: _ = try context.fetch(FetchDescriptor<Pennant>())
    case .refresh: context.refreshAllObjects()
    case .history: context.processPendingChanges()
    }
    ida.length = 11
    try context.save()
    #expect(!context.hasChanges)
    #expect(ida.pennants.map(\.name).sorted() == ["fast", "red"])
    let there: Ship = try one(#Predicate { $0.name == "Ida" }, in: fixture.other)
    #expect(there.length == 11)
    #expect(there.pennants.count == 2)
  }
}
