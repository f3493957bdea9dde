import SwiftData

// The classes of Tests/SwiftDataTests/Observation/LibraryModels.swift, as another program has them.

@Model final class Shelf {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Volume.shelf) var volumes: [Volume] = []

  init(name: String) { self.name = name }
}

@Model final class Volume {
  var title: String
  var pages: Int
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
