import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

/// What migrations do with values that are stored outside their rows.
@Suite struct BlobMigrationTests {
  private static let large = String(repeating: "grün ", count: 30_000)

  /// Documents, a descendant of them, and something else that has values too.
  private static func schema(_ version: Int, _ body: (inout [Entity]) -> Void = { _ in }) -> Schema
  {
    var entities = [
      Entity(
        name: "Document",
        attributes: [
          Attribute(name: "name", type: .string, isOptional: true),
          Attribute(name: "text", type: .string, isOptional: true, options: .externalStorage),
          Attribute(name: "image", type: .data, isOptional: true, options: .externalStorage),
          Attribute(name: "note", type: .string, isOptional: true),
        ]
      ),
      Entity(
        name: "Scan",
        parent: "Document",
        attributes: [
          Attribute(name: "raw", type: .data, isOptional: true, options: .externalStorage)
        ]
      ),
      Entity(
        name: "Other",
        attributes: [
          Attribute(name: "body", type: .string, isOptional: true, options: .externalStorage)
        ]
      ),
    ]
    body(&entities)
    return Schema(version: SchemaVersion(version, 0, 0), entities: entities)
  }

  /// Fills a store of the first version.
  private func run(
    _ body: (_ store: StoreFixture, _ path: String) async throws -> Void
  ) async throws {
    try await withStore(Self.schema(1)) { store, path in
      let image = Value.data(Data(repeating: 7, count: 100_000))
      try await insert(
        store,
        "Document",
        ["name", "text", "image", "note"],
        [
          [.string("a"), .string(Self.large), image, .string("short")],
          [.string("b"), .string(""), .null, .string(Self.large)],
          [.string("c"), .null, .data(Data()), .null],
        ]
      )
      try await insert(
        store,
        "Scan",
        ["name", "text", "raw"],
        [[.string("s"), .string("scanned"), .data(Data([1, 2, 3]))]]
      )
      try await insert(store, "Other", ["body"], [[.string("else")]])
      try await body(store, path)
    }
  }

  private func insert(
    _ store: StoreFixture,
    _ entity: String,
    _ columns: [String],
    _ rows: [[Value]]
  ) async throws {
    try await store.write(
      .insert(InsertRequest(entity: entity, columns: columns, rows: RowBatch(rows)))
    )
  }

  /// Returns the values of an attribute, by the rows' identifiers.
  private func values(
    _ entity: String,
    _ attribute: String,
    _ store: StoreFixture,
    _ path: String
  ) async throws -> [JSONValue] {
    let request = FetchRequest(entity: entity, select: [attribute])
    let delivered = try await Delivered.reading(.fetch(request), store.store.catalog, path: path)
    #expect(delivered.errorCode == nil)
    return delivered.rows.compactMap { $0.array?.last }
  }

  private func migrate(
    _ store: StoreFixture,
    _ version: Int = 2,
    _ body: (inout [Entity]) -> Void
  ) async throws -> [String] {
    let operation = DepotProtocol.Operation.defineSchema(
      Self.schema(version, body),
      isDryRun: false,
      MigrationOptions()
    )
    let rehearsal = try await store.write(
      .defineSchema(Self.schema(version, body), isDryRun: true, MigrationOptions())
    )
    let result = try await store.write(operation)
    #expect(rehearsal["changes"] == result["changes"])
    return result["changes"]?.array?.compactMap(\.string) ?? []
  }

  private func check(_ store: StoreFixture, _ path: String) async throws {
    await store.close()
    #expect(try Store.check(path: path) == [])
  }

  @Test func `the chunks of an attribute that is removed go, and no others`() async throws {
    try await run { store, path in
      let changes = try await migrate(store) { $0[0].attributes.remove(at: 2) }
      #expect(changes.first == "removed attribute Document.image")
      let found = try rows("SELECT count(DISTINCT blob) FROM \"x_Document\"", in: path)
      #expect(found == [[.integer(4)]])
      #expect(
        try await values("Document", "text", store, path)
          == [.string(Self.large), .string(""), .null, .string("scanned")]
      )
      #expect(try await values("Scan", "raw", store, path) == [.string("AQID")])
      try await check(store, path)
    }
  }

  @Test func `the last attribute takes its table along, and another one makes a new one`()
    async throws
  {
    try await run { store, path in
      _ = try await migrate(store) {
        $0[0].attributes.removeSubrange(1...2)
        $0.removeSubrange(1...2)
      }
      let tables = try rows("SELECT name FROM sqlite_schema WHERE name GLOB 'x_*'", in: path)
      #expect(tables == [])
      #expect(try rows("SELECT 1 FROM sqlite_schema WHERE name = 'depot_upload'", in: path) == [])
      _ = try await migrate(store, 3) {
        $0[0].attributes.removeSubrange(2...2)
        $0.removeSubrange(1...2)
      }
      try await insert(store, "Document", ["text"], [[.string("new")]])
      #expect(try await values("Document", "text", store, path).last == .string("new"))
      try await check(store, path)
    }
  }

  @Test func `an entity that is removed takes its values along`() async throws {
    try await run { store, path in
      let changes = try await migrate(store) { $0.removeSubrange(1...2) }
      #expect(changes.contains("removed entity Other"))
      #expect(try rows("SELECT 1 FROM sqlite_schema WHERE name = 'x_Other'", in: path) == [])
      let found = try rows("SELECT count(DISTINCT blob) FROM \"x_Document\"", in: path)
      #expect(found == [[.integer(4)]])
      try await check(store, path)
    }
  }

  @Test func `values move out of rows when that is turned on`() async throws {
    try await run { store, path in
      let changes = try await migrate(store) { $0[0].attributes[3].options = .externalStorage }
      #expect(changes.first == "turned external storage of Document.note on")
      #expect(
        try await values("Document", "note", store, path)
          == [.string("short"), .string(Self.large), .null, .null]
      )
      #expect(try rows("SELECT typeof(a_note) FROM e_Document", in: path)[0] == [.text("blob")])
      #expect(try await values("Document", "text", store, path)[0] == .string(Self.large))
      try await check(store, path)
    }
  }

  @Test func `values move into rows when it is turned off`() async throws {
    try await run { store, path in
      let changes = try await migrate(store) {
        $0[0].attributes[1].options = []
        $0[0].attributes[1].isIndexed = true
        $0[2].attributes[0].options = .spotlight
      }
      #expect(changes.contains("turned external storage of Document.text off"))
      #expect(
        try await values("Document", "text", store, path)
          == [.string(Self.large), .string(""), .null, .string("scanned")]
      )
      #expect(try rows("SELECT a_body FROM e_Other", in: path) == [[.text("else")]])
      #expect(try rows("SELECT 1 FROM sqlite_schema WHERE name = 'x_Other'", in: path) == [])
      #expect(try await values("Scan", "raw", store, path) == [.string("AQID")])
      try await check(store, path)
    }
  }

  /// Makes the value of a row larger than one in a row can be.
  private func grow(_ store: StoreFixture) async throws {
    let piece = String(repeating: "x", count: 4 << 20)
    for _ in 0..<3 {
      let request = BlobWriteRequest(
        entity: "Document",
        identifier: 2,
        attribute: "text",
        data: piece,
        place: .end
      )
      try await store.write(.writeBlob(request))
    }
  }

  @Test func `a value too large for a row is in the way, and named`() async throws {
    try await run { store, path in
      try await grow(store)
      let next = Self.schema(2) { $0[0].attributes[1].options = .spotlight }
      let error = await #expect(throws: DepotError.self) {
        try await store.write(.defineSchema(next, isDryRun: false, MigrationOptions()))
      }
      #expect(error?.code == .rowsInTheWay)
      let violations = error?.details?["violations"]?.array ?? []
      #expect(violations.map { $0["code"] } == [.string("limit.value_bytes")])
      #expect(violations.first?["attribute"] == .string("text"))
      #expect(violations.first?["id"] == .int64(2))
      let rehearsal = try await store.write(
        .defineSchema(next, isDryRun: true, MigrationOptions())
      )
      #expect(rehearsal["plan"]?["violations"]?.array == violations)
      #expect(store.store.catalog.schema == Self.schema(1))
      try await check(store, path)
    }
  }

  @Test func `a value too large for a row can be made smaller in a custom stage`() async throws {
    try await run { store, path in
      try await grow(store)
      let next = Self.schema(2) {
        $0[0].attributes[1].options = .spotlight
        $0[0].attributes[1].isOptional = false
      }
      try await store.write(.beginMigration(MigrationRequest(next)))
      var configuration = StoreConfiguration(path: StoreCopies.migrating(path))
      configuration.isScratch = true
      let copy = try StoreFixture(configuration)
      let early = await #expect(throws: DepotError.self) {
        try await copy.write(.commitMigration(takesBackup: false))
      }
      #expect(early?.code == .rowsInTheWay)
      for identifier in [Int64(2), 3] {
        let request = BlobWriteRequest(
          entity: "Document",
          identifier: identifier,
          attribute: "text",
          data: "less"
        )
        try await copy.write(.writeBlob(request))
      }
      try await copy.write(.commitMigration(takesBackup: false))
      #expect(
        try await values("Document", "text", copy, configuration.path).dropFirst()
          == [.string("less"), .string("less"), .string("scanned")]
      )
      try await check(copy, configuration.path)
      try await check(store, path)
    }
  }

  @Test func `an ordinary attribute keeps what is too large for its rows`() async throws {
    try await run { store, path in
      try await grow(store)
      try await store.update("Document", [3], ["text"], #"["small"]"#)
      let changes = try await migrate(store) {
        $0[0].attributes[1].options = []
        $0[2].attributes[0].options = []
      }
      #expect(changes.contains("turned external storage of Document.text off"))
      #expect(
        try await values("Document", "text", store, path) == [
          .string(Self.large), .object(["$length": .int64(12 << 20)]), .string("small"),
          .string("scanned"),
        ]
      )
      let types = try rows("SELECT typeof(a_text) FROM e_Document ORDER BY id", in: path)
      #expect(types == ["text", "blob", "text", "text"].map { [.text($0)] })
      #expect(try rows("PRAGMA user_version", in: path) == [[.integer(CatalogTables.format)]])
      #expect(try rows("SELECT 1 FROM sqlite_schema WHERE name = 'x_Other'", in: path) == [])
      try await check(store, path)
    }
  }

  @Test func `a value of any size is kept when it is only renamed or moved`() async throws {
    try await run { store, path in
      try await grow(store)
      _ = try await migrate(store) {
        $0[0].attributes[1].name = "content"
        $0[0].attributes[1].originalName = "text"
        $0[0].attributes.remove(at: 0)
        $0[0].name = "Paper"
        $0[0].originalName = "Document"
        $0[1].parent = nil
        $0[1].attributes.append(
          Attribute(name: "text", type: .string, isOptional: true, options: .externalStorage)
        )
      }
      let length = try await values("Paper", "content.$length", store, path)
      #expect(length == [.int64(Int64(Self.large.utf8.count)), .int64(12 << 20), .null])
      #expect(try await values("Scan", "text", store, path) == [.string("scanned")])
      #expect(try await values("Scan", "raw", store, path) == [.string("AQID")])
      try await check(store, path)
    }
  }

  @Test func `names that are exchanged take their values along`() async throws {
    try await run { store, path in
      _ = try await migrate(store) {
        $0[0].name = "Other"
        $0[0].originalName = "Document"
        $0[1].parent = "Other"
        $0[2].name = "Document"
        $0[2].originalName = "Other"
      }
      #expect(try await values("Document", "body", store, path) == [.string("else")])
      #expect(try await values("Other", "text", store, path)[0] == .string(Self.large))
      try await check(store, path)
    }
  }

  @Test func `an attribute that a parent takes over keeps its values`() async throws {
    try await run { store, path in
      _ = try await migrate(store) {
        $0[0].attributes.append($0[1].attributes.removeLast())
        $0[0].attributes[0].isIndexed = true
      }
      #expect(
        try await values("Document", "raw", store, path) == [.null, .null, .null, .string("AQID")]
      )
      try await check(store, path)
    }
  }

  @Test func `a new attribute with a default has it outside the rows`() async throws {
    try await run { store, path in
      let fresh = Attribute(
        name: "summary",
        type: .string,
        defaultValue: .string(Self.large),
        options: .externalStorage
      )
      _ = try await migrate(store, 1) { $0[0].attributes.append(fresh) }
      #expect(try await values("Scan", "summary", store, path) == [.string(Self.large)])
      _ = try await migrate(store, 2) {
        $0[0].attributes[0].isOptional = false
        $0[0].attributes[0].defaultValue = .string("")
        var other = fresh
        other.name = "abstract"
        $0[0].attributes += [fresh, other]
      }
      #expect(
        try await values("Document", "abstract", store, path)
          == Array(repeating: .string(Self.large), count: 4)
      )
      #expect(try await values("Document", "summary", store, path)[2] == .string(Self.large))
      try await check(store, path)
    }
  }

  @Test func `new rules of an attribute look at its values`() async throws {
    try await run { store, path in
      let next = Self.schema(2) { $0[0].attributes[1].validation.maxLength = 10 }
      let error = await #expect(throws: DepotError.self) {
        try await store.write(.defineSchema(next, isDryRun: false, MigrationOptions()))
      }
      #expect(error?.details?["violations"]?.array?.map { $0["id"] } == [.int64(1)])
      _ = try await migrate(store) { $0[0].attributes[1].validation.maxLength = 1_000_000 }
      #expect(try await values("Document", "text", store, path)[0] == .string(Self.large))
      try await check(store, path)
    }
  }

  @Test func `a value becomes a list of one`() async throws {
    try await run { store, path in
      _ = try await migrate(store) {
        $0[0].attributes[1].options = []
        $0[0].attributes[1].collection = .array
      }
      #expect(
        try await values("Document", "text", store, path)
          == [
            .array([.string(Self.large)]), .array([.string("")]), .null,
            .array([.string("scanned")]),
          ]
      )
      try await check(store, path)
    }
  }

  @Test func `what is damaged stops the migration`() async throws {
    try await run { store, path in
      await store.close()
      do {
        let connection = try Connection(path: path, access: .writer)
        try connection.execute("DELETE FROM \"x_Document\" WHERE chunk = 1")
      }
      let other = try StoreFixture(StoreConfiguration(path: path))
      let next = Self.schema(2) { $0[0].attributes[1].options = [] }
      let error = await #expect(throws: DepotError.self) {
        try await other.write(.defineSchema(next, isDryRun: false, MigrationOptions()))
      }
      #expect(error?.code == .corrupt)
      #expect(error?.message.contains("Document/1") == true)
      await other.close()
    }
  }
}
