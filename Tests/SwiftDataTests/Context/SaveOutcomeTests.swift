import Testing

@testable import SwiftData

/// What a context takes of what the stores made of a save.
@Suite struct `What the stores made of a save` {
  private let fixture: ContextFixture
  private var context: ModelContext { fixture.context }

  init() throws { fixture = try ContextFixture() }

  /// A harbour with two ships, which the context has.
  private func haven() throws -> (haven: Haven, ships: [Ship]) {
    let writer = fixture.other
    let oslo = Haven(name: "Oslo")
    for name in ["Ida", "Una"] { writer.insert(Ship(name: name, haven: oslo)) }
    try writer.save()
    let haven = try #require(context.fetch(FetchDescriptor<Haven>()).first)
    return (haven, haven.ships.sorted { $0.name < $1.name })
  }

  @Test func `an object whose deletion the policy drops is there again`() throws {
    let (haven, ships) = try haven()
    let other = fixture.other
    let theirs: Ship = try other.existingModel(for: ships[0].id)
    theirs.length = 30
    try other.save()
    context.mergePolicy = .mergeByPropertyStoreTrump
    context.delete(ships[0])
    context.delete(ships[1])
    // because a notification comes on the thread of its context, which is this one
    nonisolated(unsafe) var told: [PersistentIdentifier] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: context,
      queue: nil
    ) { told = $0.userInfo?["deleted"] as? [PersistentIdentifier] ?? [] }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.save()
    #expect(told == [ships[1].persistentModelID])
    #expect(ships[0].modelContext === context)
    #expect(!ships[0].isDeleted)
    #expect(ships[0].length == 30)
    #expect(ships[0].haven === haven)
    #expect(haven.ships.map(\.name) == ["Ida"])
    #expect(!context.hasChanges)
    #expect(try fixture.other.fetch(FetchDescriptor<Ship>()).map(\.name) == ["Ida"])
  }

  @Test func `what a deletion that the policy drops has taken along stays deleted`() throws {
    let (haven, ships) = try haven()
    let other = fixture.other
    (try other.existingModel(for: haven.id) as Haven).name = "Bergen"
    try other.save()
    context.mergePolicy = .mergeByPropertyStoreTrump
    context.delete(haven)
    try context.save()
    #expect(haven.name == "Bergen")
    #expect(haven.ships.isEmpty)
    #expect(ships.allSatisfy { $0.modelContext == nil })
    #expect(try fixture.other.fetchCount(FetchDescriptor<Ship>()) == 0)
  }

  @Test func `a refused deletion can be made again`() throws {
    let (_, ships) = try haven()
    let other = fixture.other
    (try other.existingModel(for: ships[0].id) as Ship).length = 30
    try other.save()
    context.mergePolicy = .rollback
    context.delete(ships[0])
    try context.save()
    context.delete(ships[0])
    try context.save()
    #expect(try fixture.other.fetch(FetchDescriptor<Ship>()).map(\.name) == ["Una"])
    #expect(ships[0].modelContext == nil)
  }
}

/// Saves in several stores, of which a later one refuses its part.
@Suite struct `A save of which a later store refuses its part` {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(
      for: Schema([Gadget.self, Pennant.self, Ship.self]),
      configurations: [
        ModelConfiguration(
          "first",
          schema: Schema([Pennant.self, Ship.self]),
          isStoredInMemoryOnly: true
        ),
        ModelConfiguration("second", schema: Schema([Gadget.self]), isStoredInMemoryOnly: true),
      ]
    )
    context = ModelContext(container)
    context.insert(Pennant(name: "old"))
    context.insert(Ship(name: "Ida"))
    context.insert(Gadget(name: "a"))
    context.insert(Gadget(name: "b"))
    try context.save()
  }

  @Test func `what the first one has made of other edits is taken`() throws {
    let ship = try context.fetch(FetchDescriptor<Ship>())[0]
    let other = ModelContext(container)
    let theirs = try other.fetch(FetchDescriptor<Ship>())[0]
    for name in ["theirs", "theirs again"] {
      theirs.name = name
      try other.save()
    }
    ship.length = 50
    try context.fetch(FetchDescriptor<Gadget>(sortBy: [SortDescriptor(\.name)]))[1].name = "a"
    #expect(throws: SwiftDataError.self) { try context.save() }
    context.rollback()
    #expect(ship.length == 50)
    #expect(ship.name == "theirs again")
    ship.name = "mine"
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Ship>())[0].name == "mine")
  }

  /// A container with ships, and with gadgets in another store.
  private func container(in folder: TemporaryFolder, allowsSave: Bool) throws -> ModelContainer {
    try ModelContainer(
      for: Schema([Gadget.self, Pennant.self, Ship.self]),
      configurations: [
        ModelConfiguration(
          "first",
          schema: Schema([Pennant.self, Ship.self]),
          url: folder.store("first")
        ),
        ModelConfiguration(
          "second",
          schema: Schema([Gadget.self]),
          url: folder.store("second"),
          allowsSave: allowsSave
        ),
      ]
    )
  }

  @Test func `what was only read may be in a store that may only be read`() throws {
    let folder = try TemporaryFolder()
    do {
      let context = ModelContext(try container(in: folder, allowsSave: true))
      context.insert(Gadget(name: "Bolt"))
      try context.save()
    }
    let container = try container(in: folder, allowsSave: false)
    let context = ModelContext(container)
    let gadget = try #require(context.fetch(FetchDescriptor<Gadget>()).first)
    context.detectConflicts(for: gadget)
    context.insert(Ship(name: "Ida"))
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ship>()) == 1)
  }

  @Test func `nothing is sent if a later store may only be read`() throws {
    let folder = try TemporaryFolder()
    _ = try container(in: folder, allowsSave: true)
    let container = try container(in: folder, allowsSave: false)
    let context = ModelContext(container)
    context.insert(Ship(name: "Ida"))
    context.insert(Gadget(name: "Bolt"))
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ship>()) == 0)
    #expect(context.insertedModelsArray.count == 2)
  }
}
