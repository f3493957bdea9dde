import DepotProtocol
import FoundationEssentials

extension SchemaValidationTests {
  static let entities: [Case] = [
    Case("no entity Persn", "/entities/1/parent") { $0.entities[1].parent = "Persn" },
    Case("is its own ancestor", "/entities/0/parent") { $0.entities[0].parent = "Hero" },
    Case("E33 has more than 32 ancestors", "/entities/36/parent") { schema in
      schema.entities += (0...33).map { number in
        Entity(
          name: "E\(number)",
          parent: number > 0 ? "E\(number - 1)" : nil,
          attributes: [Attribute(name: "a\(number)", type: .bool)]
        )
      }
    },
    Case("Hero.NAME is declared again: Person", "/entities/1") {
      $0.entities[1].attributes = [Attribute(name: "NAME", type: .bool)]
    },
    Case("Hero.friends is declared again", "/entities/1") {
      $0.entities[1].attributes = [Attribute(name: "friends", type: .bool)]
    },
    Case("two properties named Lat", "/entities/2/relationships/0/name") {
      $0.entities[2].relationships = [Relationship(name: "Lat", destination: "Hero")]
    },
    Case("can't be a name", "/entities/2/relationships/0/name") {
      $0.entities[2].relationships = [Relationship(name: "$x", destination: "Hero")]
    },
    Case("Two entities were named old", "/entities/1/originalName") {
      $0.entities[0].originalName = "Old"
      $0.entities[1].originalName = "old"
    },
    Case("Two attributes of Place were named x", "/entities/2/attributes/1/originalName") {
      $0.entities[2].attributes[0].originalName = "x"
      $0.entities[2].attributes[1].originalName = "x"
    },
    Case("must have 1 to 500", "/entities/2/attributes") {
      $0.entities[2].attributes = []
      $0.entities[2].relationships = []
    },
    Case("must have 1 to 500", "/entities/2/attributes") {
      let parts = (0..<500).map { Attribute(name: "p\($0)", type: .bool) }
      $0.entities[2].attributes = [
        Attribute(name: "c", type: .composite, properties: parts, isOptional: true)
      ]
    },
    Case("at most 500 relationships", "/entities/2/relationships") {
      $0.entities[2].relationships = (0...500).map {
        Relationship(name: "r\($0)", destination: "Hero")
      }
    },
    Case("Person and its subentities have more than 1500", "/entities/5") {
      for number in 0..<3 {
        let attributes = (0..<500).map { Attribute(name: "p\($0)", type: .bool) }
        $0.entities.append(Entity(name: "E\(number)", parent: "Person", attributes: attributes))
      }
    },
  ]

  static let attributes: [Case] = [
    Case(
      "can't have the width int8",
      attribute: attribute(.double, width: .int8) { _ in },
      "/type"
    ),
    Case(
      "has properties, but is no composite",
      attribute: attribute(.bool) { $0.properties = [Attribute(name: "b", type: .bool)] },
      "/properties"
    ),
    Case("composite without properties", attribute: attribute(.composite) { _ in }, "/properties"),
    Case(
      "only its properties can be unique",
      attribute: attribute(.composite) {
        $0.properties = [Attribute(name: "b", type: .bool)]
        $0.isUnique = true
      }
    ),
    Case(
      "Place.a has two properties named B",
      attribute: attribute(.composite) {
        $0.properties = [Attribute(name: "b", type: .bool), Attribute(name: "B", type: .bool)]
      },
      "/properties/1/name"
    ),
    Case(
      "Place.a.b.c.d.e is nested deeper than 4",
      attribute: ["d", "c", "b", "a"].reduce(
        attribute(.composite) {
          $0.name = "e"
          $0.properties = [Attribute(name: "f", type: .bool)]
        }
      ) { Attribute(name: $1, type: .composite, properties: [$0]) },
      "/properties/0/properties/0/properties/0/properties/0"
    ),
    Case(
      "of type json and can't be a collection",
      attribute: attribute(.json) { $0.collection = .array },
      "/collection"
    ),
    Case(
      "of type json and can't be unique",
      attribute: attribute(.json) { $0.isUnique = true },
      "/unique"
    ),
    Case(
      "only its properties can be unique, indexed, a collection",
      attribute: attribute(.composite) {
        $0.collection = .array
        $0.properties = [Attribute(name: "b", type: .bool)]
      }
    ),
    Case(
      "is a collection and can't be unique or indexed",
      attribute: attribute(.bool) {
        $0.collection = .set
        $0.isIndexed = true
      },
      "/indexed"
    ),
    Case(
      "can't be stored externally",
      attribute: attribute(.url) { $0.options = .externalStorage },
      "/externalStorage"
    ),
    Case(
      "is stored externally and can't be unique",
      attribute: attribute(.data) {
        $0.options = .externalStorage
        $0.isUnique = true
      },
      "/externalStorage"
    ),
    Case(
      "can't be searched for words",
      attribute: attribute(.data) { $0.options = .spotlight },
      "/spotlight"
    ),
    Case(
      "is transient, but neither optional",
      attribute: attribute(.data) { $0.options = .transient },
      "/transient"
    ),
    Case(
      "is transient and can't be unique, indexed, derived",
      attribute: attribute(.data) {
        $0.options = .transient
        $0.isOptional = true
        $0.isIndexed = true
      },
      "/transient"
    ),
    Case(
      "is ephemeral and can't be",
      attribute: attribute(.string) {
        $0.options = .ephemeral
        $0.isOptional = true
        $0.derivation = "b"
      },
      "/ephemeral"
    ),
    Case(
      "empty derivation",
      attribute: attribute(.string) { $0.derivation = " " },
      "/derived"
    ),
    Case(
      "The derivation of Place.a can't be read",
      attribute: attribute(.string) { $0.derivation = "uppercase(" },
      "/derived"
    ),
    Case(
      "a can't be derived",
      attribute: attribute(.json) { $0.derivation = "b" },
      "/derived"
    ),
    Case(
      "derived and can't be unique",
      attribute: attribute(.string) {
        $0.derivation = "b"
        $0.isUnique = true
      },
      "/unique"
    ),
  ]

  static let values: [Case] = [
    Case(
      "can't have a min",
      attribute: attribute(.string) { $0.validation.minimum = .string("a") },
      "/min"
    ),
    Case(
      "The max of Place.a is no int64",
      attribute: attribute(.int64) { $0.validation.maximum = .double(1) },
      "/max"
    ),
    Case(
      "The max of Place.a is no double",
      attribute: attribute(.double) { $0.validation.maximum = .double(.nan) },
      "/max"
    ),
    Case(
      "The max of Place.a is no uint8",
      attribute: attribute(.int64, width: .uint8) { $0.validation.maximum = .int64(256) },
      "/max"
    ),
    Case(
      "min of Place.a is above its max",
      attribute: attribute(.int64) {
        $0.validation.minimum = .int64(2)
        $0.validation.maximum = .int64(1)
      },
      "/min"
    ),
    Case(
      "can't have a minLength",
      attribute: attribute(.int64) { $0.validation.minLength = 1 },
      "/minLength"
    ),
    Case(
      "minLength of Place.a is above",
      attribute: attribute(.string) {
        $0.validation.minLength = 2
        $0.validation.maxLength = 1
      },
      "/minLength"
    ),
    Case(
      "can't have a pattern",
      attribute: attribute(.data) { $0.validation.pattern = "a" },
      "/pattern"
    ),
    Case(
      "isn't a regular expression",
      attribute: attribute(.string) { $0.validation.pattern = "a(" },
      "/pattern"
    ),
    Case(
      "can't have cases",
      attribute: attribute(.json) { $0.validation.cases = [.json("1")] },
      "/cases"
    ),
    Case(
      "A case of Place.a is no string",
      attribute: attribute(.string) { $0.validation.cases = [.string("x"), .int64(1)] },
      "/cases/1"
    ),
    Case(
      "has a case twice",
      attribute: attribute(.string) { $0.validation.cases = [.string("x"), .string("x")] },
      "/cases/1"
    ),
    Case(
      "The default of Place.a is no int64",
      attribute: attribute(.int64) { $0.defaultValue = .string("x") },
      "/default"
    ),
    Case(
      "The default of Place.a is no int8",
      attribute: attribute(.int64, width: .int8) { $0.defaultValue = .int64(-129) },
      "/default"
    ),
    Case(
      "The default of Place.a is no uint64",
      attribute: attribute(.decimal, width: .uint64) { $0.defaultValue = .decimal(-1) },
      "/default"
    ),
    Case(
      "The default of Place.a is no uint64",
      attribute: attribute(.decimal, width: .uint64) { $0.defaultValue = .decimal(0.5) },
      "/default"
    ),
    Case(
      "The default of Place.a is no float",
      attribute: attribute(.double, width: .float) { $0.defaultValue = .double(1e39) },
      "/default"
    ),
    Case(
      "The default of Place.a is no list",
      attribute: attribute(.int64) {
        $0.collection = .array
        $0.defaultValue = .int64(1)
      },
      "/default"
    ),
    Case(
      "The default of Place.a is below the min",
      attribute: attribute(.int64) {
        $0.validation.minimum = .int64(2)
        $0.defaultValue = .int64(1)
      },
      "/default"
    ),
    Case(
      "The default of Place.a is longer than maxLength",
      attribute: attribute(.string) {
        $0.validation.maxLength = 2
        $0.defaultValue = .string("cafe")
      },
      "/default"
    ),
    Case(
      "The default of Place.a doesn't match the pattern",
      attribute: attribute(.string) {
        $0.validation.pattern = "[a-z]"
        $0.defaultValue = .string("ab")
      },
      "/default"
    ),
    Case(
      "The default of Place.a is none of its cases",
      attribute: attribute(.string) {
        $0.collection = .array
        $0.validation.cases = [.string("x")]
        $0.defaultValue = .list([.string("x"), .string("y")])
      },
      "/default"
    ),
  ]

  static let relationships: [Case] = [
    Case("Plac, which is no entity", "/destination") { $0.destination = "Plac" },
    Case("can't be ordered", "/ordered") { $0.isOrdered = true },
    Case("can't have a least", "/minCount") { $0.minCount = 1 },
    Case("which Place doesn't have", "/inverse") { $0.inverse = "resident" },
    Case("has no inverse, but is the inverse of Place.residents", "") { $0.inverse = nil },
    Case("whose inverse is another", "/inverse") { $0.inverse = "mayor" },
    Case("has the inverse Place.residents, which has none", "/entities/0/relationships/0/inverse") {
      $0.entities[2].relationships[0].inverse = nil
    },
    Case("which leads to Hero", "/entities/0/relationships/0/inverse") {
      $0.entities[2].relationships[0].destination = "Hero"
    },
    Case("but Place declares its inverse residents", "/entities/0/relationships/0/destination") {
      $0.entities.append(Entity(name: "City", parent: "Place", attributes: []))
      $0.entities[0].relationships[0].destination = "City"
    },
    Case("minCount of Place.residents is above", "/entities/2/relationships/0/minCount") {
      $0.entities[2].relationships[0].minCount = 10
    },
    Case("negative", "/entities/2/relationships/0/maxCount") {
      $0.entities[2].relationships[0].maxCount = -1
    },
  ]

  private static func person(_ words: String, index path: String) -> Case {
    Case(words, "/entities/0/indexes/1/0") { $0.entities[0].indexes.append([path]) }
  }

  static let indexes: [Case] = [
    person("Person.home is a composite", index: "home"),
    person("Person.tags is a collection", index: "tags"),
    person("Person.extra is JSON", index: "extra"),
    person("Person.photo is stored externally", index: "photo"),
    person("Person.mood is ephemeral", index: "mood"),
    person("no attribute \"cache\"", index: "cache"),
    person("no attribute \"friends\"", index: "friends"),
    person("no attribute \"place.lat\"", index: "place.lat"),
    Case("is derived", "/entities/0/uniques/0/0") { $0.entities[0].uniques = [["shout"]] },
    Case("is stored as Person.capital", "/entities/2/uniques/0/0") {
      $0.entities[2].uniques = [["mayor"]]
    },
    Case("neither number nor date", "/entities/0/rangeIndexes/0/0") {
      $0.entities[0].rangeIndexes = [["name"]]
    },
    Case("more than 5 paths", "/entities/2/rangeIndexes/0") {
      let names = ["a", "b", "c", "d", "e", "f"]
      $0.entities[2].attributes = names.map { Attribute(name: $0, type: .date) }
      $0.entities[2].rangeIndexes = [names]
    },
    Case("A unique index of Place is empty", "/entities/2/uniques/0") {
      $0.entities[2].uniques = [[]]
    },
  ]
}
