import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

/// Stores of earlier formats, and of formats that this program doesn't know.
@Suite("Stores of other formats")
struct FormatTests {
  /// Makes a store that says that it has a format, and runs `body` with its path.
  private func withFormat(
    _ format: Int64,
    _ body: (_ path: String) async throws -> Void
  ) async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .int64(1)]])
      await store.close()
      do {
        let connection = try Connection(path: path, access: .writer)
        try connection.execute("PRAGMA user_version = \(format)")
        _ = try connection.checkpoint(.truncate)
      }
      try await body(path)
    }
  }

  @Test("A store of an earlier format is refused with the way to its rows", arguments: 1...7)
  func earlier(format: Int64) async throws {
    try await withFormat(format) { path in
      let before = try rows("SELECT * FROM e_Item", in: path)
      for isReadOnly in [false, true] {
        let error = #expect(throws: DepotError.self) {
          try StoreFixture(StoreConfiguration(path: path, isReadOnly: isReadOnly))
        }
        #expect(error?.code == .version)
        #expect(error?.message.contains("has format \(format); this program knows 8 to 11") == true)
        #expect(error?.hint?.contains("depot export --all") == true)
      }
      #expect(throws: DepotError.self) { try Store.check(path: path) }
      #expect(try rows("SELECT * FROM e_Item", in: path) == before)
      #expect(try rows("PRAGMA user_version", in: path) == [[.integer(format)]])
    }
  }

  @Test("A store of a later format is refused with the hint to use a newer program")
  func later() async throws {
    try await withFormat(12) { path in
      let error = #expect(throws: DepotError.self) {
        try StoreFixture(StoreConfiguration(path: path))
      }
      #expect(error?.code == .version)
      #expect(error?.hint == "It was not touched. Use a newer depotd.")
    }
  }

  /// Makes a closed store as programs of format 8 did, with pages of 4,096 bytes and 300 rows.
  private func withLargePages(_ body: (_ path: String) async throws -> Void) async throws {
    try await withStorePath { path in
      var configuration = StoreConfiguration(path: path)
      configuration.pageSize = 4096
      let store = try StoreFixture(configuration)
      try await store.write(.defineSchema(.items, isDryRun: false))
      try await store.insert((0..<300).map { [.string("row \($0)"), .null] })
      await store.close()
      do {
        let connection = try Connection(path: path, access: .writer)
        try connection.execute("PRAGMA user_version = 8")
        _ = try connection.checkpoint(.truncate)
      }
      try await body(path)
    }
  }

  private func count(in path: String) throws -> Int64? {
    try Connection(path: path, access: .reader).integer("SELECT count(*) FROM e_Item")
  }

  @Test("A store of format 8 is used with its own size of pages")
  func largePages() async throws {
    try await withLargePages { path in
      let store = try StoreFixture(StoreConfiguration(path: path))
      try await store.insert([[.string("new"), .int64(1)]])
      #expect(store.store.statistics.walBytes > 0)
      #expect(store.store.statistics.walBytes % 4096 == 0)
      // A crash leaves the log, which the next start reads.
      let copy = path + "2"
      for suffix in ["", "-wal", ".state"] {
        try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix)
      }
      await store.close()
      for path in [path, copy] {
        #expect(try Store.check(path: path) == [])
        await (try StoreFixture(StoreConfiguration(path: path))).close()
        #expect(try count(in: path) == 301)
        #expect(try rows("PRAGMA page_size", in: path) == [[.integer(4096)]])
        #expect(try rows("PRAGMA user_version", in: path) == [[.integer(8)]])
      }
    }
  }

  @Test("A torn first page of a store of format 8 is mended")
  func tornLargePage() async throws {
    try await withLargePages { path in
      let main = try #require(FileManager.default.contents(atPath: path))
      let state = try #require(try StateFile.state(of: path))
      let before = Array(main.prefix(4096))
      let after = DatabaseHeader.sealing(before, stamp: state.nextStamp)
      for page in [before[..<512] + after[512...], after[..<512] + before[512...]] {
        try (Data(page) + main.dropFirst(4096)).write(to: URL(filePath: path))
        try StateFile.set(state, beside: path)
        await (try StoreFixture(StoreConfiguration(path: path))).close()
        #expect(try Store.check(path: path) == [])
        #expect(try count(in: path) == 300)
      }
    }
  }

  @Test("A store of format 8 that was cut is refused with the number of missing bytes")
  func cutLargePages() async throws {
    try await withLargePages { path in
      let main = try #require(FileManager.default.contents(atPath: path))
      try main.dropLast(4096).write(to: URL(filePath: path))
      let error = #expect(throws: DepotError.self) {
        try StoreFixture(StoreConfiguration(path: path))
      }
      #expect(error?.message.contains("was cut: 4096 bytes are missing") == true)
    }
  }

  @Test("A store of format 8 gets the present format with its first widened column")
  func widenedLargePages() async throws {
    try await withLargePages { path in
      let store = try StoreFixture(StoreConfiguration(path: path))
      var schema = Schema.items
      schema.entities[0].attributes.append(Attribute(name: "text", type: .string, isOptional: true))
      try await store.write(.defineSchema(schema, isDryRun: false))
      #expect(try rows("PRAGMA user_version", in: path) == [[.integer(8)]])
      try await store.call(
        "blob.write",
        #"{"entity":"Item","id":1,"attribute":"text","data":"a","append":true}"#
      )
      await store.close()
      #expect(try rows("PRAGMA user_version", in: path) == [[.integer(CatalogTables.format)]])
      #expect(try rows("PRAGMA page_size", in: path) == [[.integer(4096)]])
    }
  }

  @Test("A store has runs of insertions in its index from format 11 on", arguments: [8, 10, 11])
  func runs(format: Int64) async throws {
    try await withFormat(format) { path in
      let store = try StoreFixture(StoreConfiguration(path: path))
      for number in 0..<300 { try await store.insert([[.string("row \(number)"), .null]]) }
      let past = PastFixture(store: store, path: path)
      let entries = try past.count("SELECT count(*) FROM depot_history_insert")
      #expect(format < 11 ? 128...301 ~= entries : 1...4 ~= entries)
      for row: Int64 in [1, 2, 128, 129, 200, 301] { #expect(try past.inserted(row) == row + 1) }
      #expect(try await store.problems(path) == [])
      await store.close()
      #expect(try rows("PRAGMA user_version", in: path) == [[.integer(format)]])
    }
  }

  @Test("A database without checksums of pages isn't taken for a store")
  func unsealed() async throws {
    try await withStorePath { path in
      do {
        let connection = try Connection(path: path, access: .plain)
        try connection.execute(
          """
          PRAGMA journal_mode = WAL; CREATE TABLE t (a);
          PRAGMA application_id = \(CatalogTables.applicationIdentifier); PRAGMA user_version = 4
          """
        )
        _ = try connection.checkpoint(.truncate)
      }
      let error = #expect(throws: DepotError.self) {
        try StoreFixture(StoreConfiguration(path: path))
      }
      #expect(error?.code == .version)
      #expect(error?.message.contains("has format 4") == true)
    }
  }
}
