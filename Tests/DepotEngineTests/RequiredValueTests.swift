import DepotProtocol
import DepotSQLite
import Testing

@testable import DepotEngine

/// Values that rows must have in a new version, for which the rows are looked at.
@Suite struct RequiredValueTests {
  private static let old = Schema(
    version: SchemaVersion(1, 0, 0),
    entities: [
      Entity(
        name: "Animal",
        attributes: [
          Attribute(name: "name", type: .string, isOptional: true),
          Attribute(
            name: "home",
            type: .composite,
            properties: [
              Attribute(name: "city", type: .string, isOptional: true),
              Attribute(name: "zip", type: .int64),
            ],
            isOptional: true
          ),
        ]
      ),
      Entity(name: "Cat", parent: "Animal", attributes: [Attribute(name: "age", type: .int64)]),
      Entity(name: "Owner", attributes: [Attribute(name: "name", type: .string)]),
    ]
  )

  private func define(
    isDryRun: Bool = false,
    _ change: (inout Schema) -> Void
  ) -> DepotProtocol.Operation {
    var schema = Self.old
    schema.version = SchemaVersion(2, 0, 0)
    change(&schema)
    return .defineSchema(schema, isDryRun: isDryRun, MigrationOptions())
  }

  /// Expects that a change is made over some rows, and refused for one problem with one more.
  private func expect(
    _ change: (inout Schema) -> Void,
    over good: [Row],
    butNot bad: Row,
    _ problem: String
  ) async throws {
    try await withStore(Self.old) { store, path in
      for row in good { try await insert(row, into: store) }
      let rehearsal = try await store.write(define(isDryRun: true, change))
      #expect(rehearsal["plan"]?["problems"] == .array([]))
      #expect(rehearsal["plan"]?["violations"] == .array([]))
      try await store.write(define(change))
      #expect(store.store.catalog.schema.version == SchemaVersion(2, 0, 0))
      #expect(try await store.problems(path) == [])
    }
    try await withStore(Self.old) { store, _ in
      for row in good + [bad] { try await insert(row, into: store) }
      let error = await #expect(throws: DepotError.self) { try await store.write(define(change)) }
      #expect(error?.code == .mismatch)
      #expect(error?.details?["problems"] == .array([.string(problem)]))
      #expect(store.store.catalog.schema == Self.old)
    }
  }

  private struct Row {
    var entity = "Animal"
    var name: Value = .string("Mia")
    var isAtHome = false
    var city: Value = .null
  }

  private func insert(_ row: Row, into store: StoreFixture) async throws {
    var columns = ["name"]
    var values = [row.name]
    if row.entity == "Cat" { (columns, values) = (columns + ["age"], values + [.int64(3)]) }
    if row.isAtHome {
      columns += ["home.city", "home.zip"]
      values += [row.city, .int64(1)]
    }
    try await store.write(
      .insert(InsertRequest(entity: row.entity, columns: columns, rows: RowBatch([values])))
    )
  }

  @Test func `an attribute becomes required if no row is without it`() async throws {
    try await expect(
      { $0.entities[0].attributes[0].isOptional = false },
      over: [Row(), Row(entity: "Cat")],
      butNot: Row(entity: "Cat", name: .null),
      "Animal.name is required, but was optional and has no default"
    )
  }

  @Test func `a part becomes required if no composite that is there is without it`() async throws {
    try await expect(
      { $0.entities[0].attributes[1].properties[0].isOptional = false },
      over: [Row(), Row(isAtHome: true, city: .string("Ulm"))],
      butNot: Row(isAtHome: true),
      "Animal.home.city is required, but was optional and has no default"
    )
  }

  @Test func `a composite becomes required if it is there in all rows`() async throws {
    try await expect(
      { $0.entities[0].attributes[1].isOptional = false },
      over: [Row(isAtHome: true, city: .string("Ulm")), Row(isAtHome: true)],
      butNot: Row(),
      "Animal.home.zip is required, but was optional and has no default"
    )
  }

  @Test func `a required attribute is added where no row lacks it`() async throws {
    try await expect(
      { $0.entities[1].attributes.append(Attribute(name: "toy", type: .string)) },
      over: [Row()],
      butNot: Row(entity: "Cat"),
      "attribute Cat.toy is new, but neither optional nor with a default"
    )
    try await expect(
      {
        $0.entities[0].attributes[1].properties.append(Attribute(name: "street", type: .string))
      },
      over: [Row(), Row(entity: "Cat")],
      butNot: Row(isAtHome: true),
      "attribute Animal.home.street is new, but neither optional nor with a default"
    )
  }

  @Test func `a required relationship is added to an entity without rows`() async throws {
    try await expect(
      {
        $0.entities[1].relationships.append(
          Relationship(name: "owner", destination: "Owner", isOptional: false)
        )
      },
      over: [Row()],
      butNot: Row(entity: "Cat"),
      "relationship Cat.owner is new, but must lead to something"
    )
  }

  @Test func `a part that becomes required has its default where it is missing`() async throws {
    try await withStore(Self.old) { store, path in
      try await insert(Row(isAtHome: true), into: store)
      try await insert(Row(isAtHome: true, city: .string("Ulm")), into: store)
      try await insert(Row(), into: store)
      try await store.write(
        define {
          $0.entities[0].attributes[1].properties[0].isOptional = false
          $0.entities[0].attributes[1].properties[0].defaultValue = .string("Bonn")
        }
      )
      #expect(
        try rows("SELECT \"a_home.city\" FROM e_Animal ORDER BY id", in: path)
          == [[.text("Bonn")], [.text("Ulm")], [.null]]
      )
      #expect(try await store.problems(path) == [])
    }
  }
}
