import SwiftData

/// A container on a JSON file.
struct DataStoreFixture {
  let folder: TemporaryFolder
  let configuration: JSONStoreConfiguration
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    configuration = JSONStoreConfiguration(
      name: "journeys",
      fileURL: folder.url.appendingPathComponent("journeys.json")
    )
    container = try ModelContainer(for: Journey.self, configurations: configuration)
    context = ModelContext(container)
  }

  /// Another context of the container.
  var other: ModelContext { ModelContext(container) }

  /// A container of its own on the same file.
  func reopened() throws -> ModelContainer {
    try ModelContainer(for: Journey.self, configurations: configuration)
  }

  /// The file's text.
  func text() throws -> String { try String(contentsOf: configuration.fileURL, encoding: .utf8) }

  /// Saves journeys of 1, 2, 3… days.
  func fill(_ titles: String...) throws {
    for (index, title) in titles.enumerated() {
      let journey = Journey(title)
      journey.days = index + 1
      context.insert(journey)
    }
    try context.save()
  }
}

extension ModelContext {
  /// The titles of journeys, sorted by them.
  func titles(_ predicate: Predicate<Journey>? = nil) throws -> [String] {
    try fetch(FetchDescriptor(predicate: predicate)).map(\.title).sorted()
  }

  /// The only journey with a title.
  func journey(_ title: String) throws -> Journey? {
    try fetch(FetchDescriptor<Journey>(predicate: #Predicate { $0.title == title })).first
  }
}
