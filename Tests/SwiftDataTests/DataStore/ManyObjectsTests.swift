import SwiftData
import Testing

/// Deleting and enumerating many objects of a store of the program's own.
@Suite struct `Many objects of a program's own store` {
  @Test func `objects that match a predicate are deleted with what they own`() throws {
    let fixture = try DataStoreFixture()
    try fixture.fill("A", "B", "C")
    let journey = try #require(try fixture.context.journey("B"))
    journey.stops = [Stopover("Lom")]
    try fixture.context.save()
    try fixture.context.delete(model: Journey.self, where: #Predicate { $0.days > 1 })
    #expect(try fixture.context.titles() == ["A"])
    #expect(try fixture.other.titles() == ["A"])
    #expect(try fixture.other.fetchCount(FetchDescriptor<Stopover>()) == 0)
    try fixture.context.delete(model: Journey.self)
    #expect(try fixture.other.titles() == [])
  }

  @Test func `objects are enumerated in batches`() throws {
    let fixture = try DataStoreFixture()
    try fixture.fill("A", "B", "C", "D", "E")
    var titles: [String] = []
    try fixture.other.enumerate(
      FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.title)]),
      batchSize: 2
    ) { titles.append($0.title) }
    #expect(titles == ["A", "B", "C", "D", "E"])
  }
}
