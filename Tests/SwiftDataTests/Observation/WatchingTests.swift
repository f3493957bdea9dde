import TestSupport
import Testing

@testable import SwiftData

/// How contexts come to be told of what others save.
@Suite struct `Watching stores` {
  @Test func `a context merges although the service was away when it first read`() async throws {
    let service = try LosableService()
    let container = try ModelContainer(
      for: Gadget.self,
      configurations: ModelConfiguration(url: service.store)
    )
    let other = ModelContext(container)
    let twin = Gadget(name: "lamp")
    other.insert(twin)
    try other.save()
    let context = ModelContext(container)
    context.automaticallyMergesChanges = true
    service.kill()
    #expect(throws: SwiftDataError.storeFailure) {
      try context.fetch(FetchDescriptor<Gadget>())
    }
    let known: Gadget? = context.registeredModel(for: twin.persistentModelID)
    #expect(known == nil)
    try service.start()
    let lamp = try #require(context.fetch(FetchDescriptor<Gadget>()).first)
    twin.count = 5
    try other.save()
    try await expectSoon {
      context.processPendingChanges()
      return lamp.count == 5
    }
    try context.save()
  }

  @Test func `a context that merges anew is told of everything once`() async throws {
    let container = try libraryContainer()
    let context = ModelContext(container)
    context.automaticallyMergesChanges = true
    let shelf = Shelf(name: "A")
    context.insert(shelf)
    try context.save()
    context.automaticallyMergesChanges = false
    context.automaticallyMergesChanges = true
    try await expectSoon {
      context.processPendingChanges()
      return context.mergeQueue.isEmpty
    }
    let other = ModelContext(container)
    for name in ["B", "C"] { other.insert(Shelf(name: name)) }
    try other.save()
    let last: Shelf = try other.existingModel(for: shelf.persistentModelID)
    last.name = "D"
    try other.save()
    try await expectSoon { context.mergeQueue.count >= 2 }
    #expect(context.mergeQueue.count == 2)
    context.processPendingChanges()
    #expect(shelf.name == "D")
  }

  @Test func `a context that merges from now on learns what was saved before`() throws {
    let container = try libraryContainer()
    let other = ModelContext(container)
    let twin = Shelf(name: "A")
    other.insert(twin)
    try other.save()
    let context = ModelContext(container)
    let shelf = try #require(context.fetch(FetchDescriptor<Shelf>()).first)
    twin.name = "B"
    twin.volumes = [Volume(title: "Emma")]
    try other.save()
    #expect(shelf.name == "A")
    context.automaticallyMergesChanges = true
    context.processPendingChanges()
    #expect(shelf.name == "B")
    #expect(shelf.volumes.map(\.title) == ["Emma"])
  }

  @Test func `what waits too long becomes one look at everything`() {
    let mergeQueue = MergeQueue()
    mergeQueue.isOpen = true
    for _ in 0..<2500 { mergeQueue.receive(RemoteEvent(store: "store", event: .gap)) }
    #expect(!mergeQueue.isEmpty)
    #expect(mergeQueue.count <= 1000)
  }
}
