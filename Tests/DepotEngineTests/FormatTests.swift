import DepotEngine
import DepotProtocol
import DepotSQLite
import Foundation
import Testing

/// Stores of format 4, in which each row had a checksum.
///
/// `Formats/4.sql` is a store that was made by the last program which wrote that format: with a
/// hierarchy that became one later, columns that were added behind others, ordered links on both
/// sides, values in external storage, a derived attribute, indexes for words and ranges, and a
/// history. `Formats/4.ndjson` has what that program answered.
@Suite struct FormatTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Formats")

  /// Runs `body` with the path of the store of format 4.
  private func withFormat4(_ body: (_ path: String) async throws -> Void) async throws {
    let sql = try String(contentsOf: Self.folder.appending(path: "4.sql"), encoding: .utf8)
    try await withStorePath { path in
      try execute("PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; \(sql)", in: path)
      try await body(path)
    }
  }

  private func execute(_ sql: String, in path: String) throws {
    let connection = try Connection(path: path, access: .plain)
    try connection.execute(sql)
    _ = try connection.checkpoint(.truncate)
  }

  /// Asks what the old program was asked, and expects the same answers.
  private func expectAnswers(_ path: String, _ catalog: Catalog, isFrozen: Bool = false) throws {
    let reader = try QuickReader(path: path, isFrozen: isFrozen, budget: 10_000_000_000)
    let file = try String(contentsOf: Self.folder.appending(path: "4.ndjson"), encoding: .utf8)
    let lines = file.split(separator: "\n")
    #expect(lines.count == 14)
    for line in lines {
      let expected = try JSONValue(parsing: line.utf8)
      let request = try Operation("fetch", expected["fetch"]?.text ?? "null")
      let frames = try ReaderFixture.lines(#require(try reader.answer(request, catalog)))
      #expect(frames.first?["columns"] == expected["columns"], "\(line)")
      #expect(frames.flatMap { $0["next"]?.array ?? [] } == expected["rows"]?.array, "\(line)")
    }
  }

  /// The values of all tables with their types, but for checksums, epochs, the ages and places of outcomes, and
  /// what the store says of itself.
  private func content(_ path: String) throws -> [String: [[SQLiteValue]]] {
    let connection = try Connection(path: path, access: .reader)
    var result: [String: [[SQLiteValue]]] = [:]
    for table in try connection.texts(
      """
      SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('depot_meta', 'depot_epoch')
      """
    ) {
      let columns = try connection.texts(
        """
        SELECT name FROM pragma_table_info('\(table)') \
        WHERE name <> 'checksum' \
        AND NOT ('\(table)' = 'depot_outcome' AND name IN ('sequence', 'at', 'period'))
        """
      ).map { "typeof(\"\($0)\"), \"\($0)\"" }
      let select = "SELECT \(columns.joined(separator: ", ")) FROM \"\(table)\""
      result[table] = try rows(select, in: path)
    }
    return result
  }

  /// The columns of all tables, and the other parts of the schema.
  private func definitions(_ path: String) throws -> Set<[SQLiteValue]> {
    let columns = try rows(
      """
      SELECT s.name, c.name, c.type, c."notnull", c.pk FROM sqlite_schema AS s \
      JOIN pragma_table_info(s.name) AS c WHERE s.type = 'table'
      """,
      in: path
    )
    let others = try rows(
      "SELECT type, name, sql FROM sqlite_schema WHERE type <> 'table'",
      in: path
    )
    return Set(columns + others)
  }

  @Test func `a store of format 4 is read without being changed`() async throws {
    try await withFormat4 { path in
      #expect(try Store.check(path: path) == [])
      let store = try StoreFixture(StoreConfiguration(path: path, isReadOnly: true))
      try expectAnswers(path, store.store.catalog, isFrozen: true)
      await store.close()
      #expect(try rows("PRAGMA user_version", in: path) == [[.integer(4)]])
    }
  }

  @Test func `an upgrade takes the checksums and nothing else`() async throws {
    try await withFormat4 { path in
      let before = try content(path)
      #expect(before.count > 20)
      let store = try StoreFixture(StoreConfiguration(path: path))
      #expect(try rows("PRAGMA user_version", in: path) == [[.integer(7)]])
      #expect(try content(path) == before)
      try expectAnswers(path, store.store.catalog)
      let schema = store.store.catalog.schema
      let found = try await store.problems(path)
      #expect(found == [])
      try await withStore(schema) { _, new in
        let expected = try definitions(new)
        #expect(try definitions(path) == expected)
      }
    }
  }

  @Test func `a store of format 5 keeps its keys`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .null]], key: "k")
      await store.close()
      do {
        let connection = try Connection(path: path, access: .writer)
        try connection.execute("\(earlierOutcomes) PRAGMA user_version = 5")
        _ = try connection.checkpoint(.truncate)
      }
      #expect(try Store.check(path: path) == [])
      let again = try StoreFixture(StoreConfiguration(path: path))
      #expect(try rows("PRAGMA user_version", in: path) == [[.integer(7)]])
      #expect(try await again.insert([[.string("a"), .null]], key: "k") == [1])
      #expect(again.store.statistics.repeatedWrites == 1)
      try await again.insert([[.string("b"), .null]], key: "l")
      #expect(try rows("SELECT key FROM depot_outcome", in: path).count == 2)
      let problems = try await again.problems(path)
      #expect(problems == [])
      try await withStore { _, new in
        let expected = try definitions(new)
        #expect(try definitions(path) == expected)
      }
      await again.close()
    }
  }

  @Test func `an upgraded store is written to like any other`() async throws {
    try await withFormat4 { path in
      let store = try StoreFixture(StoreConfiguration(path: path))
      try await store.insert("Country", ["name", "code"], #"[["Spain","ES"]]"#)
      try await store.insert(
        "City",
        ["name", "lat", "lon", "country"],
        #"[["Avila",40.6,-4.7,6]]"#
      )
      try await store.update("Country", [1], ["tags", "allies"], "[[4,1],[6]]")
      try await store.update("City", [2], ["mayor", "lat"], #"["Louis",45.5]"#)
      try await store.insert("PersonalTrip", ["name", "country"], #"[["Swim",6]]"#)
      try await store.insert("Fancy", ["text", "flag"], #"[["five",true]]"#)
      try await store.call(
        "blob.write",
        #"{"entity":"Photo","id":3,"attribute":"image","offset":65530,"data":"/////////////w=="}"#
      )
      // Takes a trip along.
      try await store.call("delete", #"{"entity":"Country","ids":[3]}"#)
      try await store.call("undo", "{}")
      let twin =
        #"{"entity":"City","columns":["name","lat","lon","country"],"rows":[["Lyon",1,1,1]]}"#
      let error = await #expect(throws: DepotError.self) { try await store.call("insert", twin) }
      #expect(error?.code == .unique)
      let problems = try await store.problems(path)
      #expect(problems == [])
      #expect(
        try rows("SELECT source, target FROM \"j_Country.tags\" WHERE source = 1", in: path)
          == [[.integer(1), .integer(1)], [.integer(1), .integer(4)]]
      )
      #expect(
        try rows("SELECT rowid FROM f_City WHERE f_City MATCH 'louis'", in: path) == [[.integer(2)]]
      )
      #expect(
        try rows("SELECT a_cityCount FROM e_Country WHERE id = 6", in: path) == [[.integer(1)]]
      )
      #expect(try rows("SELECT id FROM g_City_0 WHERE min1 < 0", in: path) == [[.integer(5)]])
    }
  }

  @Test func `an upgrade that fails leaves the store of format 4`() async throws {
    try await withFormat4 { path in
      // SQLite looks at all triggers before a column goes, and this one is of no use.
      try execute(
        "CREATE TRIGGER odd AFTER DELETE ON x_Photo BEGIN DELETE FROM e_None; END",
        in: path
      )
      let before = try content(path)
      let definitions = try definitions(path)
      #expect(throws: DepotError.self) { try StoreFixture(StoreConfiguration(path: path)) }
      #expect(try content(path) == before)
      #expect(try self.definitions(path) == definitions)
      #expect(try rows("PRAGMA user_version", in: path) == [[.integer(4)]])
      try execute("DROP TRIGGER odd", in: path)
      let store = try StoreFixture(StoreConfiguration(path: path))
      let problems = try await store.problems(path)
      #expect(problems == [])
    }
  }
}
