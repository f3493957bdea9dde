import SwiftData
import Testing

@Suite struct `Folders that programs keep stores in` {
  @Test func `have the names of Apple's Foundation`() throws {
    let manager = FileManager.default
    for (url, directory) in [
      (
        URL.applicationSupportDirectory, FileManager.SearchPathDirectory.applicationSupportDirectory
      ),
      (URL.cachesDirectory, .cachesDirectory), (URL.desktopDirectory, .desktopDirectory),
      (URL.documentsDirectory, .documentDirectory), (URL.downloadsDirectory, .downloadsDirectory),
      (URL.moviesDirectory, .moviesDirectory), (URL.musicDirectory, .musicDirectory),
      (URL.picturesDirectory, .picturesDirectory),
    ] {
      #expect(url.path == manager.urls(for: directory, in: .userDomainMask).first?.path)
      #expect(url.hasDirectoryPath)
    }
    let shared = manager.containerURL(forSecurityApplicationGroupIdentifier: "group.notes")
    #expect(shared == URL.applicationSupportDirectory.appending(path: "group.notes/"))
    let configuration = ModelConfiguration(
      url: URL.documentsDirectory.appending(path: "notes.store")
    )
    #expect(configuration.url.path.hasSuffix("/notes.store"))
  }
}
