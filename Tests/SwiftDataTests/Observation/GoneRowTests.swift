import Testing

@testable import SwiftData

/// Objects of one context whose rows another one deletes: alone, by a cascade, or many at once.
@MainActor @Suite struct `Objects whose rows others delete` {
  private let container: ModelContainer
  private let context: ModelContext
  private let other: ModelContext
  private let haven: Haven
  private let ships: [Ship]
  private let pennant: Pennant

  /// The ways in which the other context deletes a haven with its ships.
  enum Deletion: CaseIterable {
    case cascade, bulk, bulkOfShips, single
  }

  init() throws {
    container = try ModelContainer(storing: Haven.self, Ship.self)
    context = container.mainContext
    context.autosaveEnabled = false
    haven = Haven(name: "Oslo")
    ships = ["Ida", "Una", "Eva"].map { Ship(name: $0) }
    pennant = Pennant(name: "fast")
    haven.ships = ships
    pennant.ships = ships
    context.insert(haven)
    context.insert(pennant)
    try context.save()
    other = ModelContext(container)
  }

  private func delete(_ deletion: Deletion) throws {
    switch deletion {
    case .cascade:
      other.delete(try other.existingModel(for: haven.persistentModelID) as Haven)
      try other.save()
    case .bulk: try other.delete(model: Haven.self)
    case .bulkOfShips:
      try other.delete(model: Ship.self)
      try other.delete(model: Haven.self)
    case .single:
      for ship in try other.fetch(FetchDescriptor<Ship>()) { other.delete(ship) }
      try other.save()
      other.delete(try other.existingModel(for: haven.persistentModelID) as Haven)
      try other.save()
    }
  }

  @Test(arguments: Deletion.allCases)
  func `leave their context and all lists, and keep their values`(_ deletion: Deletion) throws {
    try delete(deletion)
    #expect(haven.modelContext == nil && haven.isDeleted)
    #expect(haven.name == "Oslo")
    #expect(haven.ships.isEmpty)
    for ship in ships {
      #expect(ship.modelContext == nil && ship.isDeleted)
      #expect(ship.haven == nil)
    }
    #expect(ships.map(\.name) == ["Ida", "Una", "Eva"])
    #expect(pennant.ships.isEmpty && pennant.modelContext === context && !pennant.isDeleted)
    #expect(try context.fetchCount(FetchDescriptor<Ship>()) == 0)
    #expect(try context.fetch(FetchDescriptor<Ship>()).isEmpty)
    #expect(!context.hasChanges)
  }

  @Test(arguments: Deletion.allCases, MergePolicy.allCases)
  func `are stored again or not as the policy says if they were edited`(
    _ deletion: Deletion,
    _ policy: MergePolicy
  ) throws {
    context.mergePolicy = policy
    ships[0].name = "edited"
    try delete(deletion)
    switch policy {
    case .error:
      let error = #expect(throws: SwiftDataError.self) { try context.save() }
      #expect(error?.conflicts.map(\.kind) == [.updateOfDeleted])
      #expect(ships[0].name == "edited")
      context.rollback()
      #expect(ships[0].isDeleted && ships[0].modelContext == nil)
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ship>()) == 0)
    case .mergeByPropertyObjectTrump, .overwrite:
      try context.save()
      let stored = try ModelContext(container).fetch(FetchDescriptor<Ship>())
      #expect(stored.map(\.name) == ["edited"])
      #expect(ships[0].modelContext === context && !ships[0].isDeleted)
    case .mergeByPropertyStoreTrump, .rollback:
      #expect(ships[0].isDeleted && ships[0].modelContext == nil)
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Ship>()) == 0)
    }
    #expect(ships[1].isDeleted && ships[2].isDeleted)
    #expect(haven.modelContext == nil || !haven.isDeleted)
  }

  /// Whether the context merges what others save, and what it has read of the objects.
  enum Reading: CaseIterable {
    case nothing, links, lists, linksAndLists
  }

  @Test(arguments: [false, true], Reading.allCases)
  func `are stored again without a link to an object that is gone, too`(
    _ isMerging: Bool,
    _ reading: Reading
  ) throws {
    let context = ModelContext(container)
    context.automaticallyMergesChanges = isMerging
    let named = #Predicate<Ship> { $0.name == "Ida" }
    let ship = try #require(try context.fetch(FetchDescriptor(predicate: named)).first)
    if reading == .links || reading == .linksAndLists { #expect(ship.haven?.name == "Oslo") }
    if reading == .lists || reading == .linksAndLists {
      #expect(try context.fetch(FetchDescriptor<Haven>()).first?.ships.count == 3)
    }
    ship.name = "edited"
    try delete(.cascade)
    try context.save()
    #expect(ship.haven == nil && ship.modelContext === context)
    let stored = try ModelContext(container).fetch(FetchDescriptor<Ship>())
    #expect(stored.map(\.name) == ["edited"])
    #expect(stored.first?.haven == nil)
  }

  @Test func `stay in lists that are read then if they are kept`() throws {
    ships[0].name = "edited"
    try other.delete(model: Ship.self)
    let haven: Haven = try context.existingModel(for: haven.persistentModelID)
    #expect(haven.ships.map(\.name) == ["edited"])
    context.refreshAllObjects()
    #expect(haven.ships.map(\.name) == ["edited"])
    #expect(ships[0].haven === haven)
    try context.save()
    #expect(haven.ships.map(\.name) == ["edited"])
    let stored = try ModelContext(container).fetch(FetchDescriptor<Haven>())
    #expect(stored.first?.ships.map(\.name) == ["edited"])
    ships[0].name = "again"
    try other.delete(model: Ship.self)
    context.refreshAllObjects()
    #expect(haven.ships.map(\.name) == ["again"])
    context.rollback()
    #expect(haven.ships.isEmpty && ships[0].isDeleted)
    #expect(!context.hasChanges)
  }

  @Test func `keep no other change from being saved when a new object leads to them`() throws {
    let new = Ship(name: "new")
    haven.ships.append(new)
    try delete(.cascade)
    pennant.name = "slow"
    try context.save()
    let fresh = ModelContext(container)
    #expect(try fresh.fetch(FetchDescriptor<Pennant>()).map(\.name) == ["slow"])
    let stored = try fresh.fetch(FetchDescriptor<Ship>())
    #expect(stored.map(\.name) == ["new"])
    #expect(stored.first?.haven?.name == new.haven?.name)
    new.name = "newer"
    try context.save()
  }

  @Test func `keep no other change from being saved when an object is moved to them`() throws {
    let free = Ship(name: "free")
    context.insert(free)
    try context.save()
    free.haven = haven
    try delete(.cascade)
    pennant.name = "slow"
    try context.save()
    let fresh = ModelContext(container)
    #expect(try fresh.fetch(FetchDescriptor<Pennant>()).map(\.name) == ["slow"])
    let stored = try fresh.fetch(FetchDescriptor<Ship>())
    #expect(stored.map(\.name) == ["free"])
    #expect(stored.first?.haven?.name == free.haven?.name)
  }

  @Test(arguments: Deletion.allCases)
  func `leave a context that doesn't merge when it reads`(_ deletion: Deletion) throws {
    let plain = ModelContext(container)
    let held: Haven = try plain.existingModel(for: haven.persistentModelID)
    let members = held.ships
    #expect(members.count == 3)
    try delete(deletion)
    #expect(try plain.fetch(FetchDescriptor<Haven>()).isEmpty)
    #expect(try plain.fetch(FetchDescriptor<Ship>()).isEmpty)
    plain.refreshAllObjects()
    #expect(held.modelContext == nil && held.isDeleted)
    #expect(members.allSatisfy { $0.modelContext == nil && $0.isDeleted })
  }

  @Test func `are told with all that a cascade took along`() throws {
    let identifiers = Set(ships.map(\.persistentModelID) + [haven.persistentModelID])
    let notices = Notices(of: other)
    try delete(.cascade)
    #expect(notices.deleted == identifiers)
  }

  @Test func `are told with what a cascade took along that the context didn't know`() throws {
    let identifiers = Set(ships.map(\.persistentModelID) + [haven.persistentModelID])
    let notices = Notices(of: other)
    let held = try #require(other.model(for: haven.persistentModelID) as? Haven)
    other.delete(held)
    try other.save()
    #expect(notices.deleted == identifiers)
  }

  @Test func `show their members until their rules are applied though nobody held them`() throws {
    for number in 0..<50 {
      let name = "Bergen \(number)"
      func insert() throws {
        let haven = Haven(name: name)
        haven.ships = [Ship(name: "Liv")]
        context.insert(haven)
        try context.save()
      }
      try insert()
      let named = #Predicate<Haven> { $0.name == name }
      let haven = try #require(context.fetch(FetchDescriptor(predicate: named)).first)
      context.delete(haven)
      context.processPendingChanges()
      #expect(haven.ships.count == 1)
      let notices = Notices(of: context)
      try context.save()
      #expect(notices.deleted.count == 2)
    }
  }

  @Test func `show their members until their rules are applied`() throws {
    for _ in 0..<50 {
      let haven = Haven(name: "Bergen")
      haven.ships = [Ship(name: "Liv")]
      context.insert(haven)
      try context.save()
      let ship = haven.ships[0]
      context.delete(haven)
      context.processPendingChanges()
      #expect(haven.ships.count == 1)
      #expect(ship.isDeleted)
      let notices = Notices(of: context)
      try context.save()
      #expect(notices.deleted.count == 2)
    }
  }

  /// The policies with which a save takes no deletion of others as a reason to throw.
  nonisolated private static let tolerant = MergePolicy.allCases.filter { $0 != .error }

  @Test(arguments: tolerant)
  func `keep no other change from being saved when one of many to many leads to them`(
    _ policy: MergePolicy
  ) throws {
    let library = try libraryContainer()
    let (mine, theirs) = (ModelContext(library), ModelContext(library))
    mine.mergePolicy = policy
    let (volume, topic) = (Volume(title: "Emma"), Topic(name: "love"))
    mine.insert(volume)
    mine.insert(topic)
    try mine.save()
    volume.topics.append(topic)
    volume.pages = 7
    try theirs.delete(model: Topic.self)
    try mine.save()
    let stored = try #require(ModelContext(library).fetch(FetchDescriptor<Volume>()).first)
    #expect(stored.pages == 7)
    #expect(stored.topics.map(\.name) == volume.topics.map(\.name))
  }

  @Test(arguments: tolerant)
  func `keep no other change from being saved when several new objects lead to them`(
    _ policy: MergePolicy
  ) throws {
    let library = try libraryContainer()
    let (mine, theirs) = (ModelContext(library), ModelContext(library))
    mine.mergePolicy = policy
    let shelf = Shelf(name: "A")
    mine.insert(shelf)
    try mine.save()
    shelf.volumes = [Volume(title: "Emma"), Volume(title: "Dune")]
    try theirs.delete(model: Shelf.self)
    try mine.save()
    let stored = try ModelContext(library).fetch(FetchDescriptor<Volume>())
    let isStored = policy == .mergeByPropertyObjectTrump || policy == .overwrite
    #expect(stored.map { $0.shelf?.name } == (isStored ? ["A", "A"] : [nil, nil]))
  }
  @Test(arguments: tolerant, [false, true])
  func `keep no other change from being saved when an object leads to them whose list isn't read`(
    _ policy: MergePolicy,
    _ isNew: Bool
  ) throws {
    let library = try libraryContainer()
    let (mine, theirs) = (ModelContext(library), ModelContext(library))
    theirs.insert(Shelf(name: "A"))
    theirs.insert(Volume(title: "Emma"))
    try theirs.save()
    mine.automaticallyMergesChanges = true
    mine.mergePolicy = policy
    let shelf = try #require(mine.fetch(FetchDescriptor<Shelf>()).first)
    let stored = try mine.fetch(FetchDescriptor<Volume>())
    let volume = isNew ? Volume(title: "Dune") : stored[0]
    if isNew { mine.insert(volume) }
    volume.shelf = shelf
    try theirs.delete(model: Shelf.self)
    #expect(volume.shelf == nil || volume.shelf === shelf && shelf.modelContext === mine)
    try mine.save()
    let title = volume.title
    let named = #Predicate<Volume> { $0.title == title }
    let again = try ModelContext(library).fetch(FetchDescriptor(predicate: named))
    #expect(again.map { $0.shelf?.name } == [volume.shelf?.name])
    let isStored = policy == .mergeByPropertyObjectTrump || policy == .overwrite
    #expect(volume.shelf?.name == (isStored ? "A" : nil))
  }
}
