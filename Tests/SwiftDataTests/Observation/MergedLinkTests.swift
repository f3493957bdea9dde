import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// What relationships lead to, on both sides, when others have saved what a context changes too.
@Suite struct `Merging both sides of relationships` {
  private let container: ModelContainer
  private let context: ModelContext
  private let other: ModelContext
  private let mine: Shelves
  private let theirs: Shelves

  /// All objects of a context, by their names.
  private struct Shelves {
    let racks: [Rack]
    let tomes: [Tome]
    let labels: [Label]
    let jackets: [Jacket]
    private let context: ModelContext

    init(_ context: ModelContext) throws {
      self.context = context
      racks = try context.fetch(FetchDescriptor<Rack>(sortBy: [SortDescriptor(\.name)]))
      tomes = try context.fetch(FetchDescriptor<Tome>(sortBy: [SortDescriptor(\.title)]))
      labels = try context.fetch(FetchDescriptor<Label>(sortBy: [SortDescriptor(\.name)]))
      jackets = try context.fetch(FetchDescriptor<Jacket>(sortBy: [SortDescriptor(\.name)]))
    }
  }

  init() throws {
    container = try ModelContainer(storing: Rack.self, Tome.self, Label.self, Jacket.self)
    let seed = ModelContext(container)
    for name in ["A", "B"] {
      seed.insert(Rack(name: name))
      seed.insert(Label(name: name))
      seed.insert(Jacket(name: name))
      seed.insert(Tome(title: name))
    }
    seed.insert(Label(name: "mark"))
    try seed.save()
    context = ModelContext(container)
    context.automaticallyMergesChanges = true
    other = ModelContext(container)
    (mine, theirs) = (try Shelves(context), try Shelves(other))
    for rack in mine.racks { _ = rack.tomes.count }
  }

  /// Saves what the other context has changed, and lets the context learn of all that was saved so far.
  private func mergeAll(_ mark: String) async throws {
    let (own, their) = (mine.labels[2], theirs.labels[2])
    other.refresh(their)
    their.name = mark
    try other.save()
    try await expectSoon {
      context.processPendingChanges()
      return own.name == mark
    }
  }

  @Test func `what the store takes from an object in an own save isn't there any more`()
    async throws
  {
    let tome = mine.tomes[0]
    tome.jacket = mine.jackets[1]
    theirs.jackets[0].tome = theirs.tomes[0]
    try await mergeAll("merged")
    #expect(tome.jacket === mine.jackets[1])
    try context.save()
    try await mergeAll("saved")
    #expect(mine.jackets[0].tome == nil)
    #expect(mine.jackets[1].tome === tome)
    #expect(tome.jacket === mine.jackets[1])
  }

  @Test func `an object that others have deleted leaves where it was moved to`() async throws {
    context.mergePolicy = .mergeByPropertyStoreTrump
    mine.tomes[0].rack = mine.racks[1]
    _ = mine.labels[0].tomes.count
    mine.labels[0].tomes.append(mine.tomes[0])
    mine.jackets[0].tome = mine.tomes[0]
    other.delete(theirs.tomes[0])
    try await mergeAll("merged")
    #expect(mine.racks[1].tomes.isEmpty)
    #expect(mine.labels[0].tomes.isEmpty)
    #expect(mine.jackets[0].tome == nil)
    try context.save()
    #expect(!context.hasChanges)
  }

  @Test func `what others have let lead to a deleted object forgets it again`() async throws {
    _ = mine.labels[0].tomes.count
    context.delete(mine.tomes[0])
    context.processPendingChanges()
    theirs.labels[0].tomes = [theirs.tomes[0]]
    try await mergeAll("merged")
    #expect(mine.labels[0].tomes.isEmpty)
    try context.save()
    try await mergeAll("saved")
    #expect(mine.labels[0].tomes.isEmpty)
  }

  @Test func `an insertion that is told after the deletion brings nothing back`() async throws {
    let new = Tome(title: "new")
    context.insert(new)
    new.rack = mine.racks[0]
    try context.save()
    context.delete(new)
    context.processPendingChanges()
    try await mergeAll("merged")
    #expect(mine.racks[0].tomes.isEmpty)
    context.rollback()
    #expect(mine.racks[0].tomes.map(\.title) == ["new"])
    #expect(new.rack === mine.racks[0])
  }

  @Test func `a link is removed that only one side was known to have`() async throws {
    _ = mine.labels[0].tomes.count
    theirs.labels[0].tomes = [theirs.tomes[0]]
    try other.save()
    mine.tomes[0].labels.removeAll { $0 === mine.labels[0] }
    #expect(mine.tomes[0].labels.isEmpty)
    try context.save()
    try await mergeAll("merged")
    #expect(mine.tomes[0].labels.isEmpty)
    #expect(mine.labels[0].tomes.isEmpty)
    let stored = try Shelves(ModelContext(container))
    #expect(stored.labels[0].tomes.isEmpty)
  }

  @Test func `an object led elsewhere by others is led back`() async throws {
    mine.tomes[0].jacket = mine.jackets[0]
    try context.save()
    try await mergeAll("first")
    other.refreshAllObjects()
    theirs.jackets[0].tome = theirs.tomes[1]
    try other.save()
    // What the other side says is read before the change is told.
    context.refresh(mine.tomes[0], mergeChanges: false)
    #expect(mine.tomes[0].jacket == nil)
    mine.tomes[0].jacket = mine.jackets[0]
    try context.save()
    try await mergeAll("second")
    #expect(mine.tomes.map { $0.jacket?.name } == ["A", nil])
    #expect(mine.jackets[0].tome === mine.tomes[0])
    let stored = try Shelves(ModelContext(container))
    #expect(stored.jackets[0].tome?.title == "A")
  }

  @Test func `undoing leaves what others have done to a list meanwhile`() async throws {
    let manager = UndoManager()
    mine.tomes[0].rack = mine.racks[0]
    mine.tomes[1].rack = mine.racks[0]
    try context.save()
    context.undoManager = manager
    for label in mine.labels { _ = label.tomes.count }
    mine.tomes[0].rack = mine.racks[1]
    mine.tomes[0].labels = [mine.labels[0]]
    other.refreshAllObjects()
    theirs.tomes[1].rack = nil
    theirs.tomes[0].labels = [theirs.labels[1]]
    try await mergeAll("merged")
    #expect(mine.racks.map(\.tomes.count) == [0, 1])
    manager.undo()
    #expect(mine.racks[0].tomes.map(\.title) == ["A"])
    #expect(mine.tomes[0].rack === mine.racks[0])
    #expect(mine.tomes[0].labels.map(\.name) == ["B"])
    #expect(mine.labels[0].tomes.isEmpty)
    #expect(mine.labels[1].tomes.map(\.title) == ["A"])
  }

  @Test func `a rollback brings what was read since on both sides`() throws {
    let reader = ModelContext(container)
    let own = try Shelves(reader)
    for rack in own.racks { _ = rack.tomes.count }
    own.racks[0].tomes = [own.tomes[0]]
    theirs.racks[0].tomes = [theirs.tomes[0]]
    try other.save()
    reader.refresh(own.tomes[0])
    reader.rollback()
    #expect(own.tomes[0].rack === own.racks[0])
    #expect(own.racks[0].tomes.map(\.title) == ["A"])
  }

  @Test(
    arguments: [
      MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite,
    ],
    [false, true]
  )
  func `of two that are given the same from one to one, one has it in the end`(
    _ policy: MergePolicy,
    _ isInConflict: Bool
  ) throws {
    context.mergePolicy = policy
    context.automaticallyMergesChanges = false
    theirs.tomes[0].jacket = theirs.jackets[0]
    // Then the tome is read anew before the jacket, whose row tells who has it.
    if isInConflict { (theirs.tomes[0].pages, mine.tomes[0].scan) = (5, Data([1])) }
    try other.save()
    mine.tomes[1].jacket = mine.jackets[0]
    try context.save()
    let stored = try Shelves(ModelContext(container))
    let wins = policy != .mergeByPropertyStoreTrump
    for shelves in [stored, mine] {
      #expect(shelves.jackets[0].tome?.title == (wins ? "B" : "A"))
      #expect(shelves.tomes.map { $0.jacket?.name } == (wins ? [nil, "A"] : ["A", nil]))
    }
    #expect(!context.hasChanges)
  }

  @Test func `a rollback leaves no list with an object that others took out of it`() async throws {
    mine.tomes[0].rack = mine.racks[0]
    for tome in theirs.tomes { tome.rack = theirs.racks[0] }
    try await mergeAll("the same, and more")
    #expect(mine.racks.map(\.tomes.count) == [2, 0])
    theirs.tomes[0].rack = theirs.racks[1]
    try await mergeAll("another one")
    #expect(mine.racks.map(\.tomes.count) == [2, 0])
    mine.tomes[0].rack = nil
    #expect(mine.racks.map(\.tomes.count) == [1, 0])
    context.rollback()
    #expect(mine.tomes[0].rack === mine.racks[1])
    #expect(mine.racks.map(\.tomes.count) == [1, 1])
    #expect(!context.hasChanges)
  }

  @Test func `a rollback puts an object back that others took out of a list and put in again`()
    async throws
  {
    for tome in theirs.tomes { tome.rack = theirs.racks[0] }
    try await mergeAll("both are there")
    mine.racks[0].tomes.removeAll { $0.title == "A" }
    other.refreshAllObjects()
    for tome in theirs.tomes { tome.rack = theirs.racks[1] }
    try await mergeAll("both are elsewhere")
    #expect(mine.racks.map(\.tomes.count) == [0, 1])
    other.refreshAllObjects()
    theirs.tomes[0].rack = theirs.racks[0]
    try await mergeAll("one is back")
    #expect(mine.racks.map(\.tomes.count) == [0, 1])
    context.rollback()
    #expect(mine.tomes[0].rack === mine.racks[0])
    #expect(mine.racks.map(\.tomes.count) == [1, 1])
    #expect(!context.hasChanges)
  }

  @Test func `a rollback leaves no object with one that others led elsewhere`() async throws {
    let manager = UndoManager()
    context.undoManager = manager
    mine.tomes[0].jacket = mine.jackets[0]
    context.processPendingChanges()
    theirs.tomes[0].jacket = theirs.jackets[0]
    try await mergeAll("the same")
    mine.tomes[0].jacket = mine.jackets[1]
    context.processPendingChanges()
    manager.undo()
    theirs.tomes[0].jacket = nil
    theirs.jackets[0].tome = theirs.tomes[1]
    try await mergeAll("another one")
    #expect(mine.tomes[0].jacket === mine.jackets[0])
    mine.tomes[0].jacket = nil
    context.rollback()
    #expect(mine.jackets[0].tome === mine.tomes[1])
    #expect(mine.tomes.map { $0.jacket?.name } == [nil, "A"])
    #expect(!context.hasChanges)
  }

  @Test func `an end of the context is the end of all that its merges have used`() async throws {
    weak var ended: ModelContext?
    do {
      let brief = ModelContext(container)
      brief.automaticallyMergesChanges = true
      let own = try Shelves(brief)
      for rack in own.racks { _ = rack.tomes.count }
      for label in own.labels { _ = label.tomes.count }
      theirs.tomes[0].rack = theirs.racks[0]
      theirs.tomes[0].labels = [theirs.labels[0]]
      try other.save()
      brief.processPendingChanges()
      #expect(own.racks.map(\.tomes.count) == [1, 0])
      #expect(own.labels.map(\.tomes.count) == [1, 0, 0])
      ended = brief
    }
    #expect(ended == nil)
  }
}
