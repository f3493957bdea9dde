import DepotClient
import DepotEmbedded
import DepotLinux
import DepotProtocol
import Foundation
import TestSupport
import Testing

extension EmbeddedTests {
  /// Files whose service is this process.
  @Suite struct OwnerTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
      EmbeddedTests.leaveOutTheDefaultService()
      folder = try TemporaryFolder()
      path = folder.path + "/notes.store"
    }

    @Test func `a file that nobody serves is served by who opens it, on a socket beside it`() throws
    {
      let access = try StoreAccess(.file(path: path), schema: Note.schema)
      guard case .embedded(_, let socket) = access.route else {
        Issue.record("\(access.route)")
        return
      }
      #expect(socket == SocketPath(path + ".socket"))
      try access.connect().insert([Note("a")])
      let guest = try BlockingConnection(socket: SocketPath(path + ".socket"))
      #expect(try guest.names() == ["a"])
      let attributes = try FileManager.default.attributesOfItem(atPath: path + ".socket")
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test func `what was saved is there when the file is opened again`() throws {
      for round in 0..<5 {
        let access = try StoreAccess(.file(path: path), schema: Note.schema)
        let connection = try access.connect()
        #expect(try connection.names().count == round)
        try connection.insert([Note("\(round)")])
      }
    }

    @Test func `accesses of one process to one file share its service`() throws {
      let first = try StoreAccess(.file(path: path), schema: Note.schema)
      let second = try StoreAccess(.file(path: folder.path + "/./notes.store"))
      #expect(second.route.isSame(as: first.route))
      let (one, other) = try (first.connect().stats(), second.connect().stats())
      #expect(one["server"]?["instance"] == other["server"]?["instance"])
      try first.connect().insert([Note("a")])
      #expect(try second.connect().names() == ["a"])
    }

    @Test func `threads that open, save, and close again and again don't hinder each other`()
      async throws
    {
      let path = path
      try await withThrowingTaskGroup(of: Void.self) { group in
        for thread in 0..<3 {
          group.addTask {
            for number in 0..<20 {
              let access = try StoreAccess(.file(path: path), schema: Note.schema)
              try access.connect().insert([Note("\(thread)-\(number)")])
            }
          }
        }
        try await group.waitForAll()
      }
      let access = try StoreAccess(.file(path: path))
      #expect(try access.connect().names().count == 60)
    }

    @Test func `a path that belongs to another store's files is refused`() throws {
      for suffix in ["-wal", ".lock", ".socket"] {
        let error = #expect(throws: DepotError.self) {
          try StoreAccess(.file(path: path + suffix))
        }
        #expect(error?.code == .usage)
      }
      let missing = #expect(throws: DepotError.self) {
        try StoreAccess(.file(path: folder.path + "/missing/notes.store"))
      }
      #expect(missing?.code == .fileNotFound)
      #expect(folder.names == [])
    }

    @Test func `the service ends with the last access, and closes the file in good order`() throws {
      do {
        let first = try StoreAccess(.file(path: path), schema: Note.schema)
        let second = try StoreAccess(.file(path: path))
        try first.connect().insert([Note("a")])
        withExtendedLifetime(second) {}
      }
      try expectSoon { !folder.names.contains("notes.store.socket") }
      try expectSoon("the log is in the store") { FileSystem.size(of: path + "-wal") == 0 }
    }
  }
}
