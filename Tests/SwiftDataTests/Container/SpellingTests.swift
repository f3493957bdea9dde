import Testing

@testable import SwiftData

@Suite struct `Early spellings` {
  @Test func `containers can still be spelt as in early articles`() throws {
    let early = try #require(Early() as Any as? any EarlySpellings)
    for container in try early.containers() {
      #expect(container.store(of: "Buoy") != nil)
      #expect(container.store(of: "Sailor") != nil)
    }
    #expect(early.configuration.cloudKitContainerIdentifier == "com.example.trips")
    #expect(early.configuration.url.path == "/tmp/trip.store")
  }
}

private protocol EarlySpellings {
  var configuration: ModelConfiguration { get }
  func containers() throws -> [ModelContainer]
}

private struct Early {}

@available(*, deprecated)
extension Early: EarlySpellings {
  var configuration: ModelConfiguration {
    ModelConfiguration(
      schema: Schema([Fleet.Buoy.self]),
      url: URL(filePath: "/tmp/trip.store"),
      cloudKitContainerIdentifier: "com.example.trips"
    )
  }

  func containers() throws -> [ModelContainer] {
    let schema = Schema([Fleet.Buoy.self, Fleet.Sailor.self])
    let buoys = ModelConfiguration(
      "buoys",
      schema: Schema([Fleet.Buoy.self]),
      isStoredInMemoryOnly: true,
      cloudKitContainerIdentifier: nil
    )
    let rest = ModelConfiguration("rest", isStoredInMemoryOnly: true)
    return [
      try ModelContainer(for: schema, buoys, rest),
      try ModelContainer(for: [Fleet.Buoy.self, Fleet.Sailor.self], configurations: buoys, rest),
      try ModelContainer(for: [Fleet.Buoy.self, Fleet.Sailor.self], rest),
    ]
  }
}
