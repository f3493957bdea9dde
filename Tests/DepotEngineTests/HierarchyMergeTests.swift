import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

/// Hierarchies that become one, and entities that leave theirs.
@Suite struct HierarchyMergeTests {
  /// Dogs and cats with owners, who have several of each, and friends among dogs.
  private static let first = Schema(
    version: SchemaVersion(1, 0, 0),
    entities: [
      Entity(
        name: "Dog",
        attributes: [
          Attribute(name: "name", type: .string),
          Attribute(name: "tricks", type: .int64, isOptional: true),
        ],
        relationships: [
          Relationship(name: "owner", destination: "Person", inverse: "dogs"),
          Relationship(name: "friends", destination: "Dog", inverse: "friends", isToMany: true),
        ]
      ),
      Entity(
        name: "Cat",
        attributes: [
          Attribute(name: "name", type: .string),
          Attribute(name: "song", type: .string, isOptional: true, options: .externalStorage),
        ],
        relationships: [
          Relationship(name: "owner", destination: "Person", inverse: "cats"),
          Relationship(name: "rival", destination: "Cat"),
          Relationship(name: "hates", destination: "Dog", isToMany: true),
        ]
      ),
      Entity(
        name: "Person",
        attributes: [Attribute(name: "name", type: .string)],
        relationships: [
          Relationship(name: "dogs", destination: "Dog", inverse: "owner", isToMany: true),
          Relationship(name: "cats", destination: "Cat", inverse: "owner", isToMany: true),
        ]
      ),
    ]
  )

  /// Both are animals, whose names may be unique.
  private static func second(isUnique: Bool = false) -> Schema {
    var schema = first
    schema.version = SchemaVersion(2, 0, 0)
    schema.entities.insert(
      Entity(
        name: "Animal",
        isAbstract: true,
        attributes: [Attribute(name: "name", type: .string, isUnique: isUnique)]
      ),
      at: 0
    )
    for index in 1...2 {
      schema.entities[index].parent = "Animal"
      schema.entities[index].attributes.removeFirst()
    }
    return schema
  }

  private func run(
    _ body: (_ store: StoreFixture, _ path: String) async throws -> Void
  ) async throws {
    try await withStore(Self.first) { store, path in
      try await store.insert("Person", ["name"], #"[["p"],["q"]]"#)
      try await store.insert("Dog", ["name", "owner"], #"[["a",1],["b",2],["c",1]]"#)
      try await store.update("Dog", [1], ["friends"], "[[2,3]]")
      try await store.insert(
        "Cat",
        ["name", "song", "owner", "rival", "hates"],
        #"[["x","meow",2,null,[1]],["a",null,1,1,[2,3]]]"#
      )
      try await body(store, path)
    }
  }

  private func define(_ schema: Schema, isDryRun: Bool = false) -> DepotProtocol.Operation {
    .defineSchema(schema, isDryRun: isDryRun, MigrationOptions())
  }

  private func check(_ store: StoreFixture, _ path: String) async throws {
    await store.close()
    #expect(try Store.check(path: path) == [])
  }

  @Test func `rows get new identifiers if they clash, and what leads to them follows`() async throws
  {
    try await run { store, path in
      let rehearsal = try await store.write(define(Self.second(), isDryRun: true))
      let result = try await store.write(define(Self.second()))
      #expect(rehearsal["changes"] == result["changes"])
      let changes = result["changes"]?.array?.compactMap(\.string) ?? []
      #expect(rehearsal["plan"]?["problems"] == .array([]))
      let added = try #require(changes.last { $0.hasPrefix("added ") })
      // Without a root that stayed, the first by name keeps its identifiers.
      #expect(added.hasSuffix("to the identifiers of Dog, now under Animal"))
      let shift = try #require(added.split(separator: " ").dropFirst().first.flatMap { Int64($0) })
      let name = "a_name"
      #expect(
        try rows("SELECT id, \(name), r_owner FROM e_Animal ORDER BY id".owner, in: path) == [
          [.integer(1), .text("x"), .integer(2)], [.integer(2), .text("a"), .integer(1)],
          [.integer(shift + 1), .text("a"), .integer(1)],
          [.integer(shift + 2), .text("b"), .integer(2)],
          [.integer(shift + 3), .text("c"), .integer(1)],
        ]
      )
      #expect(
        try rows("SELECT \"r_Cat:rival\" FROM e_Animal ORDER BY id LIMIT 2", in: path)
          == [[.null], [.integer(1)]]
      )
      #expect(
        try rows("SELECT source, target FROM \"j_Cat.hates\" ORDER BY 1, 2", in: path) == [
          [.integer(1), .integer(shift + 1)], [.integer(2), .integer(shift + 2)],
          [.integer(2), .integer(shift + 3)],
        ]
      )
      let friends = try rows("SELECT source, target FROM \"j_Dog.friends\" ORDER BY 1, 2", in: path)
      #expect(friends.count == 4)
      #expect(friends.first == [.integer(shift + 1), .integer(shift + 2)])
      // No identifier is given again.
      try await store.insert("Dog", ["name"], #"[["new"]]"#)
      let fresh = try rows("SELECT max(id) > \(shift + 3) FROM e_Animal", in: path)
      #expect(fresh == [[.integer(1)]])
      #expect(try rows("SELECT count(*) FROM \"x_Animal\"", in: path) == [[.integer(1)]])
      try await check(store, path)
    }
  }

  @Test func `names that clash are told with the identifiers before`() async throws {
    try await run { store, path in
      let error = await #expect(throws: DepotError.self) {
        try await store.write(define(Self.second(isUnique: true)))
      }
      #expect(error?.code == .rowsInTheWay)
      let groups = error?.details?["duplicates"]?.array ?? []
      #expect(groups.map { $0["ids"] } == [.array([.int64(2), .int64(1)])])
      #expect(store.store.catalog.schema == Self.first)
      try await check(store, path)
    }
  }

  @Test func `identifiers stay if none clash`() async throws {
    try await run { store, path in
      try await store.write(
        .delete(DeleteRequest(entity: "Cat", rows: .identifiers([1, 2])))
      )
      for name in ["d", "e"] { try await store.insert("Cat", ["name"], "[[\"\(name)\"]]") }
      try await store.write(.delete(DeleteRequest(entity: "Dog", rows: .identifiers([3]))))
      let result = try await store.write(define(Self.second()))
      let changes = result["changes"]?.array?.compactMap(\.string) ?? []
      #expect(!changes.contains { $0.hasPrefix("added 1 ") || $0.contains("to the identifiers") })
      #expect(
        try rows("SELECT id FROM e_Animal ORDER BY id", in: path).map { $0[0] }
          == [1, 2, 3, 4].map { .integer($0) }
      )
      try await check(store, path)
    }
  }

  @Test func `an entity joins another that stays, and leaves it again`() async throws {
    try await run { store, path in
      var schema = Self.first
      schema.version = SchemaVersion(2, 0, 0)
      schema.entities[1].parent = "Dog"
      schema.entities[1].attributes.removeFirst()
      schema.entities[1].relationships.removeFirst()
      schema.entities[2].relationships.removeLast()
      let result = try await store.write(define(schema))
      #expect(
        result["changes"]?.array?.contains {
          $0.string?.hasSuffix("to the identifiers of Cat, now under Dog") == true
        } == true
      )
      #expect(
        try rows("SELECT id, r_owner FROM e_Dog ORDER BY id LIMIT 3", in: path) == [
          [.integer(1), .integer(1)], [.integer(2), .integer(2)], [.integer(3), .integer(1)],
        ]
      )
      let owners = try rows("SELECT r_owner FROM e_Dog ORDER BY id", in: path).map { $0[0] }
      #expect(owners == [1, 2, 1, 2, 1].map { .integer($0) })
      var third = Self.first
      third.version = SchemaVersion(3, 0, 0)
      try await store.write(define(third))
      #expect(
        try rows("SELECT a_name, r_rival IS NULL FROM e_Cat ORDER BY id", in: path)
          == [[.text("x"), .integer(1)], [.text("a"), .integer(0)]]
      )
      try await check(store, path)
    }
  }
}

extension String {
  /// Names the column of dogs' and cats' owners, which two entities declare.
  fileprivate var owner: String {
    replacing("r_owner", with: "coalesce(\"r_Dog:owner\", \"r_Cat:owner\")")
  }
}
