import Foundation
import SwiftData
import Testing

/// Apps like those that Apple shows SwiftData with.
@MainActor @Suite(.serialized) struct `Apps like Apple's samples` {
  init() {
    // The stores are this process's own, whatever service the user has.
    setenv("DEPOT_EMBEDDED", "1", 0)
  }

  @Test func `a copy of a server's data is refreshed`() async throws {
    let container = try ModelContainer(
      for: Departure.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let cache = DepartureCache(modelContainer: container)
    try await cache.refresh(
      from: answer([("a", 5, "2026-05-01T12:00:00Z"), ("b", 0, "2026-05-03T12:00:00Z")])
    )
    let context = container.mainContext
    #expect(Departure.total(modelContext: context) == 1)
    try await cache.refresh(
      from: answer([("b", 7.5, "2026-05-03T12:00:00Z"), ("c", 0, "2026-05-03T13:00:00Z")])
    )
    #expect(Departure.total(modelContext: context) == 2)
    let day = try Date("2026-05-03T12:00:00Z", strategy: .iso8601)
    let wanted = Departure.predicate(searchText: "Pier b", searchDate: day)
    let found = try context.fetch(FetchDescriptor(predicate: wanted))
    #expect(found.map(\.delay) == [7.5])
    #expect(found.map(\.pier.latitude) == [60])
    let all = Departure.predicate(searchText: "", searchDate: day)
    #expect(try context.fetchCount(FetchDescriptor(predicate: all)) == 2)
  }

  @Test func `a sample with relationships and enumerations is loaded anew`() throws {
    let container = try ModelContainer(
      for: InstrumentFamily.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true)
    )
    let context = container.mainContext
    InstrumentFamily.insertSampleData(modelContext: context)
    try context.save()
    let high = try context.fetch(Instrument.with(voice: .high))
    #expect(high.map(\.name) == ["Flute", "Violin"])
    #expect(high.map(\.family?.name) == ["Winds", "Strings"])
    high[0].family?.instruments.removeAll { $0.name == "Flute" }
    #expect(high[0].family == nil)
    try InstrumentFamily.reloadSampleData(modelContext: context)
    try context.save()
    let other = ModelContext(container)
    let families = try other.fetch(
      FetchDescriptor<InstrumentFamily>(sortBy: [SortDescriptor(\.name)])
    )
    #expect(
      families.map { $0.instruments.map(\.name).sorted() } == [["Cello", "Violin"], ["Flute"]]
    )
    // The flute that was taken out of its family wasn't deleted with it.
    #expect(try other.fetchCount(FetchDescriptor<Instrument>()) == 4)
  }

  @Test func `an app learns from the history what its widget has done in another process`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "trips.store")
    let container = try ModelContainer(
      for: Trip.self,
      configurations: ModelConfiguration(url: url)
    )
    let context = container.mainContext
    context.autosaveEnabled = false
    let oslo = Trip(name: "Oslo", destination: "Norway")
    oslo.livingAccommodation = LivingAccommodation(address: "1", placeName: "Hut")
    context.insert(oslo)
    context.insert(Trip(name: "Rome", destination: "Italy"))
    try context.save()
    let unread = UnreadTrips(modelContainer: container)
    try unread.update()
    // Without a token, all that there is counts.
    #expect(unread.identifiers == [oslo.persistentModelID])
    unread.markAsRead()

    await #expect(processExitsWith: .success) { [url = url as URL] in try confirmStay(in: url) }
    try unread.update()
    #expect(unread.identifiers == [oslo.persistentModelID])
    let fresh = try #require(
      ModelContext(container).fetch(Trip.upcoming).first { $0.name == "Oslo" }
    )
    #expect(fresh.livingAccommodation?.isConfirmed == true)

    context.delete(oslo)
    context.author = TransactionAuthor.widget
    try context.save()
    try unread.update()
    #expect(unread.identifiers.isEmpty)
  }

  /// What the server says of departures.
  private func answer(_ lines: [(code: String, delay: Double, time: String)]) -> Data {
    let texts = lines.map { line in
      """
      {"properties": {"code": "\(line.code)", "delay": \(line.delay), "time": "\(line.time)",
       "pier": "Pier \(line.code)"}, "geometry": {"coordinates": [5.3, 60]}}
      """
    }
    return Data("{\"lines\": [\(texts.joined(separator: ","))]}".utf8)
  }
}
