import DepotProtocol
import FoundationEssentials
import Testing

@Suite struct SchemaValidationTests {
  /// What makes a good schema bad, the place of the error, and words of its message.
  struct Case: CustomTestStringConvertible, Sendable {
    var words: String
    var place: String
    var change: @Sendable (inout Schema) -> Void

    init(_ words: String, _ place: String, _ change: @escaping @Sendable (inout Schema) -> Void) {
      self.words = words
      self.place = place
      self.change = change
    }

    /// Replaces the attributes of the entity `Place`.
    init(_ words: String, attribute: Attribute, _ place: String = "") {
      self.init(words, "/entities/2/attributes/0\(place)") {
        $0.entities[2].attributes = [attribute]
      }
    }

    /// Changes the first relationship of `Person`, which leads to `Place.residents`.
    init(
      _ words: String,
      _ place: String,
      relationship change: @escaping @Sendable (inout Relationship) -> Void
    ) {
      self.init(words, "/entities/0/relationships/0\(place)") {
        change(&$0.entities[0].relationships[0])
      }
    }

    var testDescription: String { words }
  }

  static let good = Schema(
    version: SchemaVersion(1, 0, 0),
    entities: [
      Entity(
        name: "Person",
        attributes: [
          Attribute(name: "name", type: .string),
          Attribute(
            name: "home",
            type: .composite,
            properties: [
              Attribute(name: "city", type: .string), Attribute(name: "zip", type: .int64),
            ],
            isOptional: true
          ),
          Attribute(name: "tags", type: .string, collection: .set),
          Attribute(name: "extra", type: .json, isOptional: true),
          Attribute(name: "photo", type: .data, options: .externalStorage),
          Attribute(name: "mood", type: .int64, defaultValue: .int64(1), options: .ephemeral),
          Attribute(name: "cache", type: .string, isOptional: true, options: .transient),
          Attribute(name: "shout", type: .string, derivation: "uppercase(name)"),
        ],
        relationships: [
          Relationship(name: "place", destination: "Place", inverse: "residents"),
          Relationship(name: "friends", destination: "Person", inverse: "friends", isToMany: true),
          Relationship(name: "capital", destination: "Place", inverse: "mayor", isOptional: false),
        ],
        indexes: [["home.city", "place"]],
        uniques: [["name", "place"]]
      ),
      Entity(name: "Hero", parent: "Person", attributes: []),
      Entity(
        name: "Place",
        attributes: [
          Attribute(name: "lat", type: .double), Attribute(name: "lon", type: .double),
        ],
        relationships: [
          Relationship(
            name: "residents",
            destination: "Person",
            inverse: "place",
            isToMany: true,
            isOrdered: true,
            minCount: 1,
            maxCount: 9
          ),
          Relationship(name: "mayor", destination: "Person", inverse: "capital"),
        ],
        rangeIndexes: [["lat", "lon"]]
      ),
    ]
  )

  @Test func `a schema that uses everything is accepted`() throws {
    try Self.good.validate()
  }

  static func attribute(
    _ type: AttributeType,
    width: NumberWidth? = nil,
    _ change: (inout Attribute) -> Void
  ) -> Attribute {
    var attribute = Attribute(name: "a", type: type, width: width)
    change(&attribute)
    return attribute
  }

  @Test(arguments: [entities, attributes, values, relationships, indexes].flatMap(\.self))
  func `what contradicts itself is refused with its place and a hint`(wrong: Case) throws {
    var schema = Self.good
    wrong.change(&schema)
    let error = try #require(throws: DepotError.self) { try schema.validate() }
    #expect(error.code.class == "schema")
    #expect(error.message.contains(wrong.words), "\(error)")
    #expect(error.at == wrong.place, "\(error)")
    #expect(error.hint?.isEmpty == false, "\(error)")
  }

  static let accepted: [Attribute] = [
    Attribute(name: "a", type: .decimal, width: .uint64, defaultValue: .decimal(1)),
    Attribute(name: "a", type: .double, width: .float, defaultValue: .double(.infinity)),
    Attribute(
      name: "a",
      type: .string,
      collection: .array,
      defaultValue: .list([.string("x")]),
      validation: .init(maxLength: 1, cases: [.string("x")])
    ),
    Attribute(
      name: "a",
      type: .json,
      defaultValue: .json("[1]"),
      options: .preserveValueOnDeletion
    ),
    Attribute(
      name: "a",
      type: .string,
      defaultValue: .string("\u{1F468}\u{200D}\u{1F469}"),
      validation: .init(maxLength: 1)
    ),
    Attribute(name: "a", type: .int64, isIndexed: true, derivation: "b"),
    Attribute(name: "a", type: .int64, isOptional: true, validation: .init(minimum: .int64(1))),
  ]

  @Test(arguments: accepted)
  func `what fits is accepted`(attribute: Attribute) throws {
    try Schema(entities: [Entity(name: "E", attributes: [attribute])]).validate()
  }

  @Test func `only an abstract entity may be without any property`() throws {
    var schema = Schema(entities: [
      Entity(name: "Root", isAbstract: true, attributes: []),
      Entity(name: "Leaf", parent: "Root", attributes: []),
    ])
    try schema.validate()
    schema.entities[0].isAbstract = false
    let error = #expect(throws: DepotError.self) { try schema.validate() }
    #expect(error?.at == "/entities/0/attributes")
  }

  @Test func `errors of a schema in a request have their place in it`() throws {
    let text =
      #"{"schema":{"entities":[{"name":"E","attributes":[{"name":"a","type":"json","#
      + #""unique":true}]}]}}"#
    let document = try JSONDocument(Array(text.utf8))
    let node = try #require(try document.root.members().first?.value)
    let error = try #require(throws: DepotError.self) { try Schema(node) }
    #expect(error.at == "/schema/entities/0/attributes/0/unique")
  }

  @Test func `one side of a one-to-one relationship holds the identifier`() throws {
    let person = try Self.good.entity(named: "Person")
    let place = try Self.good.entity(named: "Place")
    let capital = try #require(person.relationship("capital"))
    var mayor = try #require(place.relationship("mayor"))
    #expect(Self.good.holdsIdentifier(capital, of: "Person"))
    #expect(!Self.good.holdsIdentifier(mayor, of: "Place"))
    // If both are required, the names decide.
    var schema = Self.good
    mayor.isOptional = false
    schema.entities[2].relationships[1] = mayor
    #expect(schema.holdsIdentifier(capital, of: "Person"))
    #expect(!schema.holdsIdentifier(mayor, of: "Place"))
    mayor.isOptional = true
    schema.entities[0].relationships[2].isOptional = true
    schema.entities[2].relationships[1].isOptional = false
    #expect(schema.holdsIdentifier(schema.entities[2].relationships[1], of: "Place"))
    #expect(!schema.holdsIdentifier(schema.entities[0].relationships[2], of: "Person"))
  }
}
