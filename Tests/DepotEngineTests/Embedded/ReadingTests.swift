import DepotLinux
import Foundation
import TestSupport
import Testing

extension EmbeddedTests {
  /// Accesses that may only read.
  @Suite struct ReadingTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
      folder = try TemporaryFolder()
      path = folder.path + "/notes.store"
    }

    @Test func `a file that is missing isn't made`() throws {
      let program = try StoreUser()
      let answer = try program.ask("read \(path)")
      #expect(answer.hasPrefix("error notfound.file"), "\(answer)")
      #expect(folder.names == [])
    }

    @Test func `who may only read sees what others save, and can't save`() throws {
      let (writer, reader) = try (StoreUser(), StoreUser())
      try writer.ask("open \(path)")
      try writer.ask("insert a")
      #expect(try reader.ask("read \(path)") == "ok guest")
      #expect(try reader.ask("insert b").hasPrefix("error unavailable.readonly"))
      #expect(try reader.ask("names") == "ok a")
      try writer.ask("insert c")
      #expect(try reader.ask("names") == "ok a c")
    }

    @Test func `who may only read serves those who write`() throws {
      let (writer, reader) = try (StoreUser(), StoreUser())
      try writer.ask("open \(path)")
      try writer.ask("insert a")
      writer.kill()
      #expect(try reader.ask("read \(path)") == "ok owner")
      #expect(try reader.ask("insert b").hasPrefix("error unavailable.readonly"))
      let second = try StoreUser()
      #expect(try second.ask("open \(path)") == "ok guest")
      #expect(try second.ask("insert c") == "ok")
      #expect(try reader.ask("names") == "ok a c")
    }

    @Test(.enabled(if: getuid() == 0, "only root can become another user"))
    func `a file that can't be written is read as it is, and nothing is made beside it`() throws {
      do {
        let writer = try StoreUser()
        try writer.ask("open \(path)")
        try writer.ask("insert a")
        try writer.send("quit")
        #expect(writer.wait() == 0)
      }
      for name in folder.names where name != "notes.store" {
        try FileManager.default.removeItem(atPath: folder.path + "/" + name)
      }
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
      let reader = try StoreUser(
        prefix: ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
      )
      #expect(try reader.ask("read \(path)") == "ok embedded")
      #expect(try reader.ask("names") == "ok a")
      #expect(try reader.ask("insert b").hasPrefix("error unavailable.readonly"))
      #expect(folder.names == ["notes.store"])
      let answer = try reader.ask("open \(path)")
      #expect(answer.hasPrefix("error unavailable.readonly"), "\(answer)")
    }
  }
}
