import DepotProtocol
import DepotSQLite
import Testing

@testable import DepotEngine

/// Stores of formats that this program doesn't know.
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
        #expect(error?.message.contains("has format \(format); this program knows 8 and 9") == true)
        #expect(error?.hint?.contains("depot export --all") == true)
      }
      #expect(throws: DepotError.self) { try Store.check(path: path) }
      #expect(try rows("SELECT * FROM e_Item", in: path) == before)
      #expect(try rows("PRAGMA user_version", in: path) == [[.integer(format)]])
    }
  }

  @Test("A store of a later format is refused with the hint to use a newer program")
  func later() async throws {
    try await withFormat(10) { path in
      let error = #expect(throws: DepotError.self) {
        try StoreFixture(StoreConfiguration(path: path))
      }
      #expect(error?.code == .version)
      #expect(error?.hint == "It was not touched. Use a newer depotd.")
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
