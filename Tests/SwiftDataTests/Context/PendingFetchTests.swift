import Testing

@testable import SwiftData

@Suite struct PendingFetchTests {
  private func stock(_ fixture: ContextFixture) throws {
    for index in 0..<20 {
      fixture.context.insert(
        Gadget(name: "W\(index)", count: index % 5, price: Double(index), note: nil)
      )
    }
    try fixture.context.save()
  }

  @Test func `a fetch filters, sorts, and cuts`() throws {
    let fixture = try ContextFixture()
    try stock(fixture)
    var descriptor = FetchDescriptor<Gadget>(
      predicate: #Predicate { $0.count >= 2 },
      sortBy: [SortDescriptor(\.price, order: .reverse)]
    )
    descriptor.fetchLimit = 3
    descriptor.fetchOffset = 1
    #expect(try fixture.other.fetch(descriptor).map(\.name) == ["W18", "W17", "W14"])
    #expect(try fixture.other.fetchCount(descriptor) == 3)
    let identifiers = try fixture.other.fetchIdentifiers(descriptor)
    #expect(identifiers == (try fixture.context.fetch(descriptor).map(\.persistentModelID)))
  }

  @Test func `pending changes count unless they are not to`() throws {
    let fixture = try ContextFixture()
    try stock(fixture)
    let context = fixture.context
    let descriptor = FetchDescriptor<Gadget>(
      predicate: #Predicate { $0.count == 4 },
      sortBy: [SortDescriptor(\.price)]
    )
    let found = try context.fetch(descriptor)
    #expect(found.map(\.name) == ["W4", "W9", "W14", "W19"])
    found[1].count = 1
    found[2].price = 100
    context.delete(found[0])
    context.insert(Gadget(name: "New", count: 4, price: 50))
    #expect(try context.fetch(descriptor).map(\.name) == ["W19", "New", "W14"])
    #expect(try context.fetchCount(descriptor) == 3)
    #expect(try context.fetchIdentifiers(descriptor).count == 3)
    var limited = descriptor
    limited.fetchLimit = 1
    limited.fetchOffset = 1
    #expect(try context.fetch(limited).map(\.name) == ["New"])
    #expect(try context.fetchCount(limited) == 1)
    var saved = descriptor
    saved.includePendingChanges = false
    #expect(try context.fetch(saved).count == 4)
    #expect(try context.fetchCount(saved) == 4)
    try context.save()
    #expect(try fixture.other.fetch(descriptor).map(\.name) == ["W19", "New", "W14"])
  }

  @Test func `only the properties that are asked for are read at once`() throws {
    let fixture = try ContextFixture()
    try stock(fixture)
    let context = fixture.other
    var descriptor = FetchDescriptor<Gadget>(sortBy: [SortDescriptor(\.price)])
    descriptor.propertiesToFetch = [\.name]
    let found = try context.fetch(descriptor)
    let slot = EntityDescription.of(Gadget.self).slot(of: \Gadget.count)
    #expect(found.allSatisfy { $0.storage?.isUnloaded(slot) == true })
    #expect(found.map(\.count) == (0..<20).map { $0 % 5 })
    found[3].price = 77
    try context.save()
    #expect(try fixture.other.fetch(FetchDescriptor<Gadget>()).map(\.price).contains(77))
  }

  @Test func `relationships come along when they are prefetched`() throws {
    let fixture = try ContextFixture()
    for index in 0..<10 {
      let haven = Haven(name: "H\(index)")
      for ship in 0..<index { haven.ships.append(Ship(name: "B\(ship)")) }
      fixture.context.insert(haven)
    }
    try fixture.context.save()
    let context = fixture.other
    var descriptor = FetchDescriptor<Haven>()
    descriptor.relationshipKeyPathsForPrefetching = [\.ships]
    let found = try context.fetch(descriptor)
    let slot = EntityDescription.of(Haven.self).slot(of: \Haven.ships)
    #expect(found.allSatisfy { $0.storage?.isUnloaded(slot) == false })
    #expect(found.map(\.ships.count) == Array(0..<10))
    #expect(found[3].ships.map(\.name) == ["B0", "B1", "B2"])

    let other = fixture.other
    var ships = FetchDescriptor<Ship>()
    ships.relationshipKeyPathsForPrefetching = [\.haven]
    let all = try other.fetch(ships)
    let target = EntityDescription.of(Ship.self).slot(of: \Ship.haven)
    let isThere = all.allSatisfy { ship in
      ship.storage?.slots[target].targetIdentifier.flatMap { other.registered($0) } != nil
    }
    #expect(isThere)
    #expect(Set(all.map { $0.haven?.name ?? "" }) == Set((1..<10).map { "H\($0)" }))
  }
}
