import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

/// What a definition of a newer version does and refuses.
@Suite struct MigrationTests {
  private static func schema(_ version: Int, _ body: (inout Entity) -> Void = { _ in }) -> Schema {
    var entity = Entity(
      name: "Item",
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(name: "size", type: .int64, isOptional: true),
      ]
    )
    body(&entity)
    return Schema(version: SchemaVersion(version, 0, 0), entities: [entity])
  }

  private func define(
    _ schema: Schema,
    isDryRun: Bool = false,
    _ options: MigrationOptions = MigrationOptions()
  ) -> DepotProtocol.Operation {
    .defineSchema(schema, isDryRun: isDryRun, options)
  }

  private func backups(_ path: String) throws -> [String] {
    let folder = URL(filePath: path).deletingLastPathComponent().path
    return try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.contains(".backup-") }
  }

  @Test func `a store that is newer, or of another version than expected, is refused`() async throws
  {
    try await withStore(Self.schema(2)) { store, path in
      let newer = await #expect(throws: DepotError.self) {
        try await store.write(define(Self.schema(1)))
      }
      #expect(newer?.code == .newerStore)
      #expect(newer?.details?["found"] == .string("2.0.0"))
      let options = MigrationOptions(from: SchemaVersion(1, 0, 0))
      let unknown = await #expect(throws: DepotError.self) {
        try await store.write(define(Self.schema(3), options))
      }
      #expect(unknown?.code == .unknownVersion)
      #expect(store.store.catalog.schema == Self.schema(2))
    }
  }

  @Test(arguments: [(1, false), (2, true)])
  func `a backup of a migration that was cut short stays only if the store was migrated`(
    version: Int,
    stays: Bool
  ) async throws {
    try await withStore(Self.schema(version)) { store, path in
      await store.close()
      let backup = path + ".backup-1.0.0-7"
      try FileManager.default.copyItem(atPath: path, toPath: backup + ".unfinished")
      let again = try StoreFixture(StoreConfiguration(path: path))
      let found = try backups(path)
      #expect(found == (stays ? ["store.depot.backup-1.0.0-7"] : []))
      await again.close()
    }
  }

  @Test func `the same version takes additions only`() async throws {
    try await withStore(Self.schema(1)) { store, _ in
      let error = await #expect(throws: DepotError.self) {
        try await store.write(define(Self.schema(1) { $0.attributes.removeLast() }))
      }
      #expect(error?.code == .mismatch)
    }
  }

  @Test func `a newer version that only adds makes no backup`() async throws {
    try await withStore(Self.schema(1)) { store, path in
      let next = Self.schema(2) {
        $0.attributes.append(Attribute(name: "x", type: .bool, isOptional: true))
      }
      let result = try await store.write(define(next))
      #expect(
        result["changes"]?.array?.compactMap(\.string) == [
          "added attribute Item.x", "set version to 2.0.0",
        ]
      )
      let made = try backups(path)
      #expect(made == [])
      #expect(store.store.catalog.schema.version == SchemaVersion(2, 0, 0))
    }
  }

  @Test func `duplicates that a new unique constraint forbids are all listed`() async throws {
    try await withStore(Self.schema(1)) { store, path in
      try await store.insert([
        [.string("a"), .int64(1)], [.string("b"), .int64(1)], [.string("a"), .null],
        [.string("c"), .int64(1)],
      ])
      let next = Self.schema(2) {
        $0.attributes[0].isUnique = true
        $0.attributes[1].originalName = "size"
        $0.attributes[1].name = "length"
        $0.attributes[1].isUnique = true
      }
      let error = await #expect(throws: DepotError.self) { try await store.write(define(next)) }
      #expect(error?.code == .rowsInTheWay)
      let groups = error?.details?["duplicates"]?.array ?? []
      #expect(
        groups.map { $0["ids"] } == [
          .array([.int64(1), .int64(3)]), .array([.int64(1), .int64(2), .int64(4)]),
        ]
      )
      #expect(groups.map { $0["values"] } == [.array([.string("a")]), .array([.int64(1)])])
      // A program that tries again and again doesn't fill the disk.
      let made = try backups(path)
      #expect(made == [])
      #expect(store.store.catalog.schema == Self.schema(1))
      let rehearsal = try await store.write(define(next, isDryRun: true))
      #expect(rehearsal["plan"]?["duplicates"]?.array == groups)
      try await store.insert([[.string("d"), .null]])
      #expect(try rows("SELECT count(*) FROM e_Item", in: path) == [[.integer(5)]])
    }
  }

  @Test func `values that tighter rules forbid are all listed`() async throws {
    try await withStore(Self.schema(1)) { store, _ in
      try await store.insert([[.string("a"), .int64(1)], [.string("bb"), .int64(99)]])
      let next = Self.schema(2) {
        $0.attributes[0].validation.minLength = 2
        $0.attributes[1].validation.maximum = .int64(10)
      }
      let error = await #expect(throws: DepotError.self) { try await store.write(define(next)) }
      let violations = error?.details?["violations"]?.array ?? []
      #expect(violations.map { $0["id"] } == [.int64(1), .int64(2)])
      #expect(violations.map { $0["attribute"] } == [.string("name"), .string("size")])
    }
  }

  @Test func `texts that can be searched survive a rehearsal and a failure`() async throws {
    let searchable: (inout Entity) -> Void = { $0.attributes[0].options = .spotlight }
    try await withStore(Self.schema(1, searchable)) { store, path in
      try await store.insert([[.string("a"), .int64(1)], [.string("a"), .int64(2)]])
      let next = Self.schema(2) {
        searchable(&$0)
        $0.attributes[1] = Attribute(
          name: "weight",
          type: .int64,
          isOptional: true,
          originalName: "size"
        )
      }
      let unique = Self.schema(2) {
        searchable(&$0)
        $0.attributes[0].isUnique = true
      }
      let rehearsal = try await store.write(define(next, isDryRun: true))
      #expect(rehearsal["changed"] == .bool(true))
      // Whatever else is in the batch must not be undone with them.
      let results = await store.write([
        define(unique), define(next, isDryRun: true),
        .insert(
          InsertRequest(entity: "Item", columns: ["name"], rows: RowBatch([[.string("b")]]))
        ),
      ])
      #expect(results.map { $0.error?.code } == [.rowsInTheWay, nil, nil])
      try await store.write(define(next))
      #expect(try rows("SELECT a_weight FROM e_Item", in: path).count == 3)
    }
  }

  @Test func `what can't be inferred is told, and nothing changes`() async throws {
    try await withStore(Self.schema(1)) { store, path in
      try await store.insert([[.string("a"), .null]])
      let next = Self.schema(2) {
        $0.attributes[1].isOptional = false
        $0.attributes[0].type = .int64
      }
      let error = await #expect(throws: DepotError.self) { try await store.write(define(next)) }
      #expect(error?.code == .mismatch)
      #expect(error?.details?["problems"]?.array?.count == 2)
      let made = try backups(path)
      #expect(made == [])
    }
  }

  @Test func `a backup is the store as it was, and each has a name of its own`() async throws {
    try await withStore(Self.schema(1)) { store, path in
      try await store.insert([[.string("a"), .int64(1)]])
      let renamed = Self.schema(2) {
        $0.attributes[0].name = "title"
        $0.attributes[0].originalName = "name"
      }
      let result = try await store.write(define(renamed))
      let backup = try #require(result["backup"]?.string)
      #expect(backup == path + ".backup-1.0.0-1")
      #expect(try Store.check(path: backup) == [])
      let restored = try StoreFixture(StoreConfiguration(path: backup))
      #expect(restored.store.catalog.schema == Self.schema(1))
      let again = try await restored.write(
        define(renamed, MigrationOptions(takesBackup: false))
      )
      #expect(again["backup"] == nil)
      await restored.close()
      #expect(
        try rows("SELECT a_title, version FROM e_Item", in: path) == [[.text("a"), .integer(1)]]
      )
    }
  }

  @Test func `leftovers of a migration that was cut short go when the store is opened`()
    async throws
  {
    try await withStorePath { path in
      for name in [
        ".copying", ".copying-journal", ".copying.lock", ".migrating", ".migrating-wal",
      ] {
        _ = FileManager.default.createFile(atPath: path + name, contents: Data("x".utf8))
      }
      let store = try StoreFixture(StoreConfiguration(path: path))
      await store.close()
      for name in [
        ".copying", ".copying-journal", ".copying.lock", ".migrating", ".migrating-wal",
      ] {
        #expect(!FileManager.default.fileExists(atPath: path + name))
      }
    }
  }

  @Test func `identifiers go on where they were under another name`() async throws {
    try await withStore(Self.schema(1)) { store, _ in
      let first = try await store.insert([[.string("a"), .null], [.string("b"), .null]])
      var renamed = Self.schema(2)
      renamed.entities[0].originalName = "Item"
      renamed.entities[0].name = "Thing"
      renamed.entities.append(Entity(name: "Item", attributes: [Attribute(name: "n", type: .bool)]))
      try await store.write(define(renamed))
      let result = try await store.write(
        .insert(
          InsertRequest(entity: "Thing", columns: ["name"], rows: RowBatch([[.string("c")]]))
        )
      )
      let new = try #require(result["ids"]?.array?.first?.int64)
      #expect(first.compactMap { $0 }.allSatisfy { $0 < new })
    }
  }

  @Test func `a row that leads to several can't lead to one`() async throws {
    func schema(_ version: Int, isToMany: Bool) -> Schema {
      Self.schema(version) {
        $0.relationships = [Relationship(name: "next", destination: "Item", isToMany: isToMany)]
      }
    }
    try await withStore(schema(1, isToMany: true)) { store, path in
      try await store.insert(
        [
          [.string("a"), .list([])], [.string("b"), .list([.int64(1)])],
          [.string("c"), .list([.int64(1), .int64(2)])],
        ],
        columns: ["name", "next"]
      )
      let next = schema(2, isToMany: false)
      let error = await #expect(throws: DepotError.self) { try await store.write(define(next)) }
      #expect(error?.details?["violations"]?.array?.map { $0["id"] } == [.int64(3)])
      try await store.write(
        .update(
          UpdateRequest(
            entity: "Item",
            rows: .identifiers([3]),
            columns: ["next"],
            values: RowBatch([[.list([.int64(2)])]])
          )
        )
      )
      try await store.write(define(next))
      #expect(
        try rows("SELECT id, r_next FROM e_Item ORDER BY id", in: path)
          == [[.integer(1), .null], [.integer(2), .integer(1)], [.integer(3), .integer(2)]]
      )
    }
  }

  /// The definitions of the indexes of a store's tables, by their names.
  private func indexes(_ path: String) throws -> [[String?]] {
    try texts(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name GLOB '[ej]_*' ORDER BY name",
      in: path
    ).filter { $0[1] != nil }
  }

  private typealias Change = @Sendable (inout Entity) -> Void

  /// Items whose properties were others before: a name that is used again, exchanged ones, and those of a
  /// relationship and of a compound.
  private static let renamings: [(before: Change, after: Change)] = [
    (
      { $0.attributes[0].isUnique = true },
      {
        $0.attributes[0].name = "title"
        $0.attributes[0].originalName = "name"
        $0.attributes.append(
          Attribute(name: "name", type: .string, isOptional: true, isUnique: true)
        )
      }
    ),
    (
      {
        $0.attributes[0] = Attribute(name: "name", type: .int64, isOptional: true, isUnique: true)
        $0.attributes[1].isUnique = true
      },
      {
        $0.attributes = [("size", "name"), ("name", "size")].map { name, original in
          Attribute(
            name: name,
            type: .int64,
            isOptional: true,
            isUnique: true,
            originalName: original
          )
        }
      }
    ),
    (
      {
        $0.relationships = [Relationship(name: "next", destination: "Item")]
        $0.uniques = [["name", "next"]]
        $0.indexes = [["next", "size"]]
      },
      {
        $0.relationships = [
          Relationship(name: "follower", destination: "Item", originalName: "next"),
          Relationship(name: "next", destination: "Item"),
        ]
        $0.uniques = [["name", "next"]]
        $0.indexes = [["next", "size"]]
      }
    ),
  ]

  @Test(arguments: Self.renamings.indices)
  func `an index stays with a name, not with the column that had it`(number: Int) async throws {
    let (before, after) = Self.renamings[number]
    var wanted: [[String?]] = []
    try await withStore(Self.schema(2, after)) { _, path in wanted = try indexes(path) }
    #expect(!wanted.isEmpty)
    try await withStore(Self.schema(1, before)) { store, path in
      try await store.write(define(Self.schema(2, after)))
      #expect(try indexes(path) == wanted)
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a migration puts an index right that is on another column`() async throws {
    let unique: (inout Entity) -> Void = { $0.attributes[0].isUnique = true }
    try await withStore(Self.schema(1, unique)) { store, path in
      let wanted = try indexes(path)
      await store.close()
      do {
        let connection = try Connection(path: path, access: .writer)
        try connection.execute("DROP INDEX \"u_Item_name\"")
        try connection.execute("CREATE UNIQUE INDEX \"u_Item_name\" ON \"e_Item\" (\"a_size\")")
      }
      let again = try StoreFixture(StoreConfiguration(path: path))
      try await again.write(
        define(
          Self.schema(2) {
            unique(&$0)
            $0.attributes[1].isOptional = false
            $0.attributes[1].defaultValue = .int64(0)
          }
        )
      )
      #expect(try indexes(path) == wanted)
      await again.close()
    }
  }

  @Test func `of many duplicates the first are listed and the others counted`() async throws {
    try await withStore(Self.schema(1)) { store, path in
      let count = 3000
      try await store.insert((0..<3 * count).map { [.string("\($0 % count)"), .null] })
      let next = Self.schema(2) { $0.attributes[0].isUnique = true }
      let control = CallControl()
      let error = await #expect(throws: DepotError.self) {
        try await store.write(define(next), control: control)
      }
      let groups = error?.details?["duplicates"]?.array ?? []
      #expect(groups.count == MigrationFindings.limit)
      #expect(groups.allSatisfy { $0["ids"]?.array?.count == 3 && $0["count"] == .int64(3) })
      #expect(error?.details?["count"] == .int64(Int64(count)))
      // Once for all groups, and once for each that is listed.
      let scanned = try #require(control.scannedRows)
      #expect(scanned <= 3 * count * (MigrationFindings.limit + 2))
      #expect(try await store.problems(path) == [])
    }
  }

  @Test func `a rehearsal with some rows of each table doesn't count what leads to them`()
    async throws
  {
    func schema(_ version: Int, hasNote: Bool) -> Schema {
      let note = Attribute(name: "note", type: .string, isOptional: true)
      return Schema(
        version: SchemaVersion(version, 0, 0),
        entities: [
          Entity(
            name: "Country",
            attributes: [Attribute(name: "name", type: .string)],
            relationships: [
              Relationship(
                name: "regions",
                destination: "Region",
                inverse: "country",
                isToMany: true,
                minCount: 1
              )
            ]
          ),
          Entity(
            name: "Region",
            attributes: [Attribute(name: "name", type: .string)] + (hasNote ? [note] : []),
            relationships: [
              Relationship(name: "country", destination: "Country", inverse: "regions")
            ]
          ),
        ]
      )
    }
    try await withStore(schema(1, hasNote: true)) { store, _ in
      let count = 5
      let regions = repeatElement(##"["r","#c"]"##, count: MigrationRehearsal.smallStore / count)
      for _ in 1...count {
        try await store.call(
          "save",
          """
          {"insert":[{"entity":"Country","columns":["$id","name"],"rows":[["#c","c"]]},
          {"entity":"Region","columns":["name","country"],"rows":[\(regions.joined(separator: ","))]}]}
          """
        )
      }
      let next = schema(2, hasNote: false)
      let rehearsal = try await store.write(define(next, isDryRun: true))
      #expect(rehearsal["plan"]?["violations"] == .array([]))
      try await store.write(define(next))
    }
  }

  @Test(arguments: [true, false])
  func `the old store of a stage that was cut short stays if the new one has its place`(
    isSwapped: Bool
  ) async throws {
    try await withStore(Self.schema(1)) { store, path in
      await store.close()
      let backup = path + ".backup-1.0.0-7"
      let manager = FileManager.default
      if isSwapped {
        try manager.copyItem(atPath: path, toPath: backup + ".linked.unfinished")
      } else {
        try manager.linkItem(atPath: path, toPath: backup + ".linked.unfinished")
      }
      let again = try StoreFixture(StoreConfiguration(path: path))
      #expect(try backups(path) == (isSwapped ? ["store.depot.backup-1.0.0-7"] : []))
      await again.close()
    }
  }
}
