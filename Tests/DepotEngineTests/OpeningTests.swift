import DepotEngine
import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@Suite struct OpeningTests {
  private func openingError(_ path: String) -> DepotError? {
    #expect(throws: DepotError.self) { try StoreFixture(StoreConfiguration(path: path)) }
  }

  private func bytes(_ path: String) throws -> Data {
    try Data(contentsOf: URL(filePath: path))
  }

  /// Copies the store as a crash would leave it, with a log of one commit per row.
  private func crashedCopy(
    rows: Int,
    _ body: (_ path: String, _ log: Data) throws -> Void
  )
    async throws
  {
    try await withStore { store, path in
      let copy = path + "2"
      for index in 0..<rows {
        if index == rows - 1 {
          try FileManager.default.copyItem(atPath: path + ".state", toPath: copy + ".before")
        }
        try await store.insert([[.string("row \(index)"), .null]])
      }
      for suffix in ["", ".state"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
      }
      try body(copy, bytes(path + "-wal"))
    }
  }

  @Test func `a second opener is told who has the store`() async throws {
    try await withStore { _, path in
      let error = openingError(path)
      #expect(error?.code == .busy)
      #expect(error?.details?["pid"] == .int64(Int64(ProcessInfo.processInfo.processIdentifier)))
      #expect(error?.message.contains(path) == true)
    }
  }

  @Test func `a hard link of a live store is told from a loss`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .null]])
      try FileManager.default.linkItem(atPath: path, toPath: path + "2")
      let error = openingError(path + "2")
      #expect(error?.code == .corrupt)
      #expect(error?.hint?.contains("as a hard link") == true)
      #expect(error?.hint?.contains("--accept-loss") == false)
    }
  }

  @Test func `a newer store is refused untouched`() async throws {
    try await withStore { store, path in
      await store.close()
      do {
        let connection = try Connection(path: path, access: .writer)
        try connection.execute("PRAGMA user_version = 99")
        _ = try connection.checkpoint(.truncate)
      }
      let before = try bytes(path)
      #expect(openingError(path)?.code == .version)
      #expect(try bytes(path) == before)
    }
  }

  @Test func `a database of something else is refused untouched`() async throws {
    try await withStorePath { path in
      do {
        let connection = try Connection(path: path, access: .writer)
        try connection.execute("CREATE TABLE t (x)")
      }
      let before = try bytes(path)
      #expect(openingError(path)?.code == .corrupt)
      #expect(try bytes(path) == before)
      try Data("hello, this is a text".utf8).write(to: URL(filePath: path))
      #expect(openingError(path)?.code == .corrupt)
    }
  }

  @Test func `a missing folder and a symbolic link are named`() async throws {
    try await withStorePath { path in
      #expect(openingError(path + "/x/store")?.code == .fileNotFound)
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/tmp/nowhere")
      #expect(openingError(path)?.code == .io)
    }
  }

  @Test func `every commit in the log of a crashed store is there again`() async throws {
    try await crashedCopy(rows: 20) { path, log in
      try log.write(to: URL(filePath: path + "-wal"))
      let store = try StoreFixture(StoreConfiguration(path: path))
      #expect(try rows("SELECT count(*) FROM e_Item", in: path) == [[.integer(20)]])
      #expect(store.store.statistics.commits == 0)
    }
  }

  @Test func `a log that ends in the middle of a commit is accepted`() async throws {
    try await crashedCopy(rows: 20) { path, log in
      // As power leaves it that fails before the commit was known to be on disk.
      try FileManager.default.removeItem(atPath: path + ".state")
      try FileManager.default.moveItem(atPath: path + ".before", toPath: path + ".state")
      // Find the last frame with a commit that is in use: the log goes on with zeros.
      let end = (log.lastIndex { $0 != 0 } ?? 0) - 100
      try log.prefix(end).write(to: URL(filePath: path + "-wal"))
      let store = try StoreFixture(StoreConfiguration(path: path))
      let count = try rows("SELECT count(*) FROM e_Item", in: path)
      #expect(count == [[.integer(19)]])
      withExtendedLifetime(store) {}
    }
  }

  @Test func `a log that is damaged before later commits is reported`() async throws {
    try await crashedCopy(rows: 20) { path, log in
      var damaged = log
      let end = log.lastIndex { $0 != 0 } ?? 0
      damaged[end / 2] ^= 0x10
      try damaged.write(to: URL(filePath: path + "-wal"))
      let error = openingError(path)
      #expect(error?.code == .corrupt)
      #expect((error?.details?["commits"]?.int64 ?? 0) > 5)
      #expect(try bytes(path + "-wal") == damaged)
    }
  }

  @Test func `a damaged page keeps nothing from being opened, and is found by the full check`()
    async throws
  {
    try await withStore { store, path in
      try await store.insert((0..<500).map { [.string("row \($0)"), .null] })
      await store.close()
      var file = try bytes(path)
      let row = try #require(file.firstRange(of: Data("row 250".utf8)))
      let page = row.lowerBound / DatabaseHeader.newPageSize * DatabaseHeader.newPageSize
      file.replaceSubrange(page..<page + 8, with: repeatElement(0x55, count: 8))
      try file.write(to: URL(filePath: path))
      let problems = try #require(try Store.check(path: path))
      #expect(problems.count == 1)
      #expect(
        problems[0].hasPrefix(
          "Page \(page / DatabaseHeader.newPageSize + 1) of the store is damaged"
        )
      )
      await (try StoreFixture(StoreConfiguration(path: path))).close()
    }
  }

  @Test func `a bit that flipped in a row is found by the full check`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("needle in the hay"), .int64(5)]])
      await store.close()
      var file = try bytes(path)
      // The index has the text too; damage both so that SQLite itself notices nothing.
      while let range = file.range(of: Data("needle".utf8)) { file[range.lowerBound] ^= 2 }
      try file.write(to: URL(filePath: path))
      let problems = try #require(try Store.check(path: path))
      #expect(problems.contains { $0.hasSuffix(" is damaged: the rows of Item.") }, "\(problems)")
      #expect(problems.contains { $0.contains(" is damaged: an index of Item (") }, "\(problems)")
    }
  }

  @Test func `only the owner can read the files`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .null]])
      for suffix in ["", "-wal", ".state", ".lock"] {
        let attributes = try FileManager.default.attributesOfItem(atPath: path + suffix)
        #expect(attributes[.posixPermissions] as? Int == 0o600, "\(suffix)")
      }
    }
  }

  @Test func `the store keeps its name for itself`() async throws {
    try await withStore { store, path in
      let identifier = store.store.storeIdentifier
      #expect(UUID(uuidString: identifier) != nil)
      await store.close()
      let reopened = try StoreFixture(StoreConfiguration(path: path))
      #expect(reopened.store.storeIdentifier == identifier)
      await reopened.close()
    }
  }
}
