import DepotLinux
import Glibc
import TestSupport
import Testing

@testable import SwiftData

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

  @Test func `are refused if others may write to them, as services refuse them`() throws {
    let folder = try TemporaryFolder()
    let open = folder.url.appending(path: "open")
    try FileManager.default.createDirectory(at: open, withIntermediateDirectories: true)
    chmod(open.path, 0o777)
    let failure = try #require(refusal(of: open.appending(path: "a.store")))
    #expect(failure.message.contains("may write to the folder \(open.path)"), "\(failure.message)")
    #expect(failure.hint?.contains("chmod go-w \(open.path)") == true)
    #expect(failure.code == "permission.file")
    #expect(try FileManager.default.contentsOfDirectory(atPath: open.path).isEmpty)
    // A folder in it is as good as any, and is made for this user alone.
    let own = open.appending(path: "own/deeper")
    #expect(refusal(of: own.appending(path: "a.store")) == nil)
    let attributes = try FileManager.default.attributesOfItem(atPath: own.path)
    #expect(attributes[.posixPermissions] as? Int == 0o700)
  }

  @Test(.enabled(if: Programs.isRoot, "only root can give files away"))
  func `are refused if they, or a link to them, belong to another user`() throws {
    let folder = try TemporaryFolder()
    let foreign = folder.url.appending(path: "foreign")
    try FileManager.default.createDirectory(at: foreign, withIntermediateDirectories: true)
    chown(foreign.path, 12_345, 12_345)
    let link = folder.url.appending(path: "link")
    symlink(folder.url.path, link.path)
    lchown(link.path, 12_345, 12_345)
    for place in [foreign, link] {
      let failure = try #require(refusal(of: place.appending(path: "a.store")))
      #expect(failure.message.contains("\(place.path) belongs to user 12345"), "\(failure.message)")
    }
  }

  private func refusal(of url: URL) -> SwiftDataError? {
    do {
      _ = try ModelContainer(for: Fleet.Buoy.self, configurations: ModelConfiguration(url: url))
      return nil
    } catch {
      return error as? SwiftDataError
    }
  }

  @Test func `are where services have theirs if nobody says`() {
    #expect(StoreFolder.default?.path == ServicePaths.data)
  }

  @Test(.enabled(if: Programs.isRoot, "only root can become a user whom nobody knows"))
  func `are missing without a home by environment or system, which is told`() throws {
    try #require(UserDatabase.name(ofUser: 54_321) == nil)
    let outcome = try Program.run(
      [
        "setpriv", "--reuid", "54321", "--clear-groups", Programs.besideTests("library-user"),
        "shelves",
      ],
      environment: ["HOME": nil, "XDG_DATA_HOME": nil, "DEPOT_EMBEDDED": "1"]
    )
    #expect(outcome.status != 0)
    #expect(outcome.errors.contains("user 54321 has no home"), "\(outcome.errors)")
    #expect(outcome.errors.contains("XDG_DATA_HOME"), "\(outcome.errors)")
  }
}
