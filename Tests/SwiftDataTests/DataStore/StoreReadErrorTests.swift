import SwiftData
import Testing

/// Objects that a store of the program's own can't read, in a context that is observed.
@Suite struct `A read that fails in an observed context` {
  private let configuration = WrappingConfiguration()
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(for: Journey.self, configurations: configuration)
    let writer = ModelContext(container)
    let journey = Journey("Oslo")
    journey.guide = Guide("Ann")
    journey.stops = [Stopover("Hamar")]
    writer.insert(journey)
    writer.insert(Journey("Bergen"))
    try writer.save()
    context = ModelContext(container)
  }

  private func observer(
    _ predicate: Predicate<Journey>? = nil
  ) throws -> ResultsObserver<Journey, Never> {
    try ResultsObserver(
      fetchDescriptor: FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.title)]),
      modelContext: context,
      isolation: nil
    )
  }

  @Test func `is told to the program that asked`() throws {
    let observer = try observer()
    let oslo = try #require(observer.results.last)
    configuration.counts.unreadable = "Stopover"
    #expect(oslo.stops.isEmpty)
    configuration.counts.unreadable = nil
    oslo.title = "Aas"
    context.processPendingChanges()
    #expect(observer.results.map(\.title) == ["Aas", "Bergen"])
    #expect(observer.fetchError == nil)
    #expect(throws: SwiftDataError.storeFailure) {
      try context.fetchCount(FetchDescriptor<Journey>())
    }
    #expect(try context.fetchCount(FetchDescriptor<Journey>()) == 2)
  }

  @Test func `is told to the observer that asked`() throws {
    let observer = try observer(#Predicate { $0.guide?.name == "Ann" || $0.days > 5 })
    #expect(observer.results.map(\.title) == ["Oslo"])
    let bergen = try #require(try context.journey("Bergen"))
    let writer = ModelContext(container)
    writer.insert(Journey("Lom"))
    let lom = try #require(writer.insertedModelsArray.first as? Journey)
    lom.guide = Guide("Eva")
    try writer.save()
    configuration.counts.unreadable = "Guide"
    bergen.days = 6
    context.processPendingChanges()
    #expect(observer.fetchError != nil)
    #expect(observer.results.map(\.title) == ["Oslo"])
    var all = FetchDescriptor<Journey>()
    all.includePendingChanges = false
    #expect(try context.fetchCount(all) == 3)
    configuration.counts.unreadable = nil
    try context.save()
    #expect(observer.results.map(\.title) == ["Bergen", "Oslo"])
    #expect(observer.fetchError == nil)
  }
}
