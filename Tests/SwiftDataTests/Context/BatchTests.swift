import TestSupport
import Testing

@testable import SwiftData

@Suite struct BatchTests {
  private func stock(_ fixture: ContextFixture, _ count: Int = 100) throws {
    try fixture.context.insert(model: Gadget.self, rows: count) { index, row in
      row[\.name] = "G\(index)"
      row[\.count] = index % 10
      row[\.price] = Double(index)
      row[\.made] = Date(timeIntervalSinceReferenceDate: 0)
      row[\.isSold] = false
    }
  }

  @Test func `rows are inserted without objects`() throws {
    let fixture = try ContextFixture()
    try stock(fixture)
    let found = try fixture.other.fetch(FetchDescriptor<Gadget>())
    #expect(found.map(\.name) == (0..<100).map { "G\($0)" })
    #expect(found.allSatisfy { $0.note == nil && !$0.isSold })
  }

  @Test func `rows whose defaults are others each time have their own`() throws {
    let container = try ModelContainer(storing: Estate.Stamp.self)
    let context = ModelContext(container)
    let token = UUID()
    var seen: UUID?
    try context.insert(model: Estate.Stamp.self, rows: 10) { index, row in
      if index == 0 { row[\.token] = token }
      if index == 1 { seen = row[\.token] }
    }
    let found = try context.fetch(FetchDescriptor<Estate.Stamp>())
    #expect(Set(found.map(\.token)).count == 10)
    #expect(found[0].token == token)
    #expect(found[1].token == seen)
    #expect(found.allSatisfy { $0.count == 4 })
  }

  @Test func `rows are updated in the store and in the context`() throws {
    let fixture = try ContextFixture()
    try stock(fixture)
    let context = fixture.other
    let found = try context.fetch(FetchDescriptor<Gadget>())
    let count = try context.update(
      Gadget.self,
      where: #Predicate { $0.count == 3 },
      set: [
        .set(\.note, to: "three"), .set(\.price, to: #Expression<Gadget, Double> { $0.price + 1 }),
      ]
    )
    #expect(count == 10)
    #expect(found[13].note == "three")
    #expect(found[13].price == 14)
    #expect(found[14].note == nil)
  }

  @Test func `rows are deleted in the store, with what rules take along`() throws {
    let fixture = try ContextFixture()
    for index in 0..<10 {
      let haven = Haven(name: "H\(index)")
      haven.ships = [Ship(name: "S\(index)")]
      fixture.context.insert(haven)
    }
    try fixture.context.save()
    let context = fixture.other
    let ships = try context.fetch(FetchDescriptor<Ship>())
    let havens = try context.fetch(FetchDescriptor<Haven>())
    havens[0].name = "H5x"
    try context.delete(model: Haven.self, where: #Predicate { $0.name.starts(with: "H5") })
    #expect(ships[5].modelContext == nil)
    #expect(ships[5].name == "S5")
    #expect(havens[0].isDeleted)
    #expect(try context.fetchCount(FetchDescriptor<Haven>()) == 8)
    #expect(try context.fetchCount(FetchDescriptor<Ship>()) == 8)
    try context.save()
    #expect(try fixture.other.fetchCount(FetchDescriptor<Ship>()) == 8)
  }

  /// The count of letters is computed in memory.
  @Test func `rows that only the context can find are deleted at once too`() throws {
    let fixture = try ContextFixture()
    try stock(fixture, 20)
    let (context, reader) = (fixture.other, fixture.other)
    let found = try context.fetch(FetchDescriptor<Gadget>())
    found[12].count = 77
    let wanted = #Predicate<Gadget> { $0.isSold || $0.letters.count == 3 }
    try context.delete(model: Gadget.self, where: wanted)
    #expect(found[11].modelContext == nil)
    #expect(found[12].isDeleted)
    #expect(context.hasChanges)
    let names = (0..<10).map { "G\($0)" }
    #expect(try reader.fetch(FetchDescriptor<Gadget>()).map(\.name) == names + ["G12"])
    try context.save()
    #expect(try fixture.other.fetch(FetchDescriptor<Gadget>()).map(\.name) == names)
  }

  @Test func `objects are enumerated in batches that are let go`() throws {
    let fixture = try ContextFixture()
    try stock(fixture, 1000)
    let context = fixture.other
    var names: [String] = []
    var most = 0
    let descriptor = FetchDescriptor<Gadget>(sortBy: [SortDescriptor(\.price, order: .reverse)])
    try context.enumerate(descriptor, batchSize: 50) { gadget in
      names.append(gadget.name)
      most = max(most, context.identityMap.tables.reduce(0) { $0 + $1.all.count })
    }
    #expect(names == (0..<1000).reversed().map { "G\($0)" })
    #expect(most <= 50)
  }

  @Test func `an enumeration lets no changes escape unless it may`() throws {
    let fixture = try ContextFixture()
    try stock(fixture)
    let context = fixture.other
    #expect(throws: SwiftDataError.escapingMutations) {
      try context.enumerate(FetchDescriptor<Gadget>()) { $0.count = 1 }
    }
    #expect(throws: SwiftDataError.escapingMutations) {
      try context.enumerate(FetchDescriptor<Gadget>()) { _ in }
    }
    context.rollback()
    try context.enumerate(FetchDescriptor<Gadget>(), allowEscapingMutations: true) { gadget in
      gadget.count += 100
      if gadget.name == "G5" { context.delete(gadget) }
    }
    try context.save()
    #expect(try fixture.other.fetch(FetchDescriptor<Gadget>()).allSatisfy { $0.count >= 100 })
    try context.enumerate(FetchDescriptor<Gadget>(), batchSize: 7) { gadget in
      gadget.count = 0
      try context.save()
    }
    #expect(try fixture.other.sum(of: \Gadget.count) == 0)
  }

  @Test func `results are read in batches when they are looked at`() throws {
    let fixture = try ContextFixture()
    try stock(fixture)
    let context = fixture.other
    let descriptor = FetchDescriptor<Gadget>(sortBy: [SortDescriptor(\.price)])
    let results = try context.fetch(descriptor, batchSize: 10)
    #expect(results.count == 100)
    #expect(results[42].name == "G42")
    #expect(context.identityMap.tables.reduce(0) { $0 + $1.all.count } == 10)
    #expect(results.map(\.name) == (0..<100).map { "G\($0)" })
    #expect(try context.fetchIdentifiers(descriptor, batchSize: 10).count == 100)
  }

  @Test func `results in batches leave out what isn't saved where the descriptor says so`() throws {
    let fixture = try ContextFixture()
    try stock(fixture)
    let context = fixture.other
    var descriptor = FetchDescriptor<Gadget>(sortBy: [SortDescriptor(\.price)])
    context.insert(Gadget(name: "new"))
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      try context.fetch(descriptor, batchSize: 10)
    }
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      try context.fetchIdentifiers(descriptor, batchSize: 10)
    }
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor, batchSize: 10).count == 100)
    context.rollback()
    descriptor.includePendingChanges = true
    #expect(try context.fetch(descriptor, batchSize: 10).count == 100)
  }

  @Test func `the store computes sums and counts`() throws {
    let fixture = try ContextFixture()
    try stock(fixture)
    let context = fixture.other
    #expect(try context.sum(of: \Gadget.count) == 450)
    #expect(try context.sum(of: \Gadget.price, where: #Predicate { $0.count == 1 }) == 460)
    #expect(try context.average(of: \Gadget.price) == 49.5)
    #expect(try context.minimum(of: \Gadget.price) == 0)
    #expect(try context.maximum(of: \Gadget.count, where: #Predicate { $0.count > 50 }) == nil)
    #expect(
      try context.count(by: \Gadget.count)
        == Dictionary(uniqueKeysWithValues: (0..<10).map { ($0, 10) })
    )
    #expect(try context.sum(of: \Gadget.price, by: \Gadget.count)[9] == 540)
  }

  @Test func `an object is read anew, with or without its own changes`() throws {
    let fixture = try ContextFixture()
    try stock(fixture, 3)
    let first = fixture.other
    let second = fixture.other
    second.automaticallyMergesChanges = false
    let mine = try first.fetch(FetchDescriptor<Gadget>())
    let other = try second.fetch(FetchDescriptor<Gadget>())
    mine[0].count = 77
    mine[0].note = "mine"
    try first.save()
    other[0].note = "other"
    second.refresh(other[0])
    #expect(other[0].count == 77)
    #expect(other[0].note == "other")
    second.refresh(other[0], mergeChanges: false)
    #expect(other[0].note == "mine")
    #expect(!second.hasChanges)
    mine[1].count = 78
    first.delete(mine[2])
    try first.save()
    second.refreshAllObjects()
    #expect(other[1].count == 78)
    #expect(other[2].modelContext == nil)
    second.reset()
    #expect(other[1].modelContext == nil)
    #expect(other[1].count == 78)
    #expect(try second.fetchCount(FetchDescriptor<Gadget>()) == 2)
    #expect(throws: SwiftDataError.self) {
      try second.existingModel(for: mine[2].persistentModelID, as: Gadget.self)
    }
  }

  @Test func `what was only read can be required to be unchanged`() throws {
    let fixture = try ContextFixture()
    try stock(fixture, 2)
    let first = fixture.other
    let second = fixture.other
    second.automaticallyMergesChanges = false
    let mine = try first.fetch(FetchDescriptor<Gadget>())
    let other = try second.fetch(FetchDescriptor<Gadget>())
    second.detectConflicts(for: other[0])
    mine[0].count = 9
    try first.save()
    other[1].count = 8
    let error = #expect(throws: SwiftDataError.self) { try second.save() }
    #expect(error?.code == "conflict.read")
    #expect(error?.conflicts.first?.kind == .read)
  }

  /// Two contexts, the second of which merges what the first saves.
  private func pair(
    _ fixture: ContextFixture
  ) throws -> (first: ModelContext, second: ModelContext) {
    try stock(fixture, 2)
    let second = fixture.other
    second.automaticallyMergesChanges = true
    return (fixture.other, second)
  }

  @Test func `what was only read must be what it was when that was required`() async throws {
    let fixture = try ContextFixture()
    let (first, second) = try pair(fixture)
    let mine = try first.fetch(FetchDescriptor<Gadget>())
    let other = try second.fetch(FetchDescriptor<Gadget>())
    second.detectConflicts(for: other[0])
    mine[0].count = 9
    try first.save()
    try await expectSoon {
      second.processPendingChanges()
      return other[0].count == 9
    }
    other[1].count = 8
    let error = #expect(throws: SwiftDataError.saveConflict) { try second.save() }
    #expect(error?.code == "conflict.read")
    // Whoever reads it anew knows what it is now.
    second.refresh(other[0])
    try second.save()
    #expect(try fixture.other.fetch(FetchDescriptor<Gadget>()).map(\.count) == [9, 8])
  }

  @Test func `what was only read must still be there`() async throws {
    let fixture = try ContextFixture()
    let (first, second) = try pair(fixture)
    let mine = try first.fetch(FetchDescriptor<Gadget>())
    let other = try second.fetch(FetchDescriptor<Gadget>())
    second.detectConflicts(for: other[0])
    first.delete(mine[0])
    try first.save()
    try await expectSoon {
      second.processPendingChanges()
      return other[0].modelContext == nil
    }
    other[1].count = 8
    let error = #expect(throws: SwiftDataError.saveConflict) { try second.save() }
    #expect(error?.code == "conflict.read")
    second.rollback()
    other[1].count = 7
    try second.save()
    #expect(try fixture.other.fetch(FetchDescriptor<Gadget>()).map(\.count) == [7])
  }

  @Test func `work in the background has a context of its own`() async throws {
    let fixture = try ContextFixture()
    let container = fixture.container
    let identifier = try await container.performBackgroundTask { context in
      let gadget = Gadget(name: "Bolt", count: 5)
      context.insert(gadget)
      try context.save()
      return gadget.persistentModelID
    }
    let background = container.newBackgroundContext()
    let snapshot = try await background.perform { context in
      try context.existingModel(for: identifier, as: Gadget.self).snapshot
    }
    #expect(snapshot.name == "Bolt")
    #expect(snapshot.id == identifier)
    let count = try background.performAndWait { try $0.fetchCount(FetchDescriptor<Gadget>()) }
    #expect(count == 1)
  }

  @Test func `a snapshot has the values of an object and can be encoded`() throws {
    let fixture = try ContextFixture()
    let ship = Ship(name: "Ida", haven: Haven(name: "Oslo"))
    ship.pennants = [Pennant(name: "fast")]
    fixture.context.insert(ship)
    try fixture.context.save()
    let snapshot = ship.snapshot
    ship.name = "Una"
    #expect(snapshot.name == "Ida")
    #expect(snapshot.length == 10)
    #expect(snapshot.haven == ship.haven?.persistentModelID)
    #expect(snapshot.pennants == ship.pennants.map(\.persistentModelID))
    #expect(snapshot.shipyard == nil)
    let data = try JSONEncoder().encode(snapshot)
    let copy = try JSONDecoder().decode(Ship.Snapshot.self, from: data)
    #expect(copy == snapshot)
    #expect(ship.snapshot != snapshot)
  }

  @Test func `objects are fetched in sections`() throws {
    let fixture = try ContextFixture()
    try stock(fixture, 20)
    let context = fixture.other
    let first = try #require(try context.fetch(FetchDescriptor<Gadget>()).first)
    first.count = 99
    let sections = try context.fetchSections(
      FetchDescriptor<Gadget>(sortBy: [SortDescriptor(\.price, order: .reverse)]),
      by: \.count
    )
    #expect(sections.map(\.title) == Array(0..<10) + [99])
    #expect(sections[1].models.map(\.name) == ["G11", "G1"])
    #expect(sections[10].models.first === first)
  }
}

extension Gadget {
  fileprivate var letters: [Character] { Array(name) }
}
