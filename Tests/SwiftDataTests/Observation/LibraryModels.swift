import SwiftData

@Model final class Shelf {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume] = []

  init(name: String) { self.name = name }

  /// Observers of this depend on the list and on each volume.
  var lentCount: Int { volumes.count(where: \.isLent) }
}

@Model final class Volume {
  var title: String
  var pages: Int
  var genre: String?
  var isLent: Bool
  var place: Place?
  var shelf: Shelf?
  @Relationship(inverse: \Topic.volumes) var topics: [Topic] = []

  init(title: String, pages: Int = 0, shelf: Shelf? = nil) {
    self.title = title
    self.pages = pages
    isLent = false
    self.shelf = shelf
  }
}

@Model final class Topic {
  var name: String
  var volumes: [Volume] = []

  init(name: String) { self.name = name }
}

struct Place: Codable, Hashable {
  var floor: Int
  var row: String
}

/// A container in memory of shelves, volumes, and topics.
func libraryContainer() throws -> ModelContainer {
  try ModelContainer(storing: Shelf.self, Volume.self, Topic.self)
}

/// How often something that was read was about to change.
@MainActor final class Witness {
  private(set) var count = 0

  /// Reads something, and counts the changes of it from then on.
  func watch(_ body: @escaping @MainActor () -> Void) {
    withObservationTracking(body) {
      MainActor.assumeIsolated {
        self.count += 1
        // What is read now is the old value still.
        _ = Task { self.watch(body) }
      }
    }
  }
}
