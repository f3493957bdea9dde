import Dispatch
import Testing

@testable import SwiftData

@MainActor @Suite struct `Steps of the main actor` {
  private let container: ModelContainer
  private let context: ModelContext
  private let manager = UndoManager()
  private let shelf = Shelf(name: "A")

  init() throws {
    container = try libraryContainer()
    context = container.mainContext
    context.autosaveEnabled = false
    shelf.volumes = [Volume(title: "Emma", pages: 100), Volume(title: "Ulysses", pages: 100)]
    context.insert(shelf)
    try context.save()
    context.undoManager = manager
  }

  /// Lets the main queue do what waits there.
  private func endTurn() async {
    await withCheckedContinuation { next in DispatchQueue.main.async { next.resume() } }
  }

  @Test func `what is changed in one turn is a step`() async {
    shelf.name = "B"
    shelf.volumes[0].pages = 1
    await endTurn()
    shelf.name = "C"
    await endTurn()
    context.delete(shelf)
    await endTurn()
    await endTurn()
    #expect(manager.undoCount == 3)
    manager.undo()
    #expect(!shelf.isDeleted)
    #expect(shelf.volumes.count == 2)
    manager.undo()
    #expect(shelf.name == "B")
    manager.undo()
    #expect(shelf.name == "A")
    #expect(shelf.volumes.map(\.pages) == [100, 100])
    #expect(!manager.canUndo)
    manager.redo()
    #expect(shelf.name == "B")
  }

  @Test func `what the program registers belongs to the step`() async {
    var undone = 0
    for isFirst in [true, false] {
      if isFirst { manager.registerUndo(withTarget: shelf) { _ in undone += 1 } }
      shelf.name += "!"
      if !isFirst { manager.registerUndo(withTarget: shelf) { _ in undone += 1 } }
      await endTurn()
    }
    #expect(manager.undoCount == 2)
    manager.undo()
    #expect(shelf.name == "A!")
    #expect(undone == 1)
    manager.undo()
    #expect(shelf.name == "A")
    #expect(undone == 2)
  }

  @Test func `a group of the program holds several turns`() async {
    manager.beginUndoGrouping()
    shelf.name = "B"
    await endTurn()
    shelf.volumes[0].pages = 1
    await endTurn()
    manager.endUndoGrouping()
    #expect(manager.undoCount == 1)
    manager.undo()
    #expect(shelf.name == "A")
    #expect(shelf.volumes.map(\.pages) == [100, 100])
  }
}
