import TestSupport
import Testing

@testable import SwiftData

@MainActor @Suite(.serialized) struct `Observation across processes` {
  private let folder: TemporaryFolder
  private let user: LibraryUser
  private let context: ModelContext
  private let shelf: Shelf
  private let other: Shelf

  init() throws {
    folder = try TemporaryFolder()
    let container = try ModelContainer(
      for: Shelf.self,
      configurations: ModelConfiguration(url: folder.store())
    )
    context = container.mainContext
    context.autosaveEnabled = false
    shelf = Shelf(name: "A")
    other = Shelf(name: "B")
    shelf.volumes = [Volume(title: "Emma", pages: 1), Volume(title: "Dune", pages: 2)]
    context.insert(shelf)
    context.insert(other)
    try context.save()
    user = try LibraryUser(folder.store())
  }

  private var emma: Volume {
    get throws { try #require(shelf.volumes.first { $0.title == "Emma" }) }
  }

  @Test func `exactly the properties that changed elsewhere tell their observers`() async throws {
    let emma = try emma
    let title = Witness()
    let pages = Witness()
    title.watch { _ = emma.title }
    pages.watch { _ = emma.pages }
    try await user.perform("pages Emma 300")
    try await expectSoon { emma.pages == 300 }
    try await user.perform("place Emma 2 C")
    try await expectSoon { emma.place == Place(floor: 2, row: "C") }
    #expect(pages.count == 1)
    #expect(title.count == 0)
  }

  @Test func `collections gain, lose, exchange, and replace their objects`() async throws {
    #expect(other.volumes.isEmpty)
    let list = Witness()
    list.watch { _ = shelf.volumes.count }
    try await user.perform("add Solaris A")
    try await expectSoon { shelf.volumes.count == 3 }
    #expect(list.count == 1)
    try await user.perform("move Dune B")
    try await expectSoon { other.volumes.map(\.title) == ["Dune"] }
    #expect(Set(shelf.volumes.map(\.title)) == ["Emma", "Solaris"])
    let emma = try emma
    try await user.perform("delete Emma")
    try await expectSoon { shelf.volumes.map(\.title) == ["Solaris"] }
    #expect(emma.title == "Emma")
    try await user.perform("replace A Iliad Odyssey")
    try await expectSoon { Set(shelf.volumes.map(\.title)) == ["Iliad", "Odyssey"] }
  }

  @Test func `computed properties and nested objects tell of what they read`() async throws {
    let emma = try emma
    let lent = Witness()
    let name = Witness()
    lent.watch { _ = shelf.lentCount }
    name.watch { _ = emma.shelf?.name }
    try await user.perform("pages Emma 7")
    try await expectSoon { emma.pages == 7 }
    #expect(lent.count == 0)
    try await user.perform("lend Emma")
    try await expectSoon { shelf.lentCount == 1 }
    #expect(lent.count == 1)
    #expect(name.count == 0)
    try await user.perform("rename A Z")
    try await expectSoon { emma.shelf?.name == "Z" }
    #expect(name.count == 1)
    #expect(lent.count == 1)
  }

  @Test func `results and history observers keep up`() async throws {
    let results = try ResultsObserver<Volume, Never>(
      filterBy: #Predicate { $0.pages > 10 },
      sortBy: [SortDescriptor(\.pages)],
      modelContext: context
    )
    let events = try HistoryObserver(
      observedModels: [Volume.self],
      authors: ["user"],
      modelContainer: context.container
    )
    try await user.perform("pages Emma 30")
    try await user.perform("pages Dune 20")
    try await expectSoon { results.results.map(\.title) == ["Dune", "Emma"] }
    try await user.perform("pages Dune 40")
    try await expectSoon { results.results.map(\.title) == ["Emma", "Dune"] }
    try await user.perform("rename B C")
    try await expectSoon { other.name == "C" }
    #expect(events.eventCounter == 3)
  }

  @Test func `observation goes on after the program that served the store was killed`()
    async throws
  {
    let store = try folder.store("served")
    let owner = try LibraryUser(store)
    try await owner.perform("new A")
    let container = try ModelContainer(
      for: Shelf.self,
      configurations: ModelConfiguration(url: store)
    )
    let shelf = try #require(container.mainContext.fetch(FetchDescriptor<Shelf>()).first)
    try await owner.perform("rename A B")
    try await expectSoon { shelf.name == "B" }
    owner.kill()
    let next = try LibraryUser(store)
    try await next.perform("rename B C")
    try await expectSoon { shelf.name == "C" }
    shelf.name = "D"
    try container.mainContext.save()
    try await next.perform("rename D E")
    try await expectSoon { shelf.name == "E" }
  }
}
