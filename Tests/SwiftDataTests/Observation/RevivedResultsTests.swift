import Testing

@testable import SwiftData

/// Results with an object whose deletion is taken back before it is saved.
@Suite struct `Results with a revived object` {
  private let context: ModelContext
  private let gadget = Gadget(name: "A")
  private let results: ResultsObserver<Gadget, Never>

  init() throws {
    context = try ContextFixture().context
    context.insert(gadget)
    try context.save()
    results = try ResultsObserver(
      fetchDescriptor: FetchDescriptor(),
      modelContext: context,
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
}
