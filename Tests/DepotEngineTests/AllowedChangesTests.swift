import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

/// What a definition may do to a store, by what it allows.
@Suite struct AllowedChangesTests {
  /// A version of a schema of items and notes.
  private static func schema(_ version: Int, _ body: (inout Schema) -> Void = { _ in }) -> Schema {
    var schema = Schema(
      version: SchemaVersion(version, 0, 0),
      entities: [
        Entity(
          name: "Item",
          attributes: [
            Attribute(name: "name", type: .string),
            Attribute(name: "size", type: .int64, isOptional: true),
          ]
        ),
        Entity(name: "Note", attributes: [Attribute(name: "text", type: .string)]),
      ]
    )
    body(&schema)
    return schema
  }

  /// A version without notes, in which the size of items is gone and their name is another.
  private static let smaller = schema(2) {
    $0.entities.removeLast()
    $0.entities[0].attributes = [
      Attribute(name: "title", type: .string, originalName: "name")
    ]
  }

  private func define(
    _ schema: Schema,
    _ allowed: AllowedSchemaChanges,
    isDryRun: Bool = false
  ) -> DepotProtocol.Operation {
    .defineSchema(schema, isDryRun: isDryRun, MigrationOptions(allows: allowed))
  }

  private func withItems(_ body: (StoreFixture, String) async throws -> Void) async throws {
    try await withStore(Self.schema(1)) { store, path in
      try await store.insert([[.string("a"), .int64(1)], [.string("b"), .null]])
      try await body(store, path)
      await store.close()
      #expect(try Store.check(path: path) == [])
    }
  }

  private func steps(_ error: DepotError?) -> [String] {
    (error?.details?["steps"]?.array ?? []).map { step in
      let mark = step["destructive"] == .bool(true) ? "! " : ""
      return mark + (step["description"]?.string ?? "") + " \(step["rows"]?.int64 ?? -1)"
    }
  }

  @Test(arguments: [false, true])
  func `where only additions are allowed, a newer version may do no more`(
    isDryRun: Bool
  ) async throws {
    try await withItems { store, path in
      let error = await #expect(throws: DepotError.self) {
        try await store.write(define(Self.smaller, .additions, isDryRun: isDryRun))
      }
      #expect(error?.code == .mismatch)
      #expect(
        steps(error) == [
          "! removed entity Note 0", "! removed attribute Item.size 2",
          "renamed attribute Item.name to title 0",
        ]
      )
      #expect(error?.details?["differences"]?.array?.count == 3)
      #expect(store.store.catalog.schema == Self.schema(1))
      let files = try FileManager.default.contentsOfDirectory(
        atPath: URL(filePath: path).deletingLastPathComponent().path
      )
      #expect(!files.contains { $0.contains("backup") })
    }
  }

  @Test func `additions are taken under the same version, a newer one, and none`() async throws {
    try await withItems { store, _ in
      for (version, name) in [(1, "one"), (3, "three")] {
        let more = Self.schema(version) { schema in
          schema = store.store.catalog.schema
          schema.version = SchemaVersion(version, 0, 0)
          schema.entities[0].attributes.append(
            Attribute(name: name, type: .int64, defaultValue: .int64(7))
          )
        }
        let result = try await store.write(define(more, .additions))
        #expect(result["changes"]?.array?.first == .string("added attribute Item.\(name)"))
        #expect(store.store.catalog.schema == more)
      }
      var unversioned = store.store.catalog.schema
      unversioned.version = nil
      unversioned.entities.append(
        Entity(name: "Tag", attributes: [Attribute(name: "word", type: .string)])
      )
      let result = try await store.write(define(unversioned, .additions))
      #expect(result["changes"] == .array([.string("added entity Tag")]))
    }
  }

  @Test func `an addition that can't be made is told as a problem`() async throws {
    try await withItems { store, _ in
      let must = Self.schema(1) {
        $0.entities[0].attributes.append(Attribute(name: "must", type: .int64))
      }
      let error = await #expect(throws: DepotError.self) {
        try await store.write(define(must, .additions))
      }
      #expect(steps(error) == [])
      #expect(
        error?.details?["problems"]
          == .array([
            .string("attribute Item.must is new, but neither optional nor with a default")
          ])
      )
    }
  }

  @Test func `a migration that loses values is refused where loss isn't allowed`() async throws {
    try await withItems { store, _ in
      for isDryRun in [false, true] {
        let error = await #expect(throws: DepotError.self) {
          try await store.write(define(Self.smaller, .migration, isDryRun: isDryRun))
        }
        #expect(error?.code == .loss)
        #expect(error?.message.contains("removed attribute Item.size (2 rows)") == true)
        #expect(
          steps(error) == ["! removed entity Note 0", "! removed attribute Item.size 2"]
        )
      }
      #expect(store.store.catalog.schema == Self.schema(1))
      let result = try await store.write(define(Self.smaller, .loss))
      #expect(result["backup"]?.string?.contains(".backup-1.0.0-1") == true)
      #expect(store.store.catalog.schema == Self.smaller)
    }
  }

  @Test func `a migration that keeps all values needs no more than to be allowed`() async throws {
    try await withItems { store, _ in
      let renamed = Self.schema(2) {
        $0.entities[0].attributes[0].name = "title"
        $0.entities[0].attributes[0].originalName = "name"
      }
      let error = await #expect(throws: DepotError.self) {
        try await store.write(define(renamed, .additions))
      }
      #expect(steps(error) == ["renamed attribute Item.name to title 0"])
      try await store.write(define(renamed, .migration))
      #expect(store.store.catalog.schema == renamed)
    }
  }

  @Test func `what can't be migrated at all is no matter of loss`() async throws {
    try await withItems { store, _ in
      let impossible = Self.schema(2) {
        $0.entities.removeLast()
        $0.entities[0].attributes.append(Attribute(name: "must", type: .int64))
      }
      let error = await #expect(throws: DepotError.self) {
        try await store.write(define(impossible, .migration))
      }
      #expect(error?.code == .mismatch)
      #expect(error?.details?["problems"]?.array?.count == 1)
    }
  }
}
