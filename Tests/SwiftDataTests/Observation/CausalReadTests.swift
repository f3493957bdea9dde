import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

/// An actor whose context saves what other contexts of the process then have to see.
@ModelActor private actor Librarian {
  func rename(_ identifier: PersistentIdentifier, _ title: String) throws {
    self[identifier, as: Volume.self]?.title = title
    try modelContext.save()
  }

  func add(_ title: String, to shelf: PersistentIdentifier) throws {
    let volume = Volume(title: title)
    modelContext.insert(volume)
    volume.shelf = self[shelf, as: Shelf.self]
    try modelContext.save()
  }

  func increment(_ identifier: PersistentIdentifier) throws {
    let volume = modelContext.model(for: identifier) as? Volume
    volume?.pages += 1
    try modelContext.save()
  }

  func setAll(_ pages: Int) throws {
    for volume in try modelContext.fetch(FetchDescriptor<Volume>()) { volume.pages = pages }
    try modelContext.save()
  }

  func setAllAtOnce(_ pages: Int) throws {
    try modelContext.update(Volume.self, set: \.pages, to: pages)
  }

  func deleteAll() throws { try modelContext.delete(model: Volume.self) }
}

/// An actor with the default executor and a context of its own, which merges.
private actor Reader {
  private var context: ModelContext?
  private var shelf: Shelf?
  private var volume: Volume?
  private var results: ResultsObserver<Volume, Never>?

  func begin(
    _ container: ModelContainer,
    _ volume: PersistentIdentifier,
    isObserving: Bool
  ) throws {
    let context = ModelContext(container)
    context.automaticallyMergesChanges = true
    if isObserving {
      let predicate = #Predicate<Volume> { $0.pages > 0 }
      let descriptor = FetchDescriptor(predicate: predicate)
      results = try ResultsObserver(fetchDescriptor: descriptor, modelContext: context)
    }
    self.volume = try context.existingModel(for: volume)
    shelf = self.volume?.shelf
    _ = shelf?.volumes.count
    self.context = context
  }

  var title: String? { volume?.title }
  var count: Int? { shelf?.volumes.count }
  /// How many volumes an observer shows that have been changed so often.
  func shownCount(_ pages: Int) -> Int? { results?.results.count { $0.pages == pages } }

  func increment() throws {
    volume?.pages += 1
    try context?.save()
  }
}

/// Whether a process sees in each of its contexts what it has saved in another one before.
@MainActor @Suite struct `What was saved before a call` {
  private let container: ModelContainer
  private let context: ModelContext
  private let shelf: Shelf
  private let volume: Volume

  init() throws {
    container = try libraryContainer()
    context = container.mainContext
    context.autosaveEnabled = false
    shelf = Shelf(name: "A")
    volume = Volume(title: "0")
    shelf.volumes = [volume]
    context.insert(shelf)
    try context.save()
  }

  @Test func `is seen in a property, by its identifier, and in the registered object`() async throws
  {
    let librarian = Librarian(modelContainer: container)
    let identifier = volume.persistentModelID
    for number in 1...100 {
      try await librarian.rename(identifier, "\(number)")
      #expect(volume.title == "\(number)")
      #expect((context.model(for: identifier) as? Volume)?.title == "\(number)")
      let registered: Volume? = context.registeredModel(for: identifier)
      #expect(registered?.title == "\(number)")
    }
  }

  @Test func `is seen in a list`() async throws {
    let librarian = Librarian(modelContainer: container)
    for number in 1...100 {
      try await librarian.add("\(number)", to: shelf.persistentModelID)
      #expect(shelf.volumes.count == number + 1)
    }
  }

  @Test func `is added to by the main actor and an actor in turn`() async throws {
    let librarian = Librarian(modelContainer: container)
    for _ in 0..<100 {
      try await librarian.increment(volume.persistentModelID)
      volume.pages += 1
      try context.save()
    }
    #expect(volume.pages == 200)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Volume>()).first?.pages == 200)
  }

  @Test func `is added to by two actors in turn`() async throws {
    let librarians = [Librarian(modelContainer: container), Librarian(modelContainer: container)]
    for number in 0..<200 {
      try await librarians[number % 2].increment(volume.persistentModelID)
    }
    #expect(volume.pages == 200)
  }

  @Test func `is seen by an actor whatever the priorities of its callers`() async throws {
    let librarians = [Librarian(modelContainer: container), Librarian(modelContainer: container)]
    let identifier = volume.persistentModelID
    let priorities: [TaskPriority] = [.background, .high, .utility, .medium]
    for number in 0..<200 {
      let librarian = librarians[number % 2]
      try await Task.detached(priority: priorities[number % 4]) {
        try await librarian.increment(identifier)
      }.value
    }
    #expect(volume.pages == 200)
  }

  @Test func `is seen in the whole of a large transaction`() async throws {
    for number in 1..<2500 { context.insert(Volume(title: "\(number)")) }
    try context.save()
    let all = try context.fetch(FetchDescriptor<Volume>())
    let librarian = Librarian(modelContainer: container)
    for pages in 1...3 {
      try await librarian.setAll(pages)
      #expect(all.allSatisfy { $0.pages == pages })
    }
  }

  @Test func `is seen where the store wrote many rows at once`() async throws {
    let librarian = Librarian(modelContainer: container)
    for pages in 1...50 {
      try await librarian.setAllAtOnce(pages)
      #expect(volume.pages == pages)
    }
    try await librarian.deleteAll()
    #expect(shelf.volumes.isEmpty)
  }

  @Test func `is seen by a second context's neighbour on the same actor`() throws {
    let other = ModelContext(container)
    let twin: Volume = try other.existingModel(for: volume.persistentModelID)
    for number in 1...50 {
      twin.title = "\(number)"
      try other.save()
      #expect(volume.title == "\(number)")
    }
  }

  @Test(arguments: [false, true])
  func `is seen by an actor with the default executor`(_ isObserving: Bool) async throws {
    let reader = Reader()
    try await reader.begin(container, volume.persistentModelID, isObserving: isObserving)
    for number in 1...100 {
      volume.title = "\(number)"
      shelf.volumes.append(Volume(title: "new"))
      volume.pages += 1
      try context.save()
      if isObserving { #expect(await reader.shownCount(2 * number - 1) == 1) }
      #expect(await reader.title == "\(number)")
      #expect(await reader.count == number + 1)
      try await reader.increment()
      #expect(volume.pages == 2 * number)
    }
  }

  @Test func `is seen by a second container of the store`() async throws {
    let second = ModelContainer(container.core)
    let librarian = Librarian(modelContainer: second)
    for number in 1...50 {
      try await librarian.rename(volume.persistentModelID, "\(number)")
      #expect(volume.title == "\(number)")
    }
  }

  @Test func `is seen by a receiver of didSave on the main queue`() async throws {
    let librarian = Librarian(modelContainer: container)
    let seen = Titles()
    let volume = Unchecked(volume)
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave,
      object: nil,
      queue: nil
    ) { [core = container.core] notice in
      guard (notice.object as? ModelContext)?.core === core else { return }
      DispatchQueue.main.async {
        let title = MainActor.assumeIsolated { volume.value.title }
        seen.all.withLock { $0.append(title) }
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    for number in 1...50 {
      try await librarian.rename(self.volume.persistentModelID, "\(number)")
      try await expectSoon { seen.all.withLock { $0.count == number } }
    }
    #expect(seen.all.withLock(\.self) == (1...50).map(String.init))
  }

  @Test func `is seen with a service as with the engine inside`() async throws {
    let service = try LosableService()
    let served = try ModelContainer(
      for: Shelf.self,
      Volume.self,
      Topic.self,
      configurations: ModelConfiguration(url: service.store)
    )
    let main = served.mainContext
    let volume = Volume(title: "0")
    main.insert(volume)
    try main.save()
    let librarian = Librarian(modelContainer: served)
    for number in 1...200 {
      try await librarian.rename(volume.persistentModelID, "\(number)")
      #expect(volume.title == "\(number)")
    }
  }
}

/// The titles that were seen, in order.
private final class Titles: Sendable {
  let all = Mutex<[String]>([])
}

/// A value that is used on the actor it comes from alone.
// because the test uses it on the main actor only
private struct Unchecked<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
