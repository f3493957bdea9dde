import SwiftData
import Synchronization
import TestSupport
import Testing

@Suite struct `Contexts that share a program's own store` {
  @Test func `a context that merges automatically sees what another one saves`() throws {
    let fixture = try DataStoreFixture()
    try fixture.fill("Oslo", "Bergen")
    let context = fixture.other
    context.automaticallyMergesChanges = true
    let oslo = try #require(try context.journey("Oslo"))
    let bergen = try #require(try context.journey("Bergen"))
    #expect(oslo.stops.isEmpty)
    let titles = Mutex(0)
    withObservationTracking {
      _ = oslo.title
    } onChange: {
      titles.withLock { $0 += 1 }
    }
    let days = Mutex(0)
    withObservationTracking {
      _ = oslo.days
    } onChange: {
      days.withLock { $0 += 1 }
    }
    bergen.days = 77

    let editor = fixture.other
    let theirs = try #require(try editor.journey("Oslo"))
    theirs.title = "Moss"
    theirs.stops = [Stopover("Lom")]
    try #require(try editor.journey("Bergen")).days = 55
    try editor.save()

    #expect(try context.fetchCount(FetchDescriptor<Journey>()) == 2)
    #expect(oslo.title == "Moss")
    #expect(oslo.stops.map(\.place) == ["Lom"])
    #expect(titles.withLock { $0 } == 1)
    #expect(days.withLock { $0 } == 0)
    // Its own change isn't lost.
    #expect(bergen.days == 77)

    editor.delete(theirs)
    try editor.save()
    #expect(try context.fetchCount(FetchDescriptor<Journey>()) == 1)
    #expect(oslo.modelContext == nil)
    #expect(oslo.title == "Moss")
  }

  @Test func `what others delete leaves lists that a context has changed`() throws {
    let fixture = try DataStoreFixture()
    let oslo = Journey("Oslo")
    oslo.stops = [Stopover("Lom"), Stopover("Moss")]
    fixture.context.insert(oslo)
    try fixture.context.save()
    let context = fixture.other
    context.automaticallyMergesChanges = true
    let mine = try #require(try context.journey("Oslo"))
    #expect(mine.stops.count == 2)
    mine.stops.append(Stopover("New"))

    let editor = fixture.other
    let stops = try editor.fetch(FetchDescriptor<Stopover>())
    editor.delete(try #require(stops.first { $0.place == "Lom" }))
    try editor.save()
    #expect(try context.fetchCount(FetchDescriptor<Journey>()) == 1)
    #expect(mine.stops.map(\.place) == ["Moss", "New"])
  }

  @Test func `what was only read must be what it was before others' changes were merged`() throws {
    let fixture = try DataStoreFixture()
    try fixture.fill("Oslo", "Bergen")
    let context = fixture.other
    context.automaticallyMergesChanges = true
    let oslo = try #require(try context.journey("Oslo"))
    let bergen = try #require(try context.journey("Bergen"))
    context.detectConflicts(for: oslo)
    let editor = fixture.other
    try #require(try editor.journey("Oslo")).title = "Moss"
    try editor.save()
    bergen.days = 9
    let error = #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    #expect(error?.property == "title")
    #expect(oslo.title == "Moss")
    context.refresh(oslo)
    try context.save()
    #expect(try fixture.other.journey("Bergen")?.days == 9)
  }

  @Test func `the main context sees what a background context saves`() async throws {
    let fixture = try DataStoreFixture()
    try fixture.fill("Oslo")
    let container = fixture.container
    try await Task { @MainActor in
      let oslo = try #require(try container.mainContext.journey("Oslo"))
      try await Task.detached {
        let context = ModelContext(container)
        try #require(try context.journey("Oslo")).days = 9
        try context.save()
      }.value
      try await expectSoon { oslo.days == 9 }
    }.value
  }
}
