import SwiftData
import Testing

@Suite struct `A store around one of the service` {
  let configuration = WrappingConfiguration()
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try ModelContainer(for: Journey.self, configurations: configuration)
    context = ModelContext(container)
    context.author = "Ann"
  }

  @Test func `objects, relationships, and identifiers are the service's`() throws {
    let journey = Journey("Oslo")
    journey.temper = .wild
    journey.tags = ["north"]
    journey.guide = Guide("Ann")
    journey.stops = [Stopover("Hamar", order: 1), Stopover("Lom", order: 2)]
    context.insert(journey)
    try context.save()
    #expect(configuration.counts.saves == 1)

    let other = ModelContext(container)
    let found = try #require(try other.journey("Oslo"))
    #expect(found.persistentModelID == journey.persistentModelID)
    #expect(found.temper == .wild)
    #expect(found.tags == ["north"])
    #expect(found.guide?.name == "Ann")
    #expect(found.stops.map(\.place).sorted() == ["Hamar", "Lom"])
    #expect(found.stops.allSatisfy { $0.journey === found })
    #expect(configuration.counts.fetches > 0)
  }

  @Test func `the service evaluates predicates, sorts and cuts`() throws {
    for title in ["C", "A", "B", "D"] { context.insert(Journey(title)) }
    try context.save()
    var descriptor = FetchDescriptor<Journey>(
      predicate: #Predicate { $0.title != "D" },
      sortBy: [SortDescriptor(\.title, order: .reverse)]
    )
    descriptor.fetchOffset = 1
    descriptor.fetchLimit = 1
    let other = ModelContext(container)
    #expect(try other.fetch(descriptor).map(\.title) == ["B"])
    #expect(try other.fetchCount(descriptor) == 1)
    #expect(configuration.counts.fetches == 1)
  }

  @Test func `changes and deletions are saved`() throws {
    let journey = Journey("Oslo")
    journey.stops = [Stopover("Hamar"), Stopover("Lom")]
    context.insert(journey)
    context.insert(Journey("Bergen"))
    try context.save()

    let other = ModelContext(container)
    let oslo = try #require(try other.journey("Oslo"))
    let bergen = try #require(try other.journey("Bergen"))
    let stop = try #require(oslo.stops.first { $0.place == "Lom" })
    stop.journey = bergen
    oslo.days = 5
    try other.save()
    let third = ModelContext(container)
    #expect(try third.journey("Oslo")?.days == 5)
    #expect(try third.journey("Oslo")?.stops.map(\.place) == ["Hamar"])
    #expect(try third.journey("Bergen")?.stops.map(\.place) == ["Lom"])

    other.delete(oslo)
    try other.save()
    let last = ModelContext(container)
    #expect(try last.titles() == ["Bergen"])
    #expect(try last.fetch(FetchDescriptor<Stopover>()).map(\.place) == ["Lom"])
  }

  @Test func `the history is the service's`() throws {
    context.insert(Journey("Oslo"))
    try context.save()
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      .filter { !$0.changes.isEmpty }
    #expect(history.map(\.author) == ["Ann"])
    #expect(history.first?.changes.count == 1)
    #expect(configuration.counts.token == history.first?.token)
  }

  @Test func `an error of the service reaches the caller`() throws {
    let journey = Journey("Oslo")
    context.insert(journey)
    try context.save()
    let other = ModelContext(container)
    let copy = try #require(try other.journey("Oslo"))
    other.delete(copy)
    try other.save()
    journey.days = 7
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    #expect(context.hasChanges)
  }
}
