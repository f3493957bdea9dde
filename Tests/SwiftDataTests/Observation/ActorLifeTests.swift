import TestSupport
import Testing

@testable import SwiftData

/// Actors that keep what observes for them.
@Suite struct `An actor that keeps its observer` {
  private actor Keeper {
    private var results: ResultsObserver<Gadget, Never>?
    private var history: HistoryObserver?
    private var context: ModelContext?

    func watchResults(_ container: ModelContainer) throws {
      results = try ResultsObserver(fetchDescriptor: FetchDescriptor(), modelContainer: container)
    }

    func watchHistory(_ container: ModelContainer) throws {
      history = try HistoryObserver(modelContainer: container)
    }

    /// Inserts an object in a context that settles here only then.
    func insertAndSettle(_ container: ModelContainer) throws {
      let context = ModelContext(container)
      context.autosaveEnabled = true
      context.insert(Gadget(name: "first"))
      self.context = context
      results = try ResultsObserver(fetchDescriptor: FetchDescriptor(), modelContext: context)
    }

    func insert() { context?.insert(Gadget(name: "second")) }
  }

  private func container() throws -> ModelContainer { try ContextFixture().container }

  @Test func `of results is let go`() async throws {
    let container = try container()
    weak var weakKeeper: Keeper?
    do {
      let keeper = Keeper()
      try await keeper.watchResults(container)
      weakKeeper = keeper
    }
    try await expectSoon { weakKeeper == nil }
  }

  @Test func `of the history is let go`() async throws {
    let container = try container()
    weak var weakKeeper: Keeper?
    do {
      let keeper = Keeper()
      try await keeper.watchHistory(container)
      weakKeeper = keeper
    }
    try await expectSoon { weakKeeper == nil }
  }

  @Test func `saves what was inserted before the context settled there`() async throws {
    let container = try container()
    let keeper = Keeper()
    try await keeper.insertAndSettle(container)
    func count() throws -> Int {
      try ModelContext(container).fetchCount(FetchDescriptor<Gadget>())
    }
    try await expectSoon { try count() == 1 }
    await keeper.insert()
    try await expectSoon { try count() == 2 }
  }
}
