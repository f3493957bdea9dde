import Testing

@testable import SwiftData

@Suite struct `Results with an object whose changes are dropped` {
  @Test func `they are what the store has`() throws {
    let fixture = try ContextFixture()
    let context = fixture.context
    let gadgets = ["A", "B"].map { Gadget(name: $0, count: 1) }
    for gadget in gadgets { context.insert(gadget) }
    try context.save()
    let results = try ResultsObserver<Gadget, Never>(
      filterBy: #Predicate { $0.count == 1 },
      sortBy: [SortDescriptor(\.name)],
      modelContext: context,
      isolation: nil
    )
    gadgets[0].name = "C"
    gadgets[1].count = 2
    context.processPendingChanges()
    #expect(results.results.map(\.name) == ["C"])
    for gadget in gadgets { context.refresh(gadget, mergeChanges: false) }
    #expect(results.results.map(\.name) == ["A", "B"])
    #expect(!context.hasChanges)
  }
}
