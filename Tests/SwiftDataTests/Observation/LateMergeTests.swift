import TestSupport
import Testing

@testable import SwiftData

/// What others had saved before a context's own saves, and what it is told only after them.
@Suite struct `Merging behind own saves` {
  private let container: ModelContainer
  private let context: ModelContext
  private let other: ModelContext

  init() throws {
    container = try libraryContainer()
    let seed = ModelContext(container)
    for name in ["A", "B", "C"] { seed.insert(Shelf(name: name)) }
    seed.insert(Volume(title: "Emma"))
    seed.insert(Topic(name: ""))
    try seed.save()
    context = ModelContext(container)
    context.automaticallyMergesChanges = true
    other = ModelContext(container)
  }

  private func shelves(_ context: ModelContext) throws -> [Shelf] {
    try context.fetch(FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.name)]))
  }

  /// Lets the context learn of all that was saved so far.
  private func mergeAll(_ mark: String) async throws {
    let topic = try #require(context.fetch(FetchDescriptor<Topic>()).first)
    try #require(other.fetch(FetchDescriptor<Topic>()).first).name = mark
    try other.save()
    try await expectSoon {
      context.processPendingChanges()
      return topic.name == mark
    }
  }

  /// Inserts an object in the other context, and returns that of the context, which isn't told of it yet.
  private func insertOther(on shelf: Shelf) throws -> Volume {
    let new = Volume(title: "Dune")
    other.insert(new)
    new.shelf = shelf
    try other.save()
    return try context.existingModel(for: new.persistentModelID)
  }

  @Test func `an object that was moved on isn't where others had moved it`() async throws {
    let emma = try #require(context.fetch(FetchDescriptor<Volume>()).first)
    let twin = try #require(other.fetch(FetchDescriptor<Volume>()).first)
    let (mine, theirs) = (try shelves(context), try shelves(other))
    for shelf in mine { _ = shelf.volumes.count }
    for round in 0..<20 {
      let place = round % 2 * 2
      other.refreshAllObjects()
      twin.shelf = theirs[1]
      try other.save()
      emma.shelf = mine[place]
      try context.save()
      try await mergeAll("\(round)")
      #expect(emma.shelf === mine[place])
      #expect(mine.map(\.volumes.count) == [1 - round % 2, 0, round % 2])
    }
  }

  @Test func `an object that was deleted isn't where others had inserted it`() async throws {
    let (mine, theirs) = (try shelves(context), try shelves(other))
    for shelf in mine { _ = shelf.volumes.count }
    for round in 0..<20 {
      let twin = try insertOther(on: theirs[0])
      context.delete(twin)
      try context.save()
      try await mergeAll("\(round)")
      #expect(mine.map(\.volumes.count) == [0, 0, 0])
    }
  }

  @Test func `an object is where others had inserted it and the program puts it again`()
    async throws
  {
    let (mine, theirs) = (try shelves(context), try shelves(other))
    for shelf in mine { _ = shelf.volumes.count }
    for round in 0..<20 {
      let twin = try insertOther(on: theirs[0])
      twin.shelf = mine[0]
      try await mergeAll("\(round)")
      #expect(mine[0].volumes.contains { $0 === twin })
      #expect(mine.map(\.volumes.count) == [round + 1, 0, 0])
    }
    try context.save()
    #expect(try shelves(ModelContext(container)).map(\.volumes.count) == [20, 0, 0])
  }
}
