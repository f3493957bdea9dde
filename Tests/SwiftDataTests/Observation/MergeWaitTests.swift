import DepotLinux
import Dispatch
import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Waits for changes that another process has saved before it sent a message.
@MainActor @Suite(.serialized) struct `Waiting for the saves of another process` {
  private let folder: TemporaryFolder
  private let container: ModelContainer
  private let context: ModelContext
  private let shelf: Shelf
  private let user: LibraryUser

  init() throws {
    folder = try TemporaryFolder()
    container = try ModelContainer(
      for: Shelf.self,
      configurations: ModelConfiguration(url: folder.store())
    )
    context = container.mainContext
    context.autosaveEnabled = false
    shelf = Shelf(name: "A")
    shelf.volumes = [Volume(title: "Emma")]
    context.insert(shelf)
    try context.save()
    user = try LibraryUser(folder.store())
  }

  @ModelActor fileprivate actor Reader {
    private var volume: Volume?

    func begin() throws { volume = try modelContext.fetch(FetchDescriptor<Volume>()).first }
    var pages: Int? { volume?.pages }
    /// Keeps the actor busy until somebody lets it go.
    func block(_ begun: DispatchSemaphore, _ end: DispatchSemaphore) {
      begun.signal()
      end.wait()
    }
  }

  /// An actor with the default executor, and a context that merges.
  private actor Watcher {
    private var context: ModelContext?
    private var volume: Volume?

    func begin(_ container: ModelContainer) throws {
      let context = ModelContext(container)
      context.automaticallyMergesChanges = true
      volume = try context.fetch(FetchDescriptor<Volume>()).first
      self.context = context
    }
    var pages: Int? { volume?.pages }
  }

  /// The token of a transaction that is yet to come.
  private func token(after count: Int64) throws -> DefaultHistoryToken {
    var token = try container.currentHistoryToken()
    let store = token.storeIdentifier
    token[store] = token[store]?.advanced(by: count)
    return token
  }

  @Test func `by its token, objects, lists, results, and actors have it then`() async throws {
    let emma = try #require(shelf.volumes.first)
    let results = try ResultsObserver<Volume, Never>(
      filterBy: #Predicate { $0.pages > 0 },
      sortBy: [SortDescriptor(\.title)],
      modelContext: context
    )
    let events = try HistoryObserver(authors: ["user"], modelContainer: container)
    let reader = Reader(modelContainer: container)
    try await reader.begin()
    let watcher = Watcher()
    try await watcher.begin(container)
    for number in 1...40 {
      let token = try await user.token(after: "pages Emma \(number)")
      try await container.waitUntilMerged(through: token, within: .seconds(3600))
      #expect(emma.pages == number)
      #expect(results.results.map(\.pages) == [number])
      #expect(events.eventCounter == number)
      #expect(await reader.pages == number)
      #expect(await watcher.pages == number)
    }
    for number in 1...40 {
      let token = try await user.token(after: "add \(number) A")
      try await container.waitUntilMerged(through: token, within: .seconds(3600))
      #expect(shelf.volumes.count == number + 1)
    }
  }

  @Test func `without a token, by all that is saved by then`() async throws {
    let emma = try #require(shelf.volumes.first)
    for number in 1...40 {
      try await user.perform("pages Emma \(number)")
      try await container.waitUntilMerged(within: .seconds(3600))
      #expect(emma.pages == number)
    }
    #expect(try container.currentHistoryToken() >= DefaultHistoryToken(tokenValue: [:]))
  }

  @Test func `an edit that isn't saved stays, and the policy decides about it`() async throws {
    let emma = try #require(shelf.volumes.first)
    context.mergePolicy = .error
    emma.pages += 1
    let token = try await user.token(after: "pages Emma 10")
    try await container.waitUntilMerged(through: token, within: .seconds(3600))
    #expect(emma.pages == 1)
    #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    context.rollback()
    #expect(emma.pages == 10)
    emma.pages += 1
    try context.save()
    #expect(try await user.token(after: "lend Emma") > DefaultHistoryToken(tokenValue: [:]))
    #expect(emma.pages == 11)
  }

  @Test func `a limit ends it with an error`() async throws {
    _ = shelf.volumes.first?.pages
    let next = try token(after: 1)
    #expect(try next > container.currentHistoryToken())
    let error = await #expect(throws: SwiftDataError.mergeTimeout) {
      try await container.waitUntilMerged(through: next, within: .milliseconds(20))
    }
    #expect(error?.message.contains("hasn't arrived") == true)
    #expect(error?.hint != nil)
    let token = try await user.token(after: "pages Emma 5")
    try await container.waitUntilMerged(through: next, within: .seconds(3600))
    try await container.waitUntilMerged(through: token, within: .seconds(3600))
    #expect(shelf.volumes.first?.pages == 5)
  }

  @Test func `so does an actor that has no time`() async throws {
    let reader = Reader(modelContainer: container)
    try await reader.begin()
    let (begun, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    async let blocked: Void = reader.block(begun, end)
    defer { end.signal() }
    try await onThread { begun.wait() }
    let token = try await user.token(after: "pages Emma 7")
    let moments = try container.lastTransactions()
    try await expectSoon { container.core.remote.hasHandedOut(moments) }
    let error = await #expect(throws: SwiftDataError.mergeTimeout) {
      try await container.waitUntilMerged(through: token, within: .milliseconds(200))
    }
    #expect(error?.message.contains("An actor was too busy") == true, "\(error?.message ?? "")")
    end.signal()
    await blocked
    try await container.waitUntilMerged(through: token, within: .seconds(3600))
    #expect(await reader.pages == 7)
  }

  @Test func `a task that is cancelled waits no longer`() async throws {
    _ = shelf.volumes.first?.pages
    let next = try token(after: 100)
    let container = container
    let task = Task { try await container.waitUntilMerged(through: next) }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a token of another store is refused, and one of several counts for its own`()
    async throws
  {
    let other = try libraryContainer()
    let setup = ModelContext(other)
    setup.insert(Shelf(name: "other"))
    try setup.save()
    let foreign = try other.currentHistoryToken()
    let error = await #expect(throws: SwiftDataError.historyTokenExpired) {
      try await container.waitUntilMerged(through: foreign)
    }
    #expect(error?.message.contains("no store of this container") == true)
    try await container.waitUntilMerged(through: DefaultHistoryToken(tokenValue: [:]))
  }
}
