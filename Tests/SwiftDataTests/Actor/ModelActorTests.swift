import TestSupport
import Testing

@testable import SwiftData

@ModelActor private actor Tracks {
  func add(_ count: Int) throws {
    for number in 0..<count { modelContext.insert(Song(title: "\(number)", seconds: number)) }
    try modelContext.save()
  }

  func identifiers() throws -> [PersistentIdentifier] {
    try modelContext.fetchIdentifiers(FetchDescriptor<Song>())
  }

  func title(_ identifier: PersistentIdentifier) -> String? {
    self[identifier, as: Song.self]?.title
  }

  func fetchAll() throws -> Int { try modelContext.fetch(FetchDescriptor<Song>()).count }

  func isOnMainQueue() -> Bool { MainQueue.isCurrent }

  func rename(_ identifier: PersistentIdentifier, _ title: String) throws {
    self[identifier, as: Song.self]?.title = title
    try modelContext.save()
  }
}

@ModelActor private actor Repository<Model: PersistentModel> {
  func count() throws -> Int { try modelContext.fetchCount(FetchDescriptor<Model>()) }
}

@MainActor @Suite struct `Model actors` {
  private let container: ModelContainer

  init() throws { container = try trackContainer() }

  @Test func `an actor works off the main queue though it was made on it`() async throws {
    let tracks = Tracks(modelContainer: container)
    #expect(await !tracks.isOnMainQueue())
    try await tracks.add(3)
    #expect(try container.mainContext.fetchCount(FetchDescriptor<Song>()) == 3)
  }

  @Test func `an object is found by its identifier, and one that isn't there is none`()
    async throws
  {
    let tracks = Tracks(modelContainer: container)
    try await tracks.add(2)
    let identifiers = try await tracks.identifiers()
    #expect(await tracks.title(identifiers[1]) == "1")
    let context = ModelContext(container)
    try context.delete(model: Song.self)
    try await expectSoon { await tracks.title(identifiers[1]) == nil }
  }

  @Test func `an actor can be generic`() async throws {
    try await Tracks(modelContainer: container).add(5)
    #expect(try await Repository<Song>(modelContainer: container).count() == 5)
  }

  @Test func `what an actor saves is merged on the main actor, and the other way round`()
    async throws
  {
    let tracks = Tracks(modelContainer: container)
    try await tracks.add(2)
    let mine = try container.mainContext.fetch(
      FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)])
    )
    try await tracks.rename(mine[0].persistentModelID, "zero")
    try await expectSoon { mine[0].title == "zero" }
    mine[1].title = "one"
    try container.mainContext.save()
    let identifier = mine[1].persistentModelID
    try await expectSoon { await tracks.title(identifier) == "one" }
  }

  @Test func `the main actor goes on while an actor fetches much`() async throws {
    let tracks = Tracks(modelContainer: container)
    try await tracks.add(20_000)
    let heart = Heart()
    heart.beat()
    var fetches = 0
    // Other tests keep the main actor busy now and then.
    repeat {
      #expect(try await tracks.fetchAll() == 20_000)
      fetches += 1
    } while heart.beats < 10 && fetches < 100
    heart.stop()
    #expect(heart.beats >= 10)
  }
}

/// Beats as often as the main actor lets it.
@MainActor private final class Heart {
  private(set) var beats = 0
  private var isStopped = false

  func stop() { isStopped = true }

  /// Beats over the main queue alone, since the pool of threads may be busy with other tests.
  func beat() {
    DispatchQueue.main.async {
      MainActor.assumeIsolated {
        if self.isStopped { return }
        self.beats += 1
        self.beat()
      }
    }
  }
}
