import DepotProtocol
import DepotSQLite
import TestSupport
import Testing

@testable import DepotEngine

/// The schemas that a store keeps.
@Suite struct SchemaVersionsTests {
  private static func schema(_ version: Int, attributes: Int = 1) -> Schema {
    let attributes = (1...attributes).map {
      Attribute(name: "a\($0)", type: .string, isOptional: true)
    }
    return Schema(
      version: SchemaVersion(version, 0, 0),
      entities: [Entity(name: "Item", attributes: attributes)]
    )
  }

  private func define(_ schema: Schema, isDryRun: Bool = false) -> DepotProtocol.Operation {
    .defineSchema(schema, isDryRun: isDryRun)
  }

  /// Returns the answer to a request, as a reader gives it.
  private func ask(
    _ path: String,
    _ number: Int64? = nil,
    since: Int64? = nil
  ) throws -> JSONValue {
    let connection = try Connection(path: path, access: .reader)
    try connection.beginSnapshot()
    let catalog = try CatalogTables(connection: connection).load()
    return try SchemaVersionsAnswer(connection: connection, catalog: catalog)
      .result(number, since: since)
  }

  private func numbers(_ answer: JSONValue) -> [Int64] {
    answer["versions"]?.array?.compactMap { $0["number"]?.int64 } ?? []
  }

  @Test func `each schema that was applied is kept, with its transaction and author`() async throws
  {
    try await withStorePath { path in
      let store = try StoreFixture(StoreConfiguration(path: path))
      let first = try await store.write([define(Self.schema(1))], author: "ada")[0].get()
      // Neither of these applies anything.
      try await store.write(define(Self.schema(1)))
      try await store.write(define(Self.schema(3), isDryRun: true))
      let next = define(Self.schema(2, attributes: 2))
      let second = try await store.write([next], author: "bob")[0].get()
      let answer = try ask(path)
      let versions = try #require(answer["versions"]?.array)
      #expect(numbers(answer) == [2, 1])
      #expect(versions.map { $0["author"]?.string } == ["bob", "ada"])
      #expect(versions.map { $0["process"]?.string } == ["test/1", "test/1"])
      #expect(versions.map { $0["version"]?.string } == ["2.0.0", "1.0.0"])
      #expect(versions.map { $0["token"] } == [second["token"], first["token"]])
      #expect(versions[0]["fingerprint"]?.string == store.store.catalog.fingerprint)
      let one = try ask(path, 1)
      #expect(try Schema(parsing: one["schema"]?.text.utf8 ?? "".utf8) == Self.schema(1))
      #expect(numbers(one) == [1])
      let missing = #expect(throws: DepotError.self) { try ask(path, 3) }
      #expect(missing?.code == .schemaNotFound)
      let traced = try ask(path, 2, since: 1)["schema"]?["entities"]?.array?.first
      #expect(traced?["originalName"] == traced?["name"])
      let turned = #expect(throws: DepotError.self) { try ask(path, 1, since: 2) }
      #expect(turned?.code == .usage)
      await store.close()
    }
  }

  @Test func `a store that has kept none begins with the present one`() async throws {
    try await withStorePath { path in
      let store = try StoreFixture(StoreConfiguration(path: path))
      #expect(try numbers(ask(path)) == [])
      try await store.write(define(Self.schema(1)))
      await store.close()
      // A store as earlier services left it.
      let connection = try Connection(path: path, access: .writer)
      try connection.execute("DROP TABLE depot_schema")
      #expect(try connection.checkpoint(.truncate))
      try connection.finish()
      let again = try StoreFixture(StoreConfiguration(path: path))
      let before = try ask(path, 1)
      #expect(before["versions"]?.array?.first?["token"] == nil)
      #expect(try Schema(parsing: before["schema"]?.text.utf8 ?? "".utf8) == Self.schema(1))
      try await again.write(define(Self.schema(2)))
      let answer = try ask(path)
      #expect(numbers(answer) == [2, 1])
      #expect(answer["versions"]?.array?.map { $0["token"] != nil } == [true, false])
      #expect(try ask(path, 1)["schema"] == before["schema"])
      await again.close()
    }
  }

  @Test func `the last hundred are kept, and a check finds what is wrong with them`() async throws {
    try await withStorePath { path in
      let store = try StoreFixture(StoreConfiguration(path: path))
      for number in 1...103 { try await store.write(define(Self.schema(number))) }
      #expect(try numbers(ask(path)) == (4...103).reversed())
      await store.close()
      let connection = try Connection(path: path, access: .writer)
      let catalog = try CatalogTables(connection: connection).load()
      let versions = SchemaVersions(connection: connection)
      #expect(try versions.problems(present: catalog) == [])
      try connection.execute("UPDATE depot_schema SET schema = '{' WHERE number = 50")
      try connection.execute("DELETE FROM depot_schema WHERE number = 103")
      #expect(try versions.problems(present: catalog).count == 2)
    }
  }

  @Test func `large schemas are kept up to a sum of their texts`() async throws {
    try await withStorePath { path in
      let store = try StoreFixture(StoreConfiguration(path: path))
      for number in 1...9 {
        var schema = Self.schema(number)
        let text = String(repeating: "x", count: Int(SchemaVersions.mostBytes) / 4)
        schema.entities[0].attributes[0].defaultValue = .string(text)
        try await store.write(define(schema))
      }
      #expect(try numbers(ask(path)) == [9, 8, 7])
      await store.close()
    }
  }
}
