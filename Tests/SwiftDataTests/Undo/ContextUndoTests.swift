import TestSupport
import Testing

@testable import SwiftData

@Suite struct `Undoing changes of a context` {
  private let container: ModelContainer
  private let context: ModelContext
  private let manager = UndoManager()
  private let shelf: Shelf
  private let volumes: [Volume]

  init() throws {
    container = try libraryContainer()
    context = ModelContext(container)
    shelf = Shelf(name: "A")
    volumes = ["Emma", "Ulysses"].map { Volume(title: $0, pages: 100) }
    shelf.volumes = volumes
    context.insert(shelf)
    try context.save()
    context.undoManager = manager
  }

  private func saved() throws -> [String: [String]] {
    let fresh = ModelContext(container)
    var found: [String: [String]] = [:]
    for shelf in try fresh.fetch(FetchDescriptor<Shelf>()) {
      found[shelf.name] = shelf.volumes.map { "\($0.title) \($0.pages)" }.sorted()
    }
    return found
  }

  @Test func `a change that isn't saved is undone and done again`() {
    #expect(!manager.canUndo)
    volumes[0].pages = 5
    volumes[0].title = "Em"
    #expect(manager.canUndo)
    manager.undo()
    #expect(volumes[0].pages == 100)
    #expect(volumes[0].title == "Emma")
    #expect(!context.hasChanges)
    manager.redo()
    #expect(volumes[0].pages == 5)
    #expect(volumes[0].title == "Em")
    #expect(context.hasChanges)
  }

  @Test func `every save is a step of its own`() throws {
    volumes[0].pages = 1
    try context.save()
    volumes[0].pages = 2
    try context.save()
    volumes[0].pages = 3
    manager.undo()
    #expect(volumes[0].pages == 2)
    manager.undo()
    #expect(volumes[0].pages == 1)
    try context.save()
    #expect(try saved()["A"]?.first == "Emma 1")
    manager.undo()
    #expect(volumes[0].pages == 100)
    manager.redo()
    manager.redo()
    manager.redo()
    #expect(volumes[0].pages == 3)
  }

  @Test func `a group of the program holds several saves`() throws {
    manager.beginUndoGrouping()
    volumes[0].pages = 1
    try context.save()
    volumes[1].pages = 2
    try context.save()
    manager.endUndoGrouping()
    manager.setActionName("Count Pages")
    #expect(manager.undoActionName == "Count Pages")
    manager.undo()
    #expect(volumes.map(\.pages) == [100, 100])
    #expect(!manager.canUndo)
    #expect(manager.redoActionName == "Count Pages")
    manager.redo()
    #expect(volumes.map(\.pages) == [1, 2])
  }

  @Test func `an insertion is undone before and after it was saved`() throws {
    let new = Volume(title: "Dune")
    shelf.volumes.append(new)
    manager.undo()
    #expect(shelf.volumes.count == 2)
    #expect(new.shelf == nil)
    try context.save()
    #expect(try saved() == ["A": ["Emma 100", "Ulysses 100"]])
    manager.redo()
    #expect(shelf.volumes.count == 3)
    try context.save()
    #expect(try saved()["A"]?.count == 3)
    manager.undo()
    try context.save()
    #expect(try saved() == ["A": ["Emma 100", "Ulysses 100"]])
    manager.redo()
    try context.save()
    #expect(try saved()["A"]?.contains("Dune 0") == true)
  }

  @Test func `a deletion with what it took along is undone before it was saved`() throws {
    context.delete(shelf)
    context.processPendingChanges()
    #expect(context.deletedModelsArray.count == 3)
    manager.undo()
    #expect(context.deletedModelsArray.isEmpty)
    #expect(shelf.volumes.count == 2)
    #expect(volumes.allSatisfy { $0.shelf === shelf })
    try context.save()
    #expect(try saved() == ["A": ["Emma 100", "Ulysses 100"]])
    manager.redo()
    try context.save()
    #expect(try saved().isEmpty)
  }

  @Test func `a deletion that the program takes back is a step of its own`() throws {
    let volume = Volume(title: "Alone", pages: 1)
    context.insert(volume)
    try context.save()
    context.delete(volume)
    context.processPendingChanges()
    context.insert(volume)
    context.processPendingChanges()
    manager.undo()
    #expect(volume.isDeleted)
    manager.undo()
    #expect(!volume.isDeleted)
    #expect(!context.hasChanges)
    manager.redo()
    #expect(volume.isDeleted)
    manager.redo()
    #expect(!volume.isDeleted)
    // In one step it is nothing.
    context.delete(volume)
    context.insert(volume)
    volume.pages = 2
    manager.undo()
    #expect(!volume.isDeleted)
    #expect(volume.pages == 1)
    manager.undo()
    #expect(volume.isDeleted)
  }

  @Test func `a deletion that was saved is undone by inserting anew`() throws {
    context.delete(shelf)
    try context.save()
    #expect(try saved().isEmpty)
    manager.undo()
    #expect(shelf.volumes.map(\.title) == ["Emma", "Ulysses"])
    #expect(volumes[0].shelf === shelf)
    try context.save()
    #expect(try saved() == ["A": ["Emma 100", "Ulysses 100"]])
    manager.redo()
    try context.save()
    #expect(try saved().isEmpty)
  }

  @Test func `deleting one of a collection is undone`() throws {
    context.delete(volumes[0])
    try context.save()
    #expect(shelf.volumes.map(\.title) == ["Ulysses"])
    manager.undo()
    #expect(shelf.volumes.map(\.title) == ["Emma", "Ulysses"])
    try context.save()
    #expect(try saved() == ["A": ["Emma 100", "Ulysses 100"]])
  }

  @Test func `relationships are undone on both sides`() throws {
    let topic = Topic(name: "Novel")
    context.insert(topic)
    try context.save()
    volumes[0].topics = [topic]
    #expect(topic.volumes.count == 1)
    manager.undo()
    #expect(volumes[0].topics.isEmpty)
    #expect(topic.volumes.isEmpty)
    manager.redo()
    #expect(topic.volumes.map(\.title) == ["Emma"])
    try context.save()
  }

  @Test func `an object that got a topic and was deleted is in no list after undoing both`() throws
  {
    let topic = Topic(name: "Novel")
    context.insert(topic)
    try context.save()
    topic.volumes.append(volumes[0])
    context.delete(volumes[0])
    manager.undo()
    #expect(topic.volumes.isEmpty)
    #expect(volumes[0].topics.isEmpty)
    manager.redo()
    #expect(volumes[0].isDeleted)
    #expect(topic.volumes.isEmpty)
  }

  /// A context whose changes are recorded, with a tome whose scan isn't read.
  private func tomes() throws -> (container: ModelContainer, context: ModelContext, tome: Tome) {
    let container = try ModelContainer(storing: Tome.self)
    let seed = ModelContext(container)
    let tome = Tome(title: "Emma")
    tome.scan = Data([1])
    seed.insert(tome)
    try seed.save()
    let context = ModelContext(container)
    context.undoManager = manager
    return (container, context, try #require(context.fetch(FetchDescriptor<Tome>()).first))
  }

  private func scans(_ container: ModelContainer) throws -> [Data] {
    try ModelContext(container).fetch(FetchDescriptor<Tome>()).map(\.scan)
  }

  @Test(arguments: [false, true])
  func `a change of a large value that wasn't read is undone`(isSaved: Bool) throws {
    let (container, context, tome) = try tomes()
    tome.scan = Data([2])
    if isSaved { try context.save() }
    manager.undo()
    #expect(tome.scan == Data([1]))
    try context.save()
    #expect(try scans(container) == [Data([1])])
    manager.redo()
    try context.save()
    #expect(try scans(container) == [Data([2])])
  }

  @Test func `a deletion brings large values back that weren't read`() throws {
    let (container, context, tome) = try tomes()
    context.delete(tome)
    try context.save()
    manager.undo()
    try context.save()
    #expect(try scans(container) == [Data([1])])
  }

  @Test func `rolling back forgets what could be undone`() {
    volumes[0].pages = 1
    context.processPendingChanges()
    volumes[0].pages = 2
    context.rollback()
    #expect(!manager.canUndo)
    #expect(volumes[0].pages == 100)
  }

  @Test func `a context without an undo manager records nothing any more`() {
    context.undoManager = nil
    volumes[0].pages = 1
    #expect(!manager.canUndo)
    #expect(context.observers.isEmpty)
  }

  @Test(arguments: seeds(40)) func `undoing all steps leads back, doing them again leads forth`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    var states = [state()]
    for _ in 0..<12 {
      for _ in 0..<Int.random(in: 1...3, using: &random) { try change(&random) }
      if Bool.random(using: &random) {
        try context.save()
      } else {
        context.processPendingChanges()
      }
      // What changed nothing is no step.
      if manager.undoCount == states.count {
        states.append(state())
      } else {
        states[states.count - 1] = state()
      }
    }
    for expected in states.dropLast().reversed() {
      manager.undo()
      #expect(state() == expected)
      if Bool.random(using: &random) { try context.save() }
    }
    for expected in states.dropFirst() {
      manager.redo()
      #expect(state() == expected)
      if Bool.random(using: &random) { try context.save() }
    }
  }

  private func state() -> [String] {
    let shelves = (try? context.fetch(FetchDescriptor<Shelf>())) ?? []
    let all = (try? context.fetch(FetchDescriptor<Volume>())) ?? []
    return shelves.map { "\($0.name): \($0.volumes.map(\.title).sorted())" }.sorted()
      + all.map { "\($0.title) \($0.pages) \($0.shelf?.name ?? "-")" }.sorted()
  }

  private func change(_ random: inout SeededGenerator) throws {
    let shelves = try context.fetch(FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.name)]))
    let all = try context.fetch(FetchDescriptor<Volume>(sortBy: [SortDescriptor(\.title)]))
    let number = Int.random(in: 0..<1_000_000, using: &random)
    switch Int.random(in: 0..<7, using: &random) {
    case 0: context.insert(Shelf(name: "S\(number)"))
    case 1: shelves.randomElement(using: &random)?.volumes.append(Volume(title: "V\(number)"))
    case 2: all.randomElement(using: &random)?.pages = number
    case 3: all.randomElement(using: &random)?.shelf = shelves.randomElement(using: &random)
    case 4: all.randomElement(using: &random).map { context.delete($0) }
    case 5 where shelves.count > 1:
      shelves.randomElement(using: &random).map { context.delete($0) }
    default: all.randomElement(using: &random)?.title = "T\(number)"
    }
  }
}
