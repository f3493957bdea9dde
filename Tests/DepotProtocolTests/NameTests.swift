import DepotProtocol
import FoundationEssentials
import TestSupport
import Testing

@Suite struct `Names` {
  private static func schema(_ name: String) -> Schema {
    Schema(entities: [Entity(name: "Thing", attributes: [Attribute(name: name, type: .int64)])])
  }

  private static func refusal(_ schema: Schema) throws -> DepotError {
    try #require(throws: DepotError.self) { try schema.validate() }
  }

  static let usable = [
    "a", "_", "_9", "länge", "Größe", "名前", "имя", "Σύνολο", "名前_2", "שם", "اسم", "이름", "नाम",
    "உயரம்", "größe٣", "_\u{301}", "𝒙", "𐐀", "x·y", "İ", "ı",
  ]

  @Test(arguments: usable)
  func `letters and digits of Unicode are of names`(name: String) throws {
    let schema = Self.schema(name)
    try schema.validate()
    #expect(try Schema(parsing: schema.json.utf8) == schema)
    let escaped = name.utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    let text =
      #"{"entities":[{"name":"Thing","attributes":[{"name":"\#(escaped.joined())","type":"int64"}]}]}"#
    #expect(try Schema(parsing: text.utf8).json == schema.json)
  }

  static let refused: [(String, String)] = [
    ("", "at least one letter"), ("9a", "no digit first."), ("٣", "no digit first."),
    ("\u{301}a", "no digit first"), ("a b", #"" " is none of them"#), ("🙂", "🙂"), ("a🙂b", "🙂"),
    ("👨‍👩‍👧", "👨‍👩‍👧"), ("❤️", "❤️"), ("länge²", "²"), ("a-b", "-"), ("a.b", "."), ("a\"b", "\\\""),
    ("$id", "$"), ("a\u{0}", "\\0"), ("x™", "™"), ("la\u{308}nge", "normal form C"),
    ("\u{212B}", "normal form C"), ("\u{1112}\u{1161}", "normal form C"),
    (String(repeating: "ä", count: 65), "at most 128 bytes"),
    (String(repeating: "名", count: 43), "this one has 129"), ("a\u{D4E}", "joins"),
  ]

  @Test(arguments: refused)
  func `what else a name has is told`(name: String, words: String) throws {
    let error = try Self.refusal(Self.schema(name))
    #expect(error.code == .invalidSchema)
    #expect(error.message.contains("can't be a name"))
    #expect(error.hint?.contains(words) == true, "\(error.hint ?? "")")
    #expect(error.at == "/entities/0/attributes/0/name")
  }

  @Test func `names are as long as their bytes`() throws {
    try Self.schema(String(repeating: "ä", count: 64)).validate()
  }

  @Test(arguments: [("länge", "LÄNGE"), ("имя", "Имя"), ("ΣΟΦΌΣ", "σοφόσ"), ("ǆ", "ǅ")])
  func `names that differ only in case count as equal`(one: String, other: String) throws {
    var schema = Self.schema(one)
    schema.entities[0].attributes.append(Attribute(name: other, type: .bool))
    #expect(try Self.refusal(schema).message == "Thing has two attributes named \(other).")
    schema = Self.schema("a")
    schema.entities[0].name = one
    schema.entities.append(Entity(name: other, attributes: [Attribute(name: "a", type: .bool)]))
    #expect(try Self.refusal(schema).message == "There are two entities named \(other).")
  }

  @Test(arguments: [("straße", "strasse"), ("σοφός", "σοφόσ"), ("ı", "I"), ("ı", "i"), ("ä", "a")])
  func `other letters are other names`(one: String, other: String) throws {
    var schema = Self.schema(one)
    schema.entities[0].attributes.append(Attribute(name: other, type: .bool))
    try schema.validate()
  }

  @Test func `what refers to a name has its form`() throws {
    let decomposed = "la\u{308}nge"
    var schema = Self.schema("länge")
    schema.entities[0].indexes = [[decomposed]]
    #expect(try Self.refusal(schema).at == "/entities/0/indexes/0/0")
    schema = Self.schema("a")
    schema.entities.append(Entity(name: "Größe", attributes: [Attribute(name: "b", type: .bool)]))
    schema.entities[0].relationships = [
      Relationship(name: "x", destination: "Gro\u{308}ße", isOptional: true)
    ]
    #expect(try Self.refusal(schema).at == "/entities/0/relationships/0/destination")
    schema.entities[0].relationships = []
    schema.entities[0].parent = "Gro\u{308}ße"
    let error = try Self.refusal(schema)
    #expect(error.at == "/entities/0/parent")
    #expect(error.hint?.contains("normal form C") == true)
  }

  @Test func `a program's schema gets the form`() throws {
    var schema = Schema(entities: [
      Entity(
        name: "Gro\u{308}ße",
        attributes: [
          Attribute(
            name: "e\u{301}",
            type: .composite,
            properties: [Attribute(name: "a\u{308}", type: .int64, originalName: "u\u{308}")]
          )
        ],
        relationships: [
          Relationship(
            name: "o\u{308}",
            destination: "Gro\u{308}ße",
            inverse: "o\u{308}",
            isOptional: true
          )
        ],
        indexes: [["e\u{301}.a\u{308}"]],
        originalName: "A\u{30A}"
      )
    ])
    schema = schema.withNormalizedNames
    try schema.validate()
    #expect(schema.json.unicodeScalars.allSatisfy { !(0x300..<0x370).contains($0.value) })
    #expect(schema.json.contains(#""indexes":[["é.ä"]]"#))
  }
}

@Suite struct `Names in predicates` {
  private static func path(_ text: String) -> QueryExpression { .attribute(text) }

  static let predicates: [(String, QueryExpression)] = [
    ("länge > 3", .comparison(.greater, path("länge"), .value(.int64(3)))),
    ("名前.長さ==1", .comparison(.equal, path("名前.長さ"), .value(.int64(1)))),
    ("#größe", path("größe")), ("größe.#and.ü2", path("größe.and.ü2")),
    ("SELF AS Größe", .cast(.variable("SELF"), entity: "Größe")),
    ("CAST(名, '名前')", .cast(path("名"), entity: "名前")),
    ("нет AND или", .and([path("нет"), path("или")])),
    ("いぬ IN{1}", .in(path("いぬ"), [.value(.int64(1))])),
    (
      "SUBQUERY(größen, $größe, $größe.länge > 3).@count",
      .aggregate(
        .count,
        .filtered(
          path("größen"),
          "größe",
          .comparison(.greater, .member(.variable("größe"), "länge"), .value(.int64(3)))
        )
      )
    ),
  ]

  @Test(arguments: predicates)
  func `letters of Unicode are of words`(text: String, tree: QueryExpression) throws {
    #expect(try PredicateParser.parse(text) == tree)
    #expect(try PredicateParser.parse(PredicatePrinter.text(tree)) == tree)
  }

  /// Letters whose upper case is that of ASCII.
  @Test(arguments: ["ın", "lıke", "ıs", "ſelf", "falſe", "nıl", "ﬁrst", "ſome"])
  func `what only looks like a keyword is a name`(word: String) throws {
    #expect(try PredicateParser.parse(word) == Self.path(word))
    #expect(PredicatePrinter.text(Self.path(word)) == word)
  }

  @Test func `a function's name has letters of ASCII`() {
    #expect(throws: DepotError.self) { try PredicateParser.parse("ſum(a)") }
  }

  @Test func `a name has one form, whatever the text has`() throws {
    guard case .attribute(let path) = try PredicateParser.parse("la\u{308}nge.e\u{301}") else {
      Issue.record("no path")
      return
    }
    #expect(Array(path.utf8) == Array("länge.é".utf8))
  }

  @Test(arguments: [("🙂 > 3", 0), ("a² > 3", 1), ("3ä", 1), ("a .\u{301}b", 3), ("a == ™", 5)])
  func `what no name has is refused where it stands`(text: String, offset: Int) {
    let error = #expect(throws: DepotError.self) { try PredicateParser.parse(text) }
    #expect(error?.code == .predicate)
    #expect(error?.details?["offset"] == .int64(Int64(offset)), "\(String(describing: error))")
  }

  @Test func `random names come back from text and from JSON`() throws {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<2000 {
      let steps = (0..<Int.random(in: 1...3, using: &generator)).map { _ in generator.unicodeName()
      }
      let tree = QueryExpression.comparison(
        .equal,
        .attribute(steps.joined(separator: ".")),
        .value(.string("x"))
      )
      let text = PredicatePrinter.text(tree)
      try #require(try PredicateParser.parse(text) == tree, "\(text)")
      var writer = JSONWriter()
      writer.write(tree)
      let document = try JSONDocument(writer.bytes)
      try #require(try QueryExpression(document.root) == tree, "\(text)")
    }
  }
}
