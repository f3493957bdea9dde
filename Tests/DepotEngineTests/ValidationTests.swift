import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

@Suite struct ValidationTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Rule",
      attributes: [
        Attribute(
          name: "low",
          type: .int64,
          isOptional: true,
          validation: .init(minimum: .int64(2), maximum: .int64(5))
        ),
        Attribute(
          name: "part",
          type: .double,
          isOptional: true,
          validation: .init(minimum: .double(0), maximum: .double(1))
        ),
        Attribute(
          name: "least",
          type: .double,
          isOptional: true,
          validation: .init(minimum: .double(0))
        ),
        Attribute(
          name: "most",
          type: .double,
          isOptional: true,
          validation: .init(maximum: .double(1))
        ),
        Attribute(
          name: "word",
          type: .string,
          isOptional: true,
          validation: .init(minLength: 2, maxLength: 3, pattern: "[a-zé]+")
        ),
        Attribute(
          name: "bytes",
          type: .data,
          isOptional: true,
          validation: .init(maxLength: 2)
        ),
        Attribute(
          name: "level",
          type: .string,
          isOptional: true,
          validation: .init(cases: [.string("low"), .string("high")])
        ),
        Attribute(
          name: "list",
          type: .int64,
          collection: .array,
          isOptional: true,
          validation: .init(maxLength: 2, cases: [.int64(1), .int64(9)])
        ),
      ]
    )
  ])

  @Test(arguments: [
    ("low", "2"), ("low", "5"), ("low", "null"), ("part", "1"), ("part", "0"), ("word", "\"éé\""),
    ("bytes", "\"AAA=\""), ("level", "\"high\""), ("list", "[1,9]"), ("list", "[]"),
  ])
  func `what keeps the rules is stored`(name: String, json: String) async throws {
    try await withStore(Self.schema) { store, _ in
      let identifiers = try await store.insert("Rule", [name], "[[\(json)]]")
      #expect(identifiers == [1])
    }
  }

  @Test(arguments: [
    ("low", "1", "constraint.range"), ("low", "6", "constraint.range"),
    ("part", "1.01", "constraint.range"), ("part", "\"NaN\"", "constraint.range"),
    ("least", "\"NaN\"", "constraint.range"), ("most", "\"NaN\"", "constraint.range"),
    ("word", "\"a\"", "constraint.length"), ("word", "\"abcd\"", "constraint.length"),
    ("word", "\"a1\"", "constraint.pattern"), ("word", "\"a\\n\"", "constraint.pattern"),
    ("bytes", "\"AAAA\"", "constraint.length"), ("level", "\"Low\"", "constraint.case"),
    ("list", "[1,0]", "constraint.case"), ("list", "[1,1,1]", "constraint.length"),
  ])
  func `what breaks a rule is refused`(name: String, json: String, code: String) async throws {
    try await withStore(Self.schema) { store, path in
      let error = await store.code { try await store.insert("Rule", [name], "[[\(json)]]") }
      #expect(error?.code.rawValue == code)
      #expect(error?.at == "/args/rows/0/0")
      #expect(error?.hint != nil)
      try await store.insert("Rule", [], "[[]]")
      let update = await store.code { try await store.update("Rule", [1], [name], "[\(json)]") }
      #expect(update?.code.rawValue == code)
      #expect(update?.at == "/args/set/\(name)")
      #expect(try texts("SELECT id, version FROM e_Rule", in: path) == [["1", "1"]])
    }
  }

  @Test func `a row that breaks several rules tells each`() async throws {
    try await withStore(Self.schema) { store, _ in
      let request = InsertRequest(
        entity: "Rule",
        columns: ["low", "word"],
        rows: .text(#"[[9,"1"],[3,"ab"]]"#),
        reportsRejects: true
      )
      let result = try await store.write(.insert(request))
      #expect(result["inserted"] == .int64(1))
      let error = result["rejected"]?.array?.first?["error"]
      #expect(error?["code"] == .string("constraint.violations"))
      #expect(
        error?["details"]?["violations"]?.array?.map { $0["code"]?.string } == [
          "constraint.range", "constraint.pattern", "constraint.length",
        ]
      )
    }
  }

  @Test(arguments: [
    ("int8", "128", "constraint.range", "128 is outside -128...127"),
    ("int16", "-32769", "constraint.range", "-32769 is outside -32768...32767"),
    ("uint32", "-1", "constraint.range", "-1 is outside 0...4294967295"),
    (
      "uint64", "\"18446744073709551616\"", "constraint.range",
      "18446744073709551616 is outside 0...18446744073709551615"
    ),
    ("float", "1e39", "constraint.range", "outside -3.4028235e+38...3.4028235e+38"),
    ("int8s", "[1,128]", "request.type", "in -128...127"),
    (
      "int64", "9223372036854775808", "request.number_range",
      "in -9223372036854775808...9223372036854775807"
    ),
  ])
  func `a number that doesn't fit is told what would`(
    name: String,
    json: String,
    code: String,
    text: String
  ) async throws {
    let widths: [NumberWidth] = [.int8, .int16, .uint32, .uint64, .float]
    var attributes = widths.map {
      Attribute(name: $0.rawValue, type: $0.type, width: $0, isOptional: true)
    }
    attributes += [
      Attribute(name: "int8s", type: .int64, width: .int8, collection: .array, isOptional: true),
      Attribute(name: "int64", type: .int64, isOptional: true),
    ]
    try await withStore(Schema(entities: [Entity(name: "N", attributes: attributes)])) { store, _ in
      let error = await store.code { try await store.insert("N", [name], "[[\(json)]]") }
      #expect(error?.code.rawValue == code)
      let whole = "\(error?.message ?? "") \(error?.hint ?? "")"
      #expect(whole.contains(text), "\(whole)")
      #expect(error?.hint != nil)
    }
  }

  @Test func `a denied deletion hides what only it would have left behind`() async throws {
    let schema = Schema(entities: [
      Entity(
        name: "Box",
        attributes: [Attribute(name: "n", type: .int64, isOptional: true)],
        relationships: [
          Relationship(
            name: "items",
            destination: "Item",
            inverse: "box",
            isToMany: true,
            minCount: 1
          )
        ]
      ),
      Entity(
        name: "Item",
        attributes: [Attribute(name: "n", type: .int64, isOptional: true)],
        relationships: [
          Relationship(name: "box", destination: "Box", inverse: "items"),
          Relationship(name: "guards", destination: "Item", isToMany: true, deleteRule: .deny),
        ]
      ),
    ])
    try await withStore(schema) { store, _ in
      try await store.insert("Item", ["n"], "[[1],[2]]")
      try await store.update("Item", [1], ["guards"], "[[2]]")
      try await store.insert("Box", ["items"], "[[[1]]]")
      let save = SaveRequest(
        updates: [
          SaveRequest.Change(
            entity: "Box",
            columns: ["$id", "items"],
            rows: .text(#"[[1,{"remove":[2]}]]"#)
          )
        ],
        deletes: [SaveRequest.Deletion(entity: "Item", identifiers: [1])]
      )
      let error = await store.code { try await store.write(.save(save)) }
      #expect(error?.code == .denied)
    }
  }
}
