import DepotProtocol
import FoundationEssentials
import Testing

@Suite struct SchemaTests {
  static let full = Schema(entities: [
    Entity(
      name: "Package",
      attributes: [
        Attribute(name: "name", type: .string, isUnique: true),
        Attribute(name: "installedSize", type: .int64, isOptional: true, defaultValue: .null),
        Attribute(name: "score", type: .double, defaultValue: .double(.nan)),
        Attribute(name: "essential", type: .bool, defaultValue: .bool(false), isIndexed: true),
        Attribute(
          name: "seen",
          type: .date,
          defaultValue: .date(Date(timeIntervalSinceReferenceDate: 0))
        ),
        Attribute(name: "key", type: .uuid, isOptional: true, isUnique: true),
        Attribute(name: "hash", type: .data, defaultValue: .data(Data([1]))),
        Attribute(name: "price", type: .decimal, defaultValue: .decimal(Decimal(15) / 10)),
        Attribute(name: "home", type: .url, isOptional: true),
      ],
      indexes: [["essential", "installedSize"], ["seen"]]
    ),
    Entity(name: "Other", attributes: [Attribute(name: "_x", type: .int64)]),
  ])

  static let json = [
    #"{"entities":[{"name":"Package","attributes":[{"name":"name","type":"string","unique":true},"#,
    #"{"name":"installedSize","type":"int64","optional":true,"default":null},"#,
    #"{"name":"score","type":"double","default":"NaN"},"#,
    #"{"name":"essential","type":"bool","default":false,"indexed":true},"#,
    #"{"name":"seen","type":"date","default":"2001-01-01T00:00:00Z"},"#,
    #"{"name":"key","type":"uuid","optional":true,"unique":true},"#,
    #"{"name":"hash","type":"data","default":"AQ=="},{"name":"price","type":"decimal","default":"1.5"},"#,
    #"{"name":"home","type":"url","optional":true}],"indexes":[["essential","installedSize"],["seen"]]},"#,
    #"{"name":"Other","attributes":[{"name":"_x","type":"int64"}]}]}"#,
  ].joined()

  @Test func `a schema has its golden form, both ways`() throws {
    #expect(Self.full.json == Self.json)
    let read = try Schema(parsing: Self.json.utf8)
    #expect(read.json == Self.json)
    #expect(read.entities.last == Self.full.entities.last)
    try Self.full.validate()
  }

  @Test func `the fingerprint is pinned and depends on everything`() throws {
    #expect(Schema().fingerprint == "db448bf986af748f")
    #expect(Self.full.fingerprint == "71781f215421a083")
    var prints: Set<String> = [Self.full.fingerprint]
    func insert(_ change: (inout Schema) -> Void) {
      var schema = Self.full
      change(&schema)
      #expect(prints.insert(schema.fingerprint).inserted)
    }
    insert { $0.entities[0].name = "package" }
    insert { $0.entities[0].attributes[0].name = "Name" }
    insert { $0.entities[0].attributes[0].type = .url }
    insert { $0.entities[0].attributes[0].isOptional = true }
    insert { $0.entities[0].attributes[0].isUnique = false }
    insert { $0.entities[0].attributes[0].isIndexed = true }
    insert { $0.entities[0].attributes[0].defaultValue = .string("") }
    insert { $0.entities[0].indexes.removeLast() }
    insert { $0.entities.swapAt(0, 1) }
    insert { $0.entities.removeLast() }
  }

  @Test func `members that say nothing are not needed and not written`() throws {
    let text =
      #"{"entities":[{"indexes":[],"attributes":[{"type":"int64","name":"a","optional":false,"unique":false,"indexed":false}],"name":"P"}]}"#
    #expect(
      try Schema(parsing: text.utf8).json
        == #"{"entities":[{"name":"P","attributes":[{"name":"a","type":"int64"}]}]}"#
    )
  }

  private static func entity(_ attributes: String, _ rest: String = "") -> String {
    #"{"entities":[{"name":"P","attributes":[\#(attributes)]\#(rest)}]}"#
  }

  static let invalid: [(String, DepotError.Code, String)] = [
    ("{}", .missingMember, "entities"), ("[]", .type, "object"),
    (#"{"entities":[],"version":1}"#, .type, "string"),
    (#"{"entities":[],"version":"1.2"}"#, .invalidSchema, "isn't the version"),
    (#"{"entities":[],"versoin":"1.2.3"}"#, .unknownMember, "versoin"),
    (#"{"entities":[{"name":"P"}]}"#, .missingMember, "attributes"),
    (entity(""), .invalidSchema, "1 to 500"),
    (entity(#"{"name":"a"}"#), .missingMember, "type"),
    (entity(#"{"type":"int64"}"#), .missingMember, "name"),
    (entity(#"{"name":"a","type":"text"}"#), .invalidSchema, "unknown type \"text\""),
    (entity(#"{"name":"a","type":"int64","indexd":true}"#), .unknownMember, "indexd"),
    (entity(#"{"name":"a","type":"int64","optional":1}"#), .type, "true or false"),
    (entity(#"{"name":"a","type":"int64","default":"x"}"#), .type, "int64"),
    (entity(#"{"name":"a","type":"int64","default":null}"#), .invalidSchema, "can't be null"),
    (entity(#"{"name":"a b","type":"int64"}"#), .invalidSchema, "can't be a name"),
    (entity(#"{"name":"","type":"int64"}"#), .invalidSchema, "can't be a name"),
    (entity(#"{"name":"9a","type":"int64"}"#), .invalidSchema, "can't be a name"),
    (entity(#"{"name":"€","type":"int64"}"#), .invalidSchema, "can't be a name"),
    (entity(#"{"name":"$id","type":"int64"}"#), .invalidSchema, "can't be a name"),
    (entity(#"{"name":"a\n","type":"int64"}"#), .invalidSchema, "can't be a name"),
    (
      entity(#"{"name":"\#(String(repeating: "x", count: 129))","type":"int64"}"#), .invalidSchema,
      "can't be a name"
    ),
    (
      entity(#"{"name":"a","type":"int64"},{"name":"A","type":"int64"}"#), .invalidSchema,
      "two attributes"
    ),
    (
      entity(#"{"name":"a","type":"int64"}"#, #","indexes":[["b"]]"#), .unknownAttribute,
      "no attribute \"b\""
    ),
    (entity(#"{"name":"a","type":"int64"}"#, #","indexes":[[]]"#), .invalidSchema, "empty"),
    (entity(#"{"name":"a","type":"int64"}"#, #","indexes":[["a","a"]]"#), .invalidSchema, "twice"),
    (entity(#"{"name":"a","type":"int64"}"#, #","indexes":["a"]"#), .type, "array"),
    (
      #"{"entities":[{"name":"P","attributes":[{"name":"a","type":"bool"}]},{"name":"p","attributes":[{"name":"a","type":"bool"}]}]}"#,
      .invalidSchema, "two entities"
    ),
    ("{\"entities\":[", .json, "byte 13"),
  ]

  @Test(arguments: invalid)
  func `a schema that can't be is refused by name`(
    json: String,
    code: DepotError.Code,
    words: String
  ) throws {
    let error = try #require(throws: DepotError.self) { try Schema(parsing: json.utf8) }
    #expect(error.code == code, "\(error)")
    #expect(error.message.contains(words), "\(error)")
  }

  @Test func `a default of another type is refused`() {
    let attribute = Attribute(name: "a", type: .int64, defaultValue: .string("x"))
    let error = #expect(throws: DepotError.self) {
      try Schema(entities: [Entity(name: "P", attributes: [attribute])]).validate()
    }
    #expect(error?.code == .invalidSchema)
  }

  @Test func `an unknown name brings the nearest one`() throws {
    let entity = try Self.full.entity(named: "Package")
    let error = entity.unknownAttribute("instaledSize")
    #expect(error.hint == "Did you mean \"installedSize\"?")
    #expect(error.details?["didYouMean"] == .string("installedSize"))
    let unknown = try #require(throws: DepotError.self) { try Self.full.entity(named: "Pakage") }
    #expect(unknown.hint == "Did you mean \"Package\"?")
    let empty = try #require(throws: DepotError.self) { try Schema().entity(named: "P") }
    #expect(empty.hint?.contains("no schema yet") == true)
  }
}
