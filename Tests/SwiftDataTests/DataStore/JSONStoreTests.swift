import SwiftData
import Testing

/// What contexts do over a store of the program's own.
@Suite struct `A JSON file as a store` {
  @Test func `what is saved is read by another container`() throws {
    let fixture = try DataStoreFixture()
    let journey = Journey("Oslo")
    journey.days = 4
    journey.budget = 12.5
    journey.cover = Data([1, 2, 3])
    journey.tags = ["north", "cold"]
    journey.temper = .wild
    fixture.context.insert(journey)
    #expect(journey.persistentModelID.storeIdentifier == nil)
    try fixture.context.save()
    #expect(journey.persistentModelID.storeIdentifier == "journeys.json")
    #expect(!fixture.context.hasChanges)
    #expect(try fixture.text().contains("2023-03-08T20:26:40Z"))

    let context = ModelContext(try fixture.reopened())
    let found = try #require(try context.fetch(FetchDescriptor<Journey>()).first)
    #expect(found.title == "Oslo")
    #expect(found.days == 4)
    #expect(found.budget == 12.5)
    #expect(found.cover == Data([1, 2, 3]))
    #expect(found.tags == ["north", "cold"])
    #expect(found.temper == .wild)
    #expect(found.start == journey.start)
    #expect(found.ticket == journey.ticket)
    #expect(found.persistentModelID == journey.persistentModelID)
  }

  @Test func `one identifier is one object in a context`() throws {
    let fixture = try DataStoreFixture()
    try fixture.fill("Oslo")
    let context = fixture.other
    let first = try #require(try context.journey("Oslo"))
    #expect(try context.journey("Oslo") === first)
    let known: Journey? = context.registeredModel(for: first.persistentModelID)
    #expect(known === first)
  }

  @Test func `predicates, sorting, limit and offset are done in memory`() throws {
    let fixture = try DataStoreFixture()
    try fixture.fill("A", "B", "C", "D", "E")
    let context = fixture.other
    var descriptor = FetchDescriptor<Journey>(
      predicate: #Predicate { $0.days > 1 },
      sortBy: [SortDescriptor(\.days, order: .reverse)]
    )
    #expect(try context.fetch(descriptor).map(\.title) == ["E", "D", "C", "B"])
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor).map(\.title) == ["D", "C"])
    #expect(try context.fetchCount(descriptor) == 2)
    #expect(try context.fetchIdentifiers(descriptor).count == 2)
    #expect(try context.fetchCount(FetchDescriptor<Journey>()) == 5)
  }

  @Test(arguments: [(-1, 0), (1, -1), (Int.min, Int.min)])
  func `a negative limit or offset is an error`(limit: Int, offset: Int) throws {
    let fixture = try DataStoreFixture()
    try fixture.fill("A", "B")
    var descriptor = FetchDescriptor<Journey>()
    descriptor.fetchLimit = limit
    descriptor.fetchOffset = offset
    let context = fixture.other
    #expect(throws: SwiftDataError.self) { try context.fetch(descriptor) }
    #expect(throws: SwiftDataError.self) { try context.fetchCount(descriptor) }
    #expect(throws: SwiftDataError.self) { try context.fetchIdentifiers(descriptor) }
    #expect(throws: SwiftDataError.self) { try context.enumerate(descriptor) { _ in } }
    context.insert(Journey("C"))
    #expect(throws: SwiftDataError.self) { try context.fetch(descriptor) }
  }

  @Test func `objects of other classes in the same file aren't returned`() throws {
    let fixture = try DataStoreFixture()
    let journey = Journey("Oslo")
    journey.stops = [Stopover("Hamar"), Stopover("Lom")]
    fixture.context.insert(journey)
    try fixture.context.save()
    let context = fixture.other
    #expect(try context.fetch(FetchDescriptor<Journey>()).count == 1)
    #expect(try context.fetch(FetchDescriptor<Stopover>()).count == 2)
    #expect(try context.fetchCount(FetchDescriptor<Journey>()) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Guide>()) == 0)
  }

  @Test func `relationships lead both ways after a save`() throws {
    let fixture = try DataStoreFixture()
    let guide = Guide("Ann")
    let journey = Journey("Oslo")
    journey.guide = guide
    journey.stops = [Stopover("Hamar", order: 1), Stopover("Lom", order: 2)]
    fixture.context.insert(journey)
    try fixture.context.save()
    #expect(journey.stops.map(\.place) == ["Hamar", "Lom"])

    let context = fixture.other
    let found = try #require(try context.journey("Oslo"))
    #expect(found.stops.map(\.place) == ["Hamar", "Lom"])
    #expect(found.stops.allSatisfy { $0.journey === found })
    #expect(found.guide?.name == "Ann")
    #expect(found.guide?.journeys.map(\.title) == ["Oslo"])
    #expect(try context.titles(#Predicate { $0.guide?.name == "Ann" }) == ["Oslo"])
    #expect(try context.titles(#Predicate { $0.stops.contains { $0.place == "Lom" } }) == ["Oslo"])
  }

  @Test func `changed objects and relationships are saved`() throws {
    let fixture = try DataStoreFixture()
    try fixture.fill("Oslo", "Bergen")
    let context = fixture.other
    let oslo = try #require(try context.journey("Oslo"))
    let bergen = try #require(try context.journey("Bergen"))
    let stop = Stopover("Lom", journey: oslo)
    context.insert(stop)
    try context.save()
    #expect(oslo.stops.count == 1)
    stop.journey = bergen
    oslo.days = 9
    #expect(oslo.stops.isEmpty)
    #expect(bergen.stops.map(\.place) == ["Lom"])
    try context.save()

    let third = ModelContext(try fixture.reopened())
    let first = try #require(try third.journey("Oslo"))
    #expect(first.days == 9)
    #expect(first.stops.isEmpty)
    #expect(try third.journey("Bergen")?.stops.map(\.place) == ["Lom"])
  }

  @Test func `deletions follow the delete rules`() throws {
    let fixture = try DataStoreFixture()
    let guide = Guide("Ann")
    let journey = Journey("Oslo")
    journey.guide = guide
    journey.stops = [Stopover("Hamar"), Stopover("Lom")]
    fixture.context.insert(journey)
    try fixture.context.save()

    let context = fixture.other
    let found = try #require(try context.journey("Oslo"))
    context.delete(found)
    try context.save()
    #expect(found.title == "Oslo")
    let third = fixture.other
    #expect(try third.fetchCount(FetchDescriptor<Journey>()) == 0)
    #expect(try third.fetchCount(FetchDescriptor<Stopover>()) == 0)
    let rest = try third.fetch(FetchDescriptor<Guide>())
    #expect(rest.map(\.name) == ["Ann"])
    #expect(rest[0].journeys.isEmpty)
  }

  @Test func `a rollback drops what isn't saved`() throws {
    let fixture = try DataStoreFixture()
    try fixture.fill("Oslo", "Bergen")
    let context = fixture.other
    let oslo = try #require(try context.journey("Oslo"))
    let bergen = try #require(try context.journey("Bergen"))
    oslo.title = "Moss"
    context.delete(bergen)
    context.insert(Journey("New"))
    context.rollback()
    #expect(oslo.title == "Oslo")
    #expect(!context.hasChanges)
    #expect(try context.titles() == ["Bergen", "Oslo"])
    try context.save()
    #expect(try fixture.other.titles() == ["Bergen", "Oslo"])
  }

  @Test func `fetches include changes that aren't saved`() throws {
    let fixture = try DataStoreFixture()
    try fixture.fill("A", "B", "C")
    let context = fixture.other
    let first = try #require(try context.journey("A"))
    let second = try #require(try context.journey("B"))
    first.days = 10
    context.delete(second)
    let new = Journey("D")
    new.days = 5
    context.insert(new)
    var descriptor = FetchDescriptor<Journey>(
      predicate: #Predicate { $0.days > 2 },
      sortBy: [SortDescriptor(\.days)]
    )
    #expect(try context.fetch(descriptor).map(\.title) == ["C", "D", "A"])
    #expect(try context.fetchCount(descriptor) == 3)
    descriptor.fetchLimit = 2
    #expect(try context.fetch(descriptor).map(\.title) == ["C", "D"])
    descriptor.fetchLimit = nil
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).map(\.title) == ["C"])
    #expect(try context.fetchCount(descriptor) == 1)
    descriptor.predicate = nil
    #expect(try context.fetchCount(descriptor) == 3)
    #expect(first.days == 10)
  }

  @Test func `objects are read when they are asked for`() throws {
    let fixture = try DataStoreFixture()
    let journey = Journey("Oslo")
    journey.stops = [Stopover("Lom")]
    fixture.context.insert(journey)
    try fixture.context.save()
    let context = fixture.other
    let fault = try #require(context.model(for: journey.persistentModelID) as? Journey)
    #expect(fault.title == "Oslo")
    #expect(fault.stops.map(\.place) == ["Lom"])
    let other = fixture.other
    let stop = try #require(other.model(for: journey.stops[0].persistentModelID) as? Stopover)
    #expect(stop.journey?.title == "Oslo")
  }

  @Test func `two containers on one file see what the other saved`() throws {
    let fixture = try DataStoreFixture()
    try fixture.fill("Oslo")
    let second = ModelContext(try fixture.reopened())
    let theirs = try #require(try second.journey("Oslo"))
    theirs.days = 30
    second.insert(Journey("Bergen"))
    try second.save()

    let mine = try #require(try fixture.context.journey("Oslo"))
    #expect(mine.days == 30)
    #expect(try fixture.context.titles() == ["Bergen", "Oslo"])
    mine.title = "Moss"
    try fixture.context.save()
    #expect(try second.titles() == ["Bergen", "Moss"])
    #expect(theirs.title == "Moss")
  }
}
