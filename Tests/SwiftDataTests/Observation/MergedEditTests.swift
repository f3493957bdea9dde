import TestSupport
import Testing

@testable import SwiftData

/// What becomes of changes that aren't saved when others have changed the same.
@Suite struct `Taking changes back after a merge` {
  private let container: ModelContainer
  private let context: ModelContext
  private let other: ModelContext
  private let emma: Volume
  private let twin: Volume
  private let shelves: [Shelf]
  private let otherShelves: [Shelf]

  init() throws {
    container = try libraryContainer()
    let seed = ModelContext(container)
    for name in ["A", "B", "C"] { seed.insert(Shelf(name: name)) }
    let new = Volume(title: "Emma", pages: 100)
    seed.insert(new)
    new.shelf = try seed.fetch(FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.name)])).first
    for name in ["novel", "old"] { seed.insert(Topic(name: name)) }
    try seed.save()
    context = ModelContext(container)
    context.automaticallyMergesChanges = true
    other = ModelContext(container)
    let names = FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.name)])
    shelves = try context.fetch(names)
    otherShelves = try other.fetch(names)
    emma = try #require(context.fetch(FetchDescriptor<Volume>()).first)
    twin = try #require(other.fetch(FetchDescriptor<Volume>()).first)
    for shelf in shelves { _ = shelf.volumes.count }
  }

  private func topics(_ context: ModelContext) throws -> [Topic] {
    try context.fetch(FetchDescriptor<Topic>(sortBy: [SortDescriptor(\.name)]))
  }

  /// Saves what the other context has changed, and merges it.
  private func saveElsewhere() async throws {
    twin.pages = 7
    try other.save()
    try await expectSoon {
      context.processPendingChanges()
      return emma.pages == 7
    }
  }

  @Test func `a rollback brings what others have saved`() async throws {
    emma.title = "Mine"
    twin.title = "Theirs"
    try await saveElsewhere()
    #expect(emma.title == "Mine")
    context.rollback()
    #expect(emma.title == "Theirs")
    #expect(!context.hasChanges)
    context.mergePolicy = .error
    emma.title = "Mine again"
    try context.save()
  }

  @Test func `an object goes where others have moved it`() async throws {
    emma.shelf = shelves[1]
    twin.shelf = otherShelves[2]
    try await saveElsewhere()
    #expect(shelves.map(\.volumes.count) == [0, 1, 0])
    context.rollback()
    #expect(emma.shelf === shelves[2])
    #expect(shelves.map(\.volumes.count) == [0, 0, 1])
  }

  @Test(arguments: [false, true])
  func `what was to be deleted is where others have moved it, also after a rollback`(
    isUndone: Bool
  ) async throws {
    let manager = UndoManager()
    context.undoManager = manager
    context.delete(emma)
    twin.shelf = otherShelves[1]
    try await saveElsewhere()
    if isUndone { manager.undo() } else { context.insert(emma) }
    #expect(shelves.map(\.volumes.count) == [0, 1, 0])
    context.rollback()
    #expect(emma.shelf === shelves[1])
    #expect(shelves.map(\.volumes.count) == [0, 1, 0])
    #expect(!context.hasChanges)
  }

  @Test func `undoing a change that isn't saved brings what others have saved`() async throws {
    let manager = UndoManager()
    context.undoManager = manager
    emma.title = "Mine"
    emma.shelf = shelves[1]
    context.processPendingChanges()
    twin.title = "Theirs"
    twin.shelf = otherShelves[2]
    try await saveElsewhere()
    manager.undo()
    #expect(emma.title == "Theirs")
    #expect(emma.shelf === shelves[2])
    #expect(shelves.map(\.volumes.count) == [0, 0, 1])
    #expect(!context.hasChanges)
  }

  @Test func `undoing what was added to a list leaves what others have added`() async throws {
    let manager = UndoManager()
    context.undoManager = manager
    let (mine, theirs) = (try topics(context), try topics(other))
    for topic in mine { _ = topic.volumes.count }
    emma.topics.append(mine[0])
    try context.save()
    twin.topics.append(theirs[1])
    try await saveElsewhere()
    try await expectSoon {
      context.processPendingChanges()
      return emma.topics.count == 2
    }
    manager.undo()
    #expect(emma.topics.map(\.name) == ["old"])
    #expect(mine.map(\.volumes.count) == [0, 1])
    try context.save()
    let fresh = ModelContext(container)
    let stored: Volume = try fresh.existingModel(for: emma.persistentModelID)
    #expect(stored.topics.map(\.name) == ["old"])
    manager.redo()
    #expect(Set(emma.topics.map(\.name)) == ["novel", "old"])
  }

  @Test func `undoing a move takes the object from where others have moved it`() async throws {
    let manager = UndoManager()
    context.undoManager = manager
    emma.shelf = shelves[1]
    try context.save()
    twin.shelf = otherShelves[2]
    try await saveElsewhere()
    #expect(shelves.map(\.volumes.count) == [0, 0, 1])
    manager.undo()
    #expect(emma.shelf === shelves[0])
    #expect(shelves.map(\.volumes.count) == [1, 0, 0])
  }

  @Test func `an edit elsewhere of an object to be deleted is a conflict`() async throws {
    context.mergePolicy = .error
    context.delete(emma)
    try await saveElsewhere()
    #expect(throws: SwiftDataError.self) { try context.save() }
    context.rollback()
    #expect(emma.pages == 7)
    context.delete(emma)
    try context.save()
    #expect(try other.fetchCount(FetchDescriptor<Volume>()) == 0)
  }

  @Test func `an edit of an object that others have deleted is taken back with the object`()
    async throws
  {
    emma.title = "Mine"
    other.delete(twin)
    try other.save()
    try await expectSoon { !context.mergeQueue.isEmpty }
    context.processPendingChanges()
    #expect(context.hasChanges)
    context.rollback()
    #expect(emma.modelContext == nil)
    #expect(!context.hasChanges)
  }

  /// Waits until the context knows that others have deleted what it has changed.
  private func merge(theDeletionOf model: some PersistentModel) async throws {
    try await expectSoon {
      context.processPendingChanges()
      return model.ownStorage?.newer?.isGone == true
    }
  }

  @Test func `a rollback takes what others have deleted out of the list they had put it in`()
    async throws
  {
    emma.shelf = shelves[1]
    twin.shelf = otherShelves[2]
    try await saveElsewhere()
    other.delete(twin)
    try other.save()
    try await merge(theDeletionOf: emma)
    context.rollback()
    #expect(emma.modelContext == nil)
    for shelf in shelves { #expect(shelf.volumes.isEmpty) }
    #expect(!context.hasChanges)
  }

  @Test func `a rollback lets go of what others have deleted, however its changes are taken back`()
    async throws
  {
    emma.shelf = shelves[1]
    other.delete(otherShelves[1])
    try other.save()
    try await merge(theDeletionOf: shelves[1])
    context.rollback()
    #expect(shelves[1].modelContext == nil)
    #expect(emma.shelf === shelves[0])
    #expect(!context.hasChanges)
  }

  @Test func `what is found to be deleted leaves the lists that it is in`() async throws {
    emma.title = "Mine"
    other.delete(twin)
    try other.save()
    try await merge(theDeletionOf: emma)
    context.refresh(emma, mergeChanges: false)
    #expect(emma.title == "Emma")
    #expect(shelves[0].volumes.isEmpty)
    #expect(emma.modelContext == nil)
  }

  @Test func `what was read of one side before others changed both isn't in the list twice`()
    throws
  {
    let late = ModelContext(container)
    let known = try #require(late.fetch(FetchDescriptor<Volume>()).first)
    #expect(known.topics.isEmpty)
    twin.topics = [try topics(other)[0]]
    try other.save()
    let novel = try topics(late)[0]
    #expect(novel.volumes == [known])
    known.topics.append(novel)
    #expect(novel.volumes == [known])
    try late.save()
    #expect(novel.volumes == [known])
  }
}
