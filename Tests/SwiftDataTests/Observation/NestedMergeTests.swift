import TestSupport
import Testing

@testable import SwiftData

/// What happens when those who are told of a merge ask the context for something.
@Suite struct `Merging while observers fetch` {
  private let container: ModelContainer
  private let context: ModelContext
  private let other: ModelContext
  private let twin: Volume

  init() throws {
    container = try libraryContainer()
    other = ModelContext(container)
    twin = Volume(title: "Emma", pages: 1)
    other.insert(twin)
    try other.save()
    context = ModelContext(container)
    context.automaticallyMergesChanges = true
  }

  /// Returns when everything that was saved waits to be merged.
  private func arrival(of count: Int) async throws {
    try await expectSoon { context.mergeQueue.count >= count }
  }

  @Test func `results are fetched once for all that waits`() async throws {
    let results = try ResultsObserver<Volume, Never>(
      filterBy: #Predicate { $0.pages > 0 },
      modelContext: context,
      isolation: nil
    )
    for pages in 2...600 {
      twin.pages = pages
      try other.save()
    }
    let new = Volume(title: "Dune", pages: 1)
    other.insert(new)
    try other.save()
    try await arrival(of: 600)
    context.processPendingChanges()
    #expect(results.results.count == 2)
    #expect(results.results.contains { $0.pages == 600 })
    #expect(context.mergeQueue.isEmpty)
  }

  @Test func `what an observer has fetched isn't overwritten by what was saved before`()
    async throws
  {
    let emma = try #require(context.fetch(FetchDescriptor<Volume>()).first)
    for title in ["first", "second"] {
      twin.title = title
      try other.save()
    }
    try await arrival(of: 2)
    // because observers are told on the thread of the context, which is this one
    nonisolated(unsafe) let context = context
    withObservationTracking {
      _ = emma.title
    } onChange: {
      _ = try? context.fetch(FetchDescriptor<Volume>())
    }
    context.processPendingChanges()
    #expect(emma.title == "second")
  }
}
