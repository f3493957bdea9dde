import TestSupport
import Testing

@testable import SwiftData

/// Traps of Apple's module that its users report, as far as no other suite is about them.
@MainActor @Suite(.serialized) struct `Traps that users report` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The orders in which people insert an object and another, and link the two.
  nonisolated static let orders = [
    ["shelf", "volume", "link"], ["volume", "shelf", "link"], ["shelf", "link", "volume"],
    ["volume", "link", "shelf"], ["link", "shelf", "volume"], ["link", "volume", "shelf"],
    ["link", "shelf"], ["link", "volume"],
  ]

  @Test(arguments: orders, [true, false])
  func `objects may be linked before and after they are inserted`(
    order: [String],
    fromList: Bool
  ) throws {
    let container = try libraryContainer()
    let context = ModelContext(container)
    let (shelf, volume) = (Shelf(name: "A"), Volume(title: "Dune"))
    for step in order {
      switch step {
      case "shelf": context.insert(shelf)
      case "volume": context.insert(volume)
      default: if fromList { shelf.volumes.append(volume) } else { volume.shelf = shelf }
      }
    }
    try context.save()
    #expect(shelf.volumes == [volume] && volume.shelf == shelf)
    let saved = try ModelContext(container).fetch(FetchDescriptor<Shelf>())
    #expect(saved.map { $0.volumes.map(\.title) } == [["Dune"]])
    #expect(try context.fetchCount(FetchDescriptor<Volume>()) == 1)
  }

  @Test func `values may be equal once a property isn't unique any more`() throws {
    func context(_ model: any PersistentModel.Type) throws -> ModelContext {
      let configuration = try ModelConfiguration(url: folder.store())
      return ModelContext(try ModelContainer(for: Schema([model]), configurations: [configuration]))
    }
    let unique = try context(UniqueLabels.Label.self)
    for text in ["a", "a"] { unique.insert(UniqueLabels.Label(text)) }
    try unique.save()
    #expect(try unique.fetchCount(FetchDescriptor<UniqueLabels.Label>()) == 1)
    let free = try context(FreeLabels.Label.self)
    for text in ["a", "b"] { free.insert(FreeLabels.Label(text)) }
    try free.save()
    #expect(
      try free.fetch(FetchDescriptor<FreeLabels.Label>()).map(\.text).sorted() == ["a", "a", "b"]
    )
  }

  @Test func `a container of some of the classes leaves the history whole`() throws {
    let configuration = try ModelConfiguration(url: folder.store())
    let whole = ModelContext(
      try ModelContainer(for: Fleet.Voyage.self, Fleet.Buoy.self, configurations: configuration)
    )
    whole.insert(Fleet.Voyage(title: "North"))
    try whole.save()
    let part = ModelContext(
      try ModelContainer(for: Fleet.Buoy.self, configurations: configuration)
    )
    part.insert(Fleet.Buoy(number: 3))
    try part.save()
    let history = try whole.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(
      history.flatMap(\.changes).map(\.changedPersistentIdentifier.entityName)
        == ["Voyage", "Buoy"]
    )
  }

  @Test func `a value that is set to what it was is nothing that others hear of`() throws {
    let container = try libraryContainer()
    let context = ModelContext(container)
    let volume = Volume(title: "Dune", pages: 3)
    context.insert(volume)
    try context.save()
    let other = ModelContext(container)
    let twin = try #require(other.fetch(FetchDescriptor<Volume>()).first)
    twin.pages = 5
    try other.save()
    let history = HistoryDescriptor<DefaultHistoryTransaction>()
    let count = try other.fetchHistory(history).count
    volume.pages = 3
    volume.title = "Dune"
    try context.save()
    #expect(try other.fetchHistory(history).count == count)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Volume>()).map(\.pages) == [5])
  }

  @Test func `what a widget's process deletes is no trap for an object on the screen`() async throws
  {
    let container = try ModelContainer(
      for: Shelf.self,
      configurations: ModelConfiguration(url: folder.store())
    )
    let context = container.mainContext
    context.autosaveEnabled = false
    let shelf = Shelf(name: "A")
    let volume = Volume(title: "Dune", pages: 412, shelf: shelf)
    context.insert(shelf)
    try context.save()
    let observer = try ResultsObserver<Volume, Never>(modelContext: context)
    #expect(observer.results.count == 1)
    await #expect(processExitsWith: .success) { [url = try folder.store() as URL] in
      let container = try ModelContainer(
        for: Shelf.self,
        configurations: ModelConfiguration(url: url)
      )
      let context = ModelContext(container)
      for volume in try context.fetch(FetchDescriptor<Volume>()) { context.delete(volume) }
      context.insert(Shelf(name: "of the widget"))
      try context.save()
    }
    try await expectSoon { observer.results.isEmpty }
    #expect(volume.title == "Dune" && volume.pages == 412)
    #expect(volume.modelContext == nil)
    #expect(shelf.volumes.isEmpty)
    volume.pages = 1
    shelf.name = "B"
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Volume>()) == 0)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Shelf>()) == 2)
  }
}

enum UniqueLabels {
  @Model final class Label {
    @Attribute(.unique) var text: String

    init(_ text: String) { self.text = text }
  }
}

enum FreeLabels {
  @Model final class Label {
    var text: String

    init(_ text: String) { self.text = text }
  }
}
