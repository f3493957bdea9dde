import DepotProtocol
import DepotSQLite
import Testing

@testable import DepotEngine

/// What was deleted from the history and is still in its table.
@Suite struct HistoryFloorTests {
  @Test func `nobody is said to have changed a row by what doesn't count any more`() async throws {
    try await withStore { store, path in
      try await store.insert("Item", ["name"], #"[["a"]]"#)
      let first = try HistoryFixture(path: path).head()
      try await store.update("Item", [1], ["size"], "[1]")
      try await store.update("Item", [1], ["name"], #"["b"]"#)
      let catalog = store.store.catalog
      let layout = try catalog.layout(of: "Item")
      await store.close()
      let connection = try Connection(path: path, access: .writer)
      func changes() throws -> [String: SaveConflict.Origin] {
        try ChangeOrigins(connection, catalog, CallControl()).changes(of: 1, layout, since: 1)
      }
      let before = try changes()
      #expect(before.keys.sorted() == ["name", "size"])
      let tables = CatalogTables(connection: connection)
      try tables.set(.historyFloor, first + 1)
      try tables.set(.historyPurged, first + 1)
      let after = try changes()
      #expect(after.keys.sorted() == ["name"])
      let reach = HistoryReach(connection: connection)
      #expect(try !reach.reaches(first))
      #expect(try reach.reaches(first + 1))
    }
  }
}
