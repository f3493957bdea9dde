import Testing

@testable import SwiftData

@Suite struct SaveTests {
  @Test func `what is saved is read by another context`() throws {
    let fixture = try ContextFixture()
    let gadget = Gadget(name: "Bolt", count: 3, note: "small")
    fixture.context.insert(gadget)
    #expect(gadget.modelContext === fixture.context)
    #expect(fixture.context.hasChanges)
    #expect(fixture.context.insertedModelsArray.count == 1)
    #expect(gadget.persistentModelID.storeIdentifier == nil)
    try fixture.context.save()
    #expect(!fixture.context.hasChanges)
    #expect(gadget.persistentModelID.storeIdentifier != nil)

    let found = try fixture.other.saved(Gadget.self)
    #expect(found.count == 1)
    let copy = try #require(found.first)
    #expect(copy.name == "Bolt")
    #expect(copy.count == 3)
    #expect(copy.note == "small")
    #expect(copy.made == Date(timeIntervalSinceReferenceDate: 1000))
    #expect(copy.persistentModelID == gadget.persistentModelID)
  }

  @Test func `one identifier is one object in a context`() throws {
    let fixture = try ContextFixture()
    let gadget = Gadget(name: "Bolt")
    fixture.context.insert(gadget)
    try fixture.context.save()
    #expect(try fixture.context.saved(Gadget.self).first === gadget)
    let other = fixture.other
    let first = try #require(try other.saved(Gadget.self).first)
    #expect(try other.saved(Gadget.self).first === first)
    let model: Gadget? = other.registeredModel(for: gadget.persistentModelID)
    #expect(model === first)
  }

  @Test func `only changed properties are saved`() throws {
    let fixture = try ContextFixture()
    let gadget = Gadget(name: "Bolt")
    fixture.context.insert(gadget)
    try fixture.context.save()
    let other = fixture.other
    let copy = try #require(try other.saved(Gadget.self).first)
    copy.count = 7
    #expect(copy.hasChanges)
    try other.save()
    #expect(!copy.hasChanges)
    // The first context doesn't know of it, and changes something else.
    gadget.price = 2
    try fixture.context.save()
    #expect(gadget.count == 7)
    let third = try #require(try fixture.other.saved(Gadget.self).first)
    #expect(third.count == 7)
    #expect(third.price == 2)
  }

  @Test func `by default the object wins where both sides changed a property`() throws {
    let fixture = try ContextFixture()
    let gadget = Gadget(name: "Bolt")
    fixture.context.insert(gadget)
    try fixture.context.save()
    let other = fixture.other
    let copy = try #require(try other.saved(Gadget.self).first)
    copy.count = 7
    try other.save()
    gadget.count = 8
    try fixture.context.save()
    #expect(gadget.count == 8)
    #expect(try fixture.other.saved(Gadget.self).first?.count == 8)
  }

  @Test func `with the policy error a conflict is thrown and nothing changes`() throws {
    let fixture = try ContextFixture()
    let gadget = Gadget(name: "Bolt")
    fixture.context.insert(gadget)
    try fixture.context.save()
    let other = fixture.other
    let copy = try #require(try other.saved(Gadget.self).first)
    copy.count = 7
    try other.save()
    fixture.context.mergePolicy = .error
    gadget.count = 8
    let error = #expect(throws: SwiftDataError.self) { try fixture.context.save() }
    #expect(error?.conflicts.count == 1)
    #expect(error?.conflicts.first?.properties == ["count"])
    #expect(error?.entity == "Gadget")
    #expect(gadget.hasChanges)
    #expect(gadget.count == 8)
    fixture.context.mergePolicy = .mergeByPropertyStoreTrump
    try fixture.context.save()
    #expect(gadget.count == 7)
    #expect(!gadget.hasChanges)
  }

  @Test func `an object with the unique value of another takes its place`() throws {
    let fixture = try ContextFixture()
    let gadget = Gadget(name: "Bolt", count: 1)
    fixture.context.insert(gadget)
    try fixture.context.save()
    let identifier = gadget.persistentModelID
    let other = fixture.other
    let second = Gadget(name: "Bolt", count: 2)
    other.insert(second)
    try other.save()
    #expect(second.persistentModelID == identifier)
    let found = try fixture.other.saved(Gadget.self)
    #expect(found.map(\.count) == [2])
  }

  @Test func `an object with the unique value of another one of its context takes its place`()
    throws
  {
    let fixture = try ContextFixture()
    let first = Gadget(name: "Bolt", count: 1)
    fixture.context.insert(first)
    try fixture.context.save()
    let second = Gadget(name: "Bolt", count: 2)
    fixture.context.insert(second)
    try fixture.context.save()
    #expect(first.modelContext == nil)
    #expect(first.isDeleted)
    #expect(try fixture.context.saved(Gadget.self).first === second)
  }

  @Test func `a row that was deleted elsewhere is made again`() throws {
    let fixture = try ContextFixture()
    let gadget = Gadget(name: "Bolt", count: 1, note: "old")
    fixture.context.insert(gadget)
    try fixture.context.save()
    let other = fixture.other
    let copy = try #require(try other.saved(Gadget.self).first)
    other.delete(copy)
    try other.save()
    gadget.count = 2
    try fixture.context.save()
    let found = try fixture.other.saved(Gadget.self)
    #expect(found.map(\.count) == [2])
    #expect(found.first?.note == "old")
  }

  /// A way in which a context finds out that a row is deleted.
  enum Discovery: CaseIterable {
    case refresh, refreshOfAll, update, insertion

    func make(in context: ModelContext, _ gadget: Gadget) throws {
      switch self {
      case .refresh: context.refresh(gadget)
      case .refreshOfAll: context.refreshAllObjects()
      case .update:
        try context.update(
          Gadget.self,
          where: #Predicate { $0.name == "Nut" },
          set: \.price,
          to: 3
        )
      case .insertion:
        try context.insert(model: Gadget.self, rows: 1) { _, row in row[\.name] = "Cog" }
      }
    }
  }

  @Test(
    arguments: [
      MergePolicy.mergeByPropertyObjectTrump, .overwrite, .error, .rollback,
      .mergeByPropertyStoreTrump,
    ],
    Discovery.allCases
  )
  func `the policy decides when it is found out that a changed row was deleted elsewhere`(
    policy: MergePolicy,
    discovery: Discovery
  ) throws {
    let fixture = try ContextFixture()
    let context = fixture.context
    let gadget = Gadget(name: "Bolt", count: 1, note: "old")
    context.insert(gadget)
    context.insert(Gadget(name: "Nut"))
    try context.save()
    context.mergePolicy = policy
    let other = fixture.other
    other.delete(try #require(try other.saved(Gadget.self).first))
    try other.save()
    gadget.count = 2
    try discovery.make(in: context, gadget)
    switch policy {
    case .rollback, .mergeByPropertyStoreTrump:
      #expect(gadget.modelContext == nil)
      #expect(!context.hasChanges)
    case .error:
      #expect(throws: SwiftDataError.saveConflict) { try context.save() }
      #expect(gadget.hasChanges)
      context.rollback()
      #expect(gadget.modelContext == nil)
    default:
      try context.save()
      let found = try fixture.other.saved(Gadget.self).filter { $0.name == "Bolt" }
      #expect(found.map(\.count) == [2])
      #expect(found.first?.note == "old")
    }
  }

  @Test func `many objects are saved at once`() throws {
    let fixture = try ContextFixture()
    for index in 0..<12_000 { fixture.context.insert(Gadget(name: "W\(index)", count: index)) }
    try fixture.context.save()
    #expect(try fixture.other.saved(Gadget.self).count == 12_000)
  }

  @Test func `saving tells what was saved in every style`() throws {
    let fixture = try ContextFixture()
    let gadget = Gadget(name: "Bolt")
    let context = fixture.context
    context.insert(gadget)
    let seen = Seen()
    let center = NotificationCenter.default
    let tokens = [
      center.addObserver(forName: ModelContext.willSave, object: context, queue: nil) { note in
        seen.note("will \(note.userInfo == nil)")
      },
      center.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { note in
        let plain = note.userInfo?["inserted"] as? [PersistentIdentifier]
        let key = ModelContext.NotificationKey.insertedIdentifiers
        let raw = note.userInfo?[key.rawValue] as? [PersistentIdentifier]
        let typed = note.userInfo?[key] as? [PersistentIdentifier]
        let deleted = note.userInfo?["deleted"] as? [PersistentIdentifier]
        seen.note("did \(plain?.count ?? -1) \(raw?.count ?? -1) \(typed?.count ?? -1)")
        seen.note("\(typed?.first?.storeIdentifier != nil) \(deleted?.count ?? -1)")
      },
    ]
    try context.save()
    try context.save()
    for token in tokens { center.removeObserver(token) }
    #expect(seen.lines == ["will true", "did 1 1 1", "true 0"])
  }
}

/// What an observer noted.
// because the notifications come on the thread that saves
private final class Seen: @unchecked Sendable {
  private(set) var lines: [String] = []
  func note(_ line: String) { lines.append(line) }
}
