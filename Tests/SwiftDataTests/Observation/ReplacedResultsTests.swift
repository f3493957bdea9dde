import TestSupport
import Testing

@testable import SwiftData

/// Results with an object whose row another one takes over, as it has the same unique value.
@MainActor @Suite struct `Results with a replaced object` {
  private let descriptor = FetchDescriptor<Gadget>(sortBy: [SortDescriptor(\.name)])

  @Test func `they have the other one after a save`() throws {
    let context = try ContextFixture().context
    let results = try ResultsObserver<Gadget, Never>(
      fetchDescriptor: descriptor,
      modelContext: context,
      isolation: nil
    )
    context.insert(Gadget(name: "A"))
    try context.save()
    let other = Gadget(name: "A")
    context.insert(other)
    context.processPendingChanges()
    #expect(results.results.count == 2)
    try context.save()
    #expect(results.results.count == 1)
    #expect(results.results.first === other)
  }

  @Test func `they have the other one after a turn of the main actor`() async throws {
    let context = try ContextFixture().container.mainContext
    context.autosaveEnabled = false
    let results = try ResultsObserver<Gadget, Never>(
      fetchDescriptor: descriptor,
      modelContext: context
    )
    context.insert(Gadget(name: "A"))
    try context.save()
    let other = Gadget(name: "A")
    context.insert(other)
    try await expectSoon { results.results.count == 2 }
    try context.save()
    try await expectSoon { results.results.count == 1 }
    #expect(results.results.first === other)
  }
}
