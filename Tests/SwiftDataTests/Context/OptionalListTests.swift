import SwiftData
import Synchronization
import Testing

@Model private final class Kitchen {
  var name: String
  @Relationship(inverse: \Cook.kitchen) var cooks: [Cook]?
  var pots: [Pot]?

  init(_ name: String) { self.name = name }
}

@Model private final class Cook {
  var name: String
  var kitchen: Kitchen?

  init(_ name: String) { self.name = name }
}

@Model private final class Pot {
  var name: String

  init(_ name: String) { self.name = name }
}

@Suite struct `Optional to-many relationships` {
  private let container: ModelContainer
  private let byName = FetchDescriptor<Kitchen>(sortBy: [SortDescriptor(\.name)])

  init() throws {
    container = try ModelContainer(storing: Kitchen.self, Cook.self, Pot.self)
    let context = ModelContext(container)
    let full = Kitchen("full")
    context.insert(full)
    full.cooks = [Cook("a"), Cook("b")]
    full.pots = [Pot("c")]
    context.insert(Kitchen("none"))
    try context.save()
  }

  @Test func `another context finds what was saved`() throws {
    let context = ModelContext(container)
    let kitchens = try context.fetch(byName)
    #expect(kitchens[0].cooks?.map(\.name).sorted() == ["a", "b"])
    #expect(kitchens[0].pots?.map(\.name) == ["c"])
    #expect(kitchens[1].cooks == [])
    #expect(kitchens[1].pots == [])
  }

  @Test func `prefetched ones are the same`() throws {
    var descriptor = byName
    descriptor.relationshipKeyPathsForPrefetching = [\.cooks, \.pots]
    let kitchens = try ModelContext(container).fetch(descriptor)
    #expect(kitchens.map { $0.cooks?.count } == [2, 0])
    #expect(kitchens.map { $0.pots?.count } == [1, 0])
  }

  @Test func `what is added in another context is saved beside what was there`() throws {
    let context = ModelContext(container)
    let kitchens = try context.fetch(byName)
    kitchens[0].cooks?.append(Cook("d"))
    kitchens[1].pots?.append(Pot("e"))
    Cook("f").kitchen = kitchens[1]
    try context.save()
    let other = ModelContext(container)
    let saved = try other.fetch(byName)
    #expect(saved[0].cooks?.map(\.name).sorted() == ["a", "b", "d"])
    #expect(saved[1].pots?.map(\.name) == ["e"])
    #expect(saved[1].cooks?.map(\.name) == ["f"])
  }

  @Test func `nil lets all of them go`() throws {
    let context = ModelContext(container)
    let kitchen = try context.fetch(byName)[0]
    kitchen.cooks = nil
    kitchen.pots = nil
    try context.save()
    let other = ModelContext(container)
    let saved = try other.fetch(byName)[0]
    #expect(saved.cooks == [])
    #expect(saved.pots == [])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Cook>()) == 2)
  }

  @Test func `none is an empty one from the save on, for everybody alike`() throws {
    let context = ModelContext(container)
    let kitchen = Kitchen("A kitchen")
    context.insert(kitchen)
    #expect(kitchen.cooks == nil)
    let isTold = Mutex(false)
    withObservationTracking {
      _ = kitchen.cooks
    } onChange: {
      isTold.withLock { $0 = true }
    }
    try context.save()
    #expect(kitchen.cooks == [] && kitchen.pots == [])
    #expect(isTold.withLock { $0 })
    #expect(!context.hasChanges)
    let other = ModelContext(container)
    let twin = try #require(other.fetch(byName).first)
    #expect(twin.name == "A kitchen" && twin.cooks == [])
    kitchen.cooks = nil
    try context.save()
    #expect(kitchen.cooks == [])
  }

  @Test func `predicates look into them`() throws {
    let context = ModelContext(container)
    let found = try context.fetch(
      FetchDescriptor<Kitchen>(
        predicate: #Predicate { kitchen in
          kitchen.cooks?.contains { $0.name == "b" } ?? false
        }
      )
    )
    #expect(found.map(\.name) == ["full"])
  }
}
