import Testing

@testable import SwiftData

/// Results with an object whose deletion is taken back before it is saved.
@Suite struct `Results with a revived object` {
  private let fixture: ContextFixture
  private var context: ModelContext { fixture.context }
  private let gadget = Gadget(name: "A")
  private let results: ResultsObserver<Gadget, Never>

  init() throws {
    fixture = try ContextFixture()
    fixture.context.insert(gadget)
    try fixture.context.save()
    results = try ResultsObserver(
      fetchDescriptor: FetchDescriptor(),
      modelContext: fixture.context,
      isolation: nil
    )
  }

  @Test func `the program inserts it again`() {
    context.delete(gadget)
    context.processPendingChanges()
    #expect(results.results.isEmpty)
    context.insert(gadget)
    context.processPendingChanges()
    #expect(results.results.count == 1)
    #expect(!context.hasChanges)
  }

  @Test func `its deletion is undone`() {
    let manager = UndoManager()
    context.undoManager = manager
    context.delete(gadget)
    context.processPendingChanges()
    #expect(results.results.isEmpty)
    manager.undo()
    context.processPendingChanges()
    #expect(results.results.count == 1)
    manager.redo()
    context.processPendingChanges()
    #expect(results.results.isEmpty)
  }

  @Test func `the store keeps it, as the policy says`() throws {
    let other = fixture.other
    let copy = try #require(other.saved(Gadget.self).first)
    context.mergePolicy = .mergeByPropertyStoreTrump
    copy.count = 7
    context.delete(gadget)
    context.processPendingChanges()
    #expect(results.results.isEmpty)
    try other.save()
    context.automaticallyMergesChanges = false
    try context.save()
    #expect(gadget.modelContext === context)
    #expect(results.results.count == 1)
  }
}
