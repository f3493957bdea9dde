import SwiftData

@Model final class Song {
  @Attribute(.unique) var title: String
  var seconds: Int

  init(title: String, seconds: Int = 0) {
    self.title = title
    self.seconds = seconds
  }
}

/// A container in memory for tracks.
func trackContainer() throws -> ModelContainer {
  try ModelContainer(storing: Song.self)
}
