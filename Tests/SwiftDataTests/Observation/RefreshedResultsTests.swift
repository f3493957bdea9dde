import Testing

@testable import SwiftData

@Suite struct `Results with an object that is refreshed` {
  @Test func `they are what the store has where changes are dropped`() throws {
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

  @Test(arguments: [true, false])
  func `they are what others have stored, when it is read anew`(isDeleted: Bool) throws {
    let fixture = try ContextFixture()
    let (context, other) = (fixture.context, fixture.other)
    let gadget = Gadget(name: "A", count: 1)
    context.insert(gadget)
    try context.save()
    let results = try ResultsObserver<Gadget, Never>(
      filterBy: #Predicate { $0.count == 1 },
      modelContext: context,
      isolation: nil
    )
    context.automaticallyMergesChanges = false
    let copy = try #require(other.saved(Gadget.self).first)
    if isDeleted { other.delete(copy) } else { copy.count = 2 }
    try other.save()
    #expect(results.results.count == 1)
    context.refresh(gadget)
    context.processPendingChanges()
    #expect(results.results.isEmpty)
  }
}
