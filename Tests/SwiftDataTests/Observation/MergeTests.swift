import TestSupport
import Testing

@testable import SwiftData

@MainActor @Suite struct `Merging what others save` {
  private let container: ModelContainer
  private let context: ModelContext
  private let other: ModelContext
  private let shelf: Shelf
  private let volumes: [Volume]

  init() throws {
    container = try libraryContainer()
    context = container.mainContext
    context.autosaveEnabled = false
    shelf = Shelf(name: "A")
    volumes = ["Emma", "Ulysses"].map { Volume(title: $0, pages: 100) }
    shelf.volumes = volumes
    context.insert(shelf)
    try context.save()
    other = ModelContext(container)
  }

  /// The other context's object for one of this context.
  private func twin<Model: PersistentModel>(_ model: Model) throws -> Model {
    try other.existingModel(for: model.persistentModelID)
  }

  @Test func `exactly the properties that changed tell their observers`() async throws {
    let emma = volumes[0]
    let title = Witness()
    let pages = Witness()
    title.watch { _ = emma.title }
    pages.watch { _ = emma.pages }
    try twin(emma).pages = 200
    try other.save()
    try await expectSoon { emma.pages == 200 }
    #expect(pages.count == 1)
    #expect(title.count == 0)
    #expect(!emma.hasChanges)
  }

  @Test func `an object enters and leaves a collection`() async throws {
    let list = Witness()
    list.watch { _ = shelf.volumes.count }
    let new = Volume(title: "Middlemarch")
    other.insert(new)
    new.shelf = try twin(shelf)
    try other.save()
    try await expectSoon { shelf.volumes.count == 3 }
    #expect(shelf.volumes.map(\.title) == ["Emma", "Ulysses", "Middlemarch"])
    #expect(shelf.volumes[2].shelf === shelf)
    try await expectSoon { list.count == 1 }
    // The witness looks again in a task of its own.
    await Task.yield()

    other.delete(try twin(volumes[0]))
    try other.save()
    try await expectSoon { shelf.volumes.count == 2 }
    #expect(volumes[0].title == "Emma")
    #expect(volumes[0].modelContext == nil)
    try await expectSoon { list.count == 2 }
  }

  @Test func `an object moves from one collection to another`() async throws {
    let second = Shelf(name: "B")
    context.insert(second)
    try context.save()
    #expect(second.volumes.isEmpty)
    try twin(volumes[0]).shelf = try twin(second)
    try other.save()
    try await expectSoon { second.volumes.count == 1 }
    #expect(shelf.volumes.map(\.title) == ["Ulysses"])
    #expect(volumes[0].shelf === second)
  }

  @Test func `a collection is replaced`() async throws {
    try twin(shelf).volumes = [Volume(title: "Dune"), Volume(title: "Solaris")]
    try other.save()
    try await expectSoon { Set(shelf.volumes.map(\.title)) == ["Dune", "Solaris"] }
    #expect(volumes.allSatisfy { $0.shelf == nil })
  }

  @Test func `a relationship from many to many changes on both sides`() async throws {
    let topic = Topic(name: "Novel")
    context.insert(topic)
    topic.volumes = [volumes[0]]
    try context.save()
    #expect(volumes[1].topics.isEmpty)
    try twin(volumes[1]).topics.append(try twin(topic))
    try other.save()
    try await expectSoon { topic.volumes.count == 2 }
    #expect(volumes[1].topics.map(\.name) == ["Novel"])
    #expect(volumes[0].topics.count == 1)
    try twin(topic).volumes.removeAll { $0.title == "Emma" }
    try other.save()
    try await expectSoon { volumes[0].topics.isEmpty }
    #expect(topic.volumes.map(\.title) == ["Ulysses"])
  }

  @Test func `computed properties depend on what they read, through relationships too`()
    async throws
  {
    let lent = Witness()
    lent.watch { _ = shelf.lentCount }
    try twin(volumes[1]).pages = 5
    try other.save()
    try await expectSoon { volumes[1].pages == 5 }
    #expect(lent.count == 0)
    try twin(volumes[1]).isLent = true
    try other.save()
    try await expectSoon { shelf.lentCount == 1 }
    #expect(lent.count == 1)
  }

  @Test func `composites and absent values are merged`() async throws {
    let place = Place(floor: 2, row: "C")
    try twin(volumes[0]).place = place
    try other.save()
    try await expectSoon { volumes[0].place == place }
    try twin(volumes[0]).place?.floor = 3
    try other.save()
    try await expectSoon { volumes[0].place == Place(floor: 3, row: "C") }
    try twin(volumes[0]).place = nil
    try other.save()
    try await expectSoon { volumes[0].place == nil }
  }

  @Test func `edits that aren't saved are kept, and other properties are merged`() async throws {
    volumes[0].title = "Mine"
    let theirs = try twin(volumes[0])
    theirs.title = "Theirs"
    theirs.pages = 7
    try other.save()
    try await expectSoon { volumes[0].pages == 7 }
    #expect(volumes[0].title == "Mine")
    #expect(volumes[0].hasChanges)
    context.mergePolicy = .error
    #expect(throws: SwiftDataError.self) { try context.save() }
    context.mergePolicy = .mergeByPropertyObjectTrump
    try context.save()
    let fresh: Volume = try ModelContext(container)
      .existingModel(for: volumes[0].persistentModelID)
    #expect(fresh.title == "Mine")
  }

  @Test func `edits that aren't saved are lost where the store wins`() async throws {
    context.mergePolicy = .mergeByPropertyStoreTrump
    volumes[0].title = "Mine"
    volumes[0].pages = 9
    try twin(volumes[0]).title = "Theirs"
    try other.save()
    try await expectSoon { volumes[0].title == "Theirs" }
    #expect(volumes[0].pages == 9)
    #expect(context.hasChanges)
    try context.save()
    #expect(volumes[0].pages == 9)
  }

  @Test(arguments: [MergePolicy.mergeByPropertyStoreTrump, .rollback])
  func `it doesn't matter whether a row is read before its change is told`(
    _ policy: MergePolicy
  ) throws {
    // Without an actor of its own, it merges when it is used next.
    let late = ModelContext(container)
    late.automaticallyMergesChanges = true
    late.mergePolicy = policy
    let volume: Volume = try late.existingModel(for: volumes[0].persistentModelID)
    volume.title = "Mine"
    try twin(volumes[0]).title = "Theirs"
    try other.save()
    try twin(volumes[0]).pages = 7
    try other.save()
    _ = late.read([volume.persistentModelID], of: EntityDescription.of(Volume.self))
    #expect(volume.storage?.changed.isEmpty == false)
    late.processPendingChanges()
    #expect(volume.title == "Theirs")
    #expect(volume.pages == 7)
    #expect(!late.hasChanges)
  }

  @Test func `an edit elsewhere of another property is no conflict after it was merged`()
    async throws
  {
    context.mergePolicy = .error
    volumes[0].title = "Mine"
    try twin(volumes[0]).pages = 7
    try other.save()
    try await expectSoon { volumes[0].pages == 7 }
    try context.save()
    #expect(volumes[0].title == "Mine")
  }

  @Test func `a collection with edits of its own takes in what others add`() async throws {
    shelf.volumes.append(Volume(title: "Mine"))
    let new = Volume(title: "Theirs")
    other.insert(new)
    new.shelf = try twin(shelf)
    try other.save()
    try await expectSoon { shelf.volumes.count == 4 }
    try context.save()
    #expect(Set(shelf.volumes.map(\.title)) == ["Emma", "Ulysses", "Mine", "Theirs"])
    let fresh = ModelContext(container)
    let saved: Shelf = try fresh.existingModel(for: shelf.persistentModelID)
    #expect(saved.volumes.count == 4)
  }

  @Test func `a context's own saves aren't merged again`() async throws {
    let title = Witness()
    title.watch { _ = volumes[0].title }
    volumes[0].title = "Emma II"
    try context.save()
    try twin(volumes[1]).title = "Ulysses II"
    try other.save()
    try await expectSoon { volumes[1].title == "Ulysses II" }
    #expect(title.count == 1)
  }

  @Test func `other contexts merge when they are used next if they are told to`() async throws {
    let third = ModelContext(container)
    third.automaticallyMergesChanges = true
    let mine: Volume = try third.existingModel(for: volumes[0].persistentModelID)
    try twin(volumes[0]).pages = 321
    try other.save()
    try await expectSoon { volumes[0].pages == 321 && !third.mergeQueue.isEmpty }
    #expect(mine.pages == 321)
    #expect(third.mergeQueue.isEmpty)
  }

  @Test func `a context that is told not to merges nothing`() async throws {
    context.automaticallyMergesChanges = false
    let third = ModelContext(container)
    third.automaticallyMergesChanges = true
    let witness: Volume = try third.existingModel(for: volumes[0].persistentModelID)
    try twin(volumes[0]).pages = 321
    try other.save()
    try await expectSoon {
      third.processPendingChanges()
      return witness.pages == 321
    }
    #expect(volumes[0].pages == 100)
  }

  @Test func `a change elsewhere is announced with its token`() async throws {
    let notifications = NotificationCenter.default.notifications(
      named: ModelContainer.remoteChange
    )
    other.author = "elsewhere"
    try twin(volumes[0]).pages = 4
    try other.save()
    for await notification in notifications
    where notification.userInfo?["author"] as? String == "elsewhere" {
      let tokens =
        notification.userInfo?[ModelContext.NotificationKey.historyTokens.rawValue]
        as? [String: any HistoryToken]
      #expect(tokens?.count == 1)
      break
    }
    #expect(volumes[0].pages == 4)
  }
}
