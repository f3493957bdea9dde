import TestSupport
import Testing

@testable import SwiftData

@MainActor @Suite(.serialized) struct `Observed results` {
  private let container: ModelContainer
  private let context: ModelContext
  private let other: ModelContext

  init() throws {
    container = try libraryContainer()
    context = container.mainContext
    context.autosaveEnabled = false
    for (title, pages) in [("Emma", 300), ("Dune", 500), ("Solaris", 200)] {
      context.insert(Volume(title: title, pages: pages))
    }
    try context.save()
    other = ModelContext(container)
  }

  private func twin(_ title: String) throws -> Volume {
    try #require(
      other.fetch(FetchDescriptor<Volume>(predicate: #Predicate { $0.title == title })).first
    )
  }

  private func turn() async {
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
  }

  @Test func `results follow changes of the same context before they are saved`() async throws {
    let observer = try ResultsObserver<Volume, Never>(
      filterBy: #Predicate { $0.pages > 250 },
      sortBy: [SortDescriptor(\.title)],
      modelContext: context
    )
    #expect(observer.results.map(\.title) == ["Dune", "Emma"])
    let witness = Witness()
    witness.watch { _ = observer.results.count }
    let new = Volume(title: "Aeneid", pages: 400)
    context.insert(new)
    try await expectSoon { observer.results.map(\.title) == ["Aeneid", "Dune", "Emma"] }
    new.pages = 1
    try await expectSoon { observer.results.map(\.title) == ["Dune", "Emma"] }
    context.rollback()
    await turn()
    #expect(observer.results.map(\.title) == ["Dune", "Emma"])
    #expect(witness.count == 2)
  }

  @Test func `observers are told only when membership or order change`() async throws {
    let observer = try ResultsObserver<Volume, Never>(
      sortBy: [SortDescriptor(\.title)],
      modelContainer: container
    )
    #expect(observer.modelContext === context)
    let emma = observer.results[1]
    let witness = Witness()
    witness.watch { _ = observer.results.count }
    try twin("Emma").pages = 301
    try other.save()
    try await expectSoon { emma.pages == 301 }
    await turn()
    #expect(witness.count == 0)
    other.insert(Topic(name: "unrelated"))
    try other.save()
    try twin("Emma").title = "Zemma"
    try other.save()
    try await expectSoon { observer.results.map(\.title) == ["Dune", "Solaris", "Zemma"] }
    #expect(witness.count == 1)
    // The witness looks again in a turn of its own.
    await turn()
    other.delete(try twin("Dune"))
    try other.save()
    try await expectSoon { observer.results.map(\.title) == ["Solaris", "Zemma"] }
    #expect(witness.count == 2)
  }

  @Test func `what is wanted can be changed`() throws {
    let observer = try ResultsObserver<Volume, Never>(
      fetchDescriptor: FetchDescriptor(),
      modelContext: context
    )
    observer.sortBy = [SortDescriptor(\.pages)]
    #expect(observer.results.map(\.pages) == [200, 300, 500])
    observer.filterBy = #Predicate { $0.pages < 400 }
    #expect(observer.results.map(\.pages) == [200, 300])
    observer.fetchDescriptor.fetchLimit = 1
    #expect(observer.results.map(\.pages) == [200])
    #expect(observer.element(at: IndexPath(indexes: [0, 0]))?.title == "Solaris")
    #expect(observer.indexPath(for: observer.results[0]) == IndexPath(indexes: [0, 0]))
    #expect(observer.element(at: IndexPath(indexes: [0, 1])) == nil)
  }

  @Test func `results are in sections of a property`() async throws {
    for title in ["Emma", "Dune"] {
      context.insert(Volume(title: title, pages: 1))
    }
    let observer = try ResultsObserver<Volume, String>(
      fetchDescriptor: FetchDescriptor(sortBy: [SortDescriptor(\.pages)]),
      sectionBy: \.title,
      modelContext: context
    )
    var sections = try #require(observer.sections)
    #expect(sections.sectionTitles == ["Dune", "Emma", "Solaris"])
    #expect(sections[sectionTitle: "Emma"]?.map(\.pages) == [1, 300])
    #expect(sections.contains(sectionTitle: "Dune"))
    #expect(!sections.contains(sectionTitle: "Iliad"))
    #expect(sections.index(ofSectionTitled: "Solaris") == 2)
    let emma = sections[1][1]
    #expect(observer.indexPath(for: emma) == IndexPath(indexes: [1, 1]))
    #expect(observer.element(at: IndexPath(indexes: [1, 1])) === emma)
    emma.title = "Iliad"
    try await expectSoon { observer.sections?.count == 4 }
    sections = try #require(observer.sections)
    #expect(sections.map(\.title) == ["Dune", "Emma", "Iliad", "Solaris"])
    #expect(sections.map(\.count) == [2, 1, 1, 1])
  }

  @Test func `objects without a title are in the section with the empty one`() async throws {
    let volumes = try context.fetch(FetchDescriptor<Volume>(sortBy: [SortDescriptor(\.title)]))
    for (volume, genre) in zip(volumes, [nil, "novel", ""]) { volume.genre = genre }
    let observer = try ResultsObserver<Volume, String>(sectionBy: \.genre, modelContext: context)
    #expect(observer.sectionBy == \Volume.genre)
    let sections = try #require(observer.sections)
    #expect(sections.sectionTitles == ["", "novel"])
    #expect(sections[sectionTitle: ""]?.map(\.title) == ["Dune", "Solaris"])
    volumes[1].genre = nil
    try await expectSoon { observer.sections?.map(\.count) == [3] }
    let sorted = try ResultsObserver<Volume, String>(
      filterBy: #Predicate { $0.pages > 200 },
      sortBy: [SortDescriptor(\.pages, order: .reverse)],
      sectionBy: \.genre,
      modelContainer: container
    )
    #expect(sorted.sections?.first?.map(\.pages) == [500, 300])
  }

  @Test func `results and sections that are set stand in until the next change`() async throws {
    let observer = try ResultsObserver<Volume, String>(
      sortBy: nil,
      sectionBy: \.title,
      modelContext: context
    )
    let (all, sections) = (observer.results, try #require(observer.sections))
    let witness = Witness()
    witness.watch { _ = observer.results.count }
    observer.results = FetchResultsCollection([all[2], all[0]])
    #expect(witness.count == 1)
    #expect(observer.sections?.sectionTitles == [all[2].title, all[0].title])
    #expect(observer.indexPath(for: all[0]) == IndexPath(indexes: [1, 0]))
    #expect(observer.indexPath(for: all[1]) == nil)
    observer.sections = sections
    #expect(observer.results == all)
    observer.sections = nil
    #expect(observer.sections == nil && observer.results == all)
    observer.results = FetchResultsCollection([])
    #expect(observer.debugDescription.contains("0 results in 0 sections"))
    context.insert(Volume(title: "Aeneid"))
    try await expectSoon { observer.sections?.count == 4 && observer.results.count == 4 }
  }

  @Test func `all that isn't said has its default`() throws {
    let plain = try ResultsObserver<Volume, Never>(modelContext: context)
    #expect(plain.results.count == 3)
    #expect(plain.sections == nil && plain.sectionBy == nil)
    #expect(plain.fetchDescriptor == FetchDescriptor<Volume>())
    #expect(try ResultsObserver<Volume, Never>(modelContainer: container).results.count == 3)
    let sectioned = try ResultsObserver<Volume, String>(sectionBy: \.title, modelContext: context)
    #expect(sectioned.sections?.count == 3)
  }

  @Test func `a predicate over a relationship depends on what it leads to`() async throws {
    let shelf = Shelf(name: "A")
    context.insert(shelf)
    let emma = try #require(
      context.fetch(FetchDescriptor<Volume>(predicate: #Predicate { $0.title == "Emma" })).first
    )
    emma.shelf = shelf
    try context.save()
    let observer = try ResultsObserver<Volume, Never>(
      filterBy: #Predicate { $0.shelf?.name == "B" },
      modelContext: context
    )
    #expect(observer.results.isEmpty)
    let theirs: Shelf = try other.existingModel(for: shelf.persistentModelID)
    theirs.name = "B"
    try other.save()
    try await expectSoon { observer.results.map(\.title) == ["Emma"] }
  }

  @Test func `an observer on another actor keeps up there`() async throws {
    let worker = Shelver(modelContainer: container)
    try await worker.begin()
    #expect(await worker.titles() == ["Dune", "Emma", "Solaris"])
    context.insert(Volume(title: "Aeneid"))
    try context.save()
    try await expectSoon { await worker.titles().first == "Aeneid" }
  }

  @Test func `an observer that is let go leaves the context alone`() async throws {
    var observer: ResultsObserver<Volume, Never>? = try ResultsObserver(modelContext: context)
    weak let gone = observer
    observer = nil
    #expect(gone == nil)
    context.insert(Volume(title: "Aeneid"))
    try await expectSoon { context.observers.isEmpty }
  }

  @Test func `a live query is an array that keeps up`() async throws {
    let list = VolumeList(context)
    #expect(list.long.map(\.title) == ["Dune", "Emma"])
    let witness = Witness()
    witness.watch { _ = list.long.count }
    try twin("Solaris").pages = 1000
    try other.save()
    try await expectSoon { list.long.count == 3 }
    #expect(list.long.map(\.title) == ["Dune", "Emma", "Solaris"])
    #expect(witness.count == 1)
    #expect(list.$long.fetchError == nil)
  }

  @Test func `a live query without a context says so`() {
    let query = LiveQuery<Volume>(sort: \.title)
    #expect(query.wrappedValue.isEmpty)
    #expect(query.fetchError is SwiftDataError)
  }

  @Test func `sequences of observations tell of changes elsewhere`() async throws {
    let emma = try #require(
      context.fetch(FetchDescriptor<Volume>(predicate: #Predicate { $0.title == "Emma" })).first
    )
    let theirs = try twin("Emma")
    var seen: [Int] = []
    for await pages in Observations({ emma.pages }) {
      seen.append(pages)
      if seen.count == 3 { break }
      theirs.pages += 1
      try other.save()
    }
    #expect(seen == [300, 301, 302])
  }

  @Test func `transactions are counted by class and author`() async throws {
    let all = try HistoryObserver(modelContainer: container)
    let chosen = try HistoryObserver(
      observedModels: [Topic.self],
      authors: ["ann"],
      modelContainer: container
    )
    other.insert(Topic(name: "a"))
    try other.save()
    other.author = "ann"
    other.insert(Volume(title: "b"))
    try other.save()
    other.insert(Topic(name: "c"))
    try other.save()
    try await expectSoon { all.eventCounter == 3 }
    try await expectSoon { chosen.eventCounter == 1 }
    let tokens = chosen.historyTokens
    other.insert(Topic(name: "d"))
    try other.save()
    let later = try HistoryObserver(
      historyTokens: tokens,
      observedModels: [Topic.self],
      modelContainer: container
    )
    try await expectSoon { later.eventCounter == 1 && chosen.eventCounter == 2 }
  }
}

/// Somebody who shows volumes.
@MainActor private final class VolumeList {
  @LiveQuery var long: [Volume]

  init(_ context: ModelContext) {
    _long = LiveQuery(
      filter: #Predicate { $0.pages > 250 },
      sort: \.title,
      modelContext: context
    )
  }
}

@ModelActor private actor Shelver {
  private var observer: ResultsObserver<Volume, Never>?

  func begin() throws {
    observer = try ResultsObserver(
      sortBy: [SortDescriptor(\Volume.title)],
      modelContext: modelContext
    )
  }

  func titles() -> [String] { observer?.results.map(\.title) ?? [] }
}
