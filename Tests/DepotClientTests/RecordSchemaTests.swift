import DepotClient
import DepotProtocol
import Testing

@Suite struct RecordSchemaTests {
  @Test func `records describe their entities, with those that they lead to`() throws {
    let schema = try Schema(version: SchemaVersion(1, 0, 0), for: Country.self, President.self)
    #expect(schema.version == SchemaVersion(1, 0, 0))
    #expect(schema.entities.map(\.name) == ["Country", "Person", "Province", "President"])
    #expect(schema["Country"] == Self.country)
    #expect(
      schema["Province"]?.relationships == [
        Relationship(name: "country", destination: "Country", inverse: "provinces"),
        Relationship(name: "founder", destination: "Person"),
      ]
    )
    #expect(
      schema["President"]
        == Entity(
          name: "President",
          parent: "Person",
          attributes: [Attribute(name: "term", type: .int64)]
        )
    )
  }

  private static let country = Entity(
    name: "Country",
    attributes: [
      Attribute(name: "name", type: .string, isUnique: true),
      Attribute(name: "status", type: .string), Attribute(name: "climate", type: .string),
      Attribute(name: "area", type: .double, width: .float),
      Attribute(name: "population", type: .decimal, width: .uint64),
      Attribute(name: "codes", type: .string, collection: .array),
      Attribute(name: "zones", type: .int64, collection: .set),
      Attribute(name: "facts", type: .json),
      Attribute(name: "capital", type: .composite, properties: place),
      Attribute(name: "resort", type: .composite, properties: place, isOptional: true),
      Attribute(name: "island", type: .bool, defaultValue: .bool(false)),
      Attribute(name: "free", type: .bool, isOptional: true),
    ],
    relationships: [
      Relationship(name: "leader", destination: "Person"),
      Relationship(
        name: "provinces",
        destination: "Province",
        inverse: "country",
        isToMany: true,
        deleteRule: .cascade
      ),
    ],
    indexes: [["status", "area"]]
  )

  private static let place = [
    Attribute(name: "city", type: .string),
    Attribute(name: "zip", type: .int64, isOptional: true),
  ]

  @Test func `a schema has names in normal form C, whatever the source code has`() throws {
    let schema = try Schema(for: Decomposed.self)
    try schema.validate()
    #expect(Array(schema.entities[0].name.utf8) == Array("Größe".utf8))
    #expect(Array(schema.entities[0].attributes[0].name.utf8) == Array("länge".utf8))
  }

  private struct Decomposed: Record {
    var length: Int

    static let entity = "Gro\u{308}ße"
    static let attributes: RecordAttributes<Decomposed> = [.init(\.length, "la\u{308}nge")]

    init(from row: inout RowReader) throws(DepotError) {
      length = try row.next()
    }

    func write(to row: inout RowWriter) {
      row.append(length)
    }
  }

  @Test func `two records that describe an entity differently are refused`() {
    let error = #expect(throws: DepotError.self) { try Schema(for: Person.self, Stranger.self) }
    #expect(error?.code == .invalidSchema)
  }

  private struct Stranger: Record {
    var name: Int

    static let entity = "Person"
    static let attributes: RecordAttributes<Stranger> = [.init(\.name, "name")]

    init(from row: inout RowReader) throws(DepotError) {
      name = try row.next()
    }

    func write(to row: inout RowWriter) {
      row.append(name)
    }
  }
}
