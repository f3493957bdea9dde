import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

@Suite struct RowValueTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Thing",
      attributes: [
        Attribute(name: "small", type: .int64, width: .int8, isOptional: true),
        Attribute(name: "huge", type: .decimal, width: .uint64, isOptional: true),
        Attribute(name: "ratio", type: .double, width: .float, isOptional: true),
        Attribute(name: "anything", type: .json, isOptional: true),
        Attribute(name: "tags", type: .string, collection: .set, isOptional: true),
        Attribute(name: "sizes", type: .int64, width: .int16, collection: .array, isOptional: true),
        Attribute(
          name: "note",
          type: .string,
          isOptional: true,
          defaultValue: .string("-"),
          options: .ephemeral
        ),
      ]
    )
  ])

  @Test(arguments: [
    ("small", "-128", "-128"), ("small", "127", "127"),
    ("huge", "18446744073709551615", "\"18446744073709551615\""), ("huge", "\"7\"", "\"7\""),
    ("ratio", "0.1", "0.10000000149011612"), ("ratio", "\"Infinity\"", "\"Infinity\""),
    ("anything", "{ \"b\" : [1.50, \"x \\\" y\"],\n\"a\":null}", #"{"a":null,"b":[1.5,"x \" y"]}"#),
    ("anything", "\"text\"", "\"text\""), ("anything", "[]", "[]"), ("anything", "null", "null"),
    ("tags", #"["b", "a", "b", "\u00e9"]"#, #"["a","b","é"]"#), ("tags", "[]", "[]"),
    ("sizes", "[3, 1, 3]", "[3,1,3]"),
  ])
  func `a value comes back as it was`(name: String, json: String, expected: String) async throws {
    try await withStore(Self.schema) { store, path in
      try await store.insert("Thing", [name], "[[\(json)]]")
      #expect(try store.read("Thing", in: path, select: [name]) == ["[\(expected)]"])
      let all = try store.read("Thing", in: path)[0]
      #expect(all.contains(expected))
      #expect(try await store.problems(path) == [])
    }
  }

  @Test(arguments: [
    ("small", "128", "constraint.range"), ("small", "-129", "constraint.range"),
    ("small", "1.5", "request.type"), ("huge", "-1", "constraint.range"),
    ("huge", "18446744073709551616", "constraint.range"), ("huge", "\"1.5\"", "constraint.range"),
    ("ratio", "1e39", "constraint.range"), ("tags", "\"a\"", "request.type"),
    ("tags", "[1]", "request.type"), ("tags", "[null]", "request.type"),
    ("sizes", "[32768]", "request.type"), ("sizes", "[1,[2]]", "request.type"),
    ("anything", "01", "request.type"), ("note", "1", "request.type"),
  ])
  func `a value that doesn't fit is refused`(name: String, json: String, code: String) async throws
  {
    try await withStore(Self.schema) { store, _ in
      let error = await store.code { try await store.insert("Thing", [name], "[[\(json)]]") }
      #expect(error?.code.rawValue == code)
      #expect(error?.at == "/args/rows/0/0")
      #expect(error?.details?["attribute"] == .string(name))
    }
  }

  @Test func `an ephemeral value is checked and forgotten`() async throws {
    try await withStore(Self.schema) { store, path in
      try await store.insert("Thing", ["note", "small"], "[[\"x\", 1]]")
      #expect(try store.read("Thing", in: path, select: ["small"]) == ["[1]"])
      #expect(try store.read("Thing", in: path)[0].hasSuffix(",\"-\"]"))
    }
  }

  @Test func `whole numbers in lists are strings for those who want that`() async throws {
    try await withStore(Self.schema) { store, path in
      try await store.insert("Thing", ["sizes"], "[[[1,-2]]]")
      let rows = try store.read("Thing", in: path, select: ["sizes"], int64: .string)
      #expect(rows == [#"[["1","-2"]]"#])
    }
  }
}

@Suite struct CompositeTests {
  /// An optional home with a required city, and within it an optional place with two numbers.
  private static let schema = Schema(entities: [
    Entity(
      name: "Person",
      attributes: [
        Attribute(name: "name", type: .string),
        Attribute(
          name: "home",
          type: .composite,
          properties: [
            Attribute(name: "city", type: .string),
            Attribute(name: "zone", type: .int64, defaultValue: .int64(7)),
            Attribute(
              name: "spot",
              type: .composite,
              properties: [
                Attribute(name: "x", type: .double), Attribute(name: "y", type: .double),
              ],
              isOptional: true
            ),
          ],
          isOptional: true
        ),
      ]
    )
  ])
  private static let columns = ["home", "home.city", "home.zone", "home.spot", "home.spot.x"]

  private func row(_ path: String) throws -> [String?] {
    try texts(
      """
      SELECT a_home, "a_home.city", "a_home.zone", "a_home.spot", "a_home.spot.x" FROM e_Person
      """,
      in: path
    )[0]
  }

  @Test(arguments: [
    (["name"], "[\"n\"]", ["0", nil, nil, "0", nil]),
    (["name", "home.city"], "[\"n\",\"Kyiv\"]", ["1", "Kyiv", "7", "0", nil]),
    (["name", "home.city", "home.zone"], "[\"n\",\"Kyiv\",1]", ["1", "Kyiv", "1", "0", nil]),
    (["name", "home", "home.city"], "[\"n\",false,null]", ["0", nil, nil, "0", nil]),
    (
      ["name", "home.city", "home.spot.x", "home.spot.y"], "[\"n\",\"Kyiv\",1.5,2]",
      ["1", "Kyiv", "7", "1", "1.5"]
    ),
  ])
  func `a composite is there when one of its parts is`(
    columns: [String],
    json: String,
    expected: [String?]
  ) async throws {
    try await withStore(Self.schema) { store, path in
      try await store.insert("Person", columns, "[\(json)]")
      #expect(try row(path) == expected)
      #expect(try await store.problems(path) == [])
    }
  }

  @Test(arguments: [
    (["name", "home"], "[\"n\",true]", "constraint.required"),
    (["name", "home.zone"], "[\"n\",1]", "constraint.required"),
    (["name", "home", "home.city"], "[\"n\",false,\"Kyiv\"]", "request.usage"),
    (["name", "home.city", "home.spot.x"], "[\"n\",\"Kyiv\",1]", "constraint.required"),
    (["name", "home", "home.spot"], "[\"n\",false,true]", "request.usage"),
  ])
  func `a composite with half its parts is refused`(
    columns: [String],
    json: String,
    code: String
  ) async throws {
    try await withStore(Self.schema) { store, _ in
      let error = await store.code { try await store.insert("Person", columns, "[\(json)]") }
      #expect(error?.code.rawValue == code)
      #expect(error?.at == "/args/rows/0")
    }
  }

  @Test func `one row's composite leaves nothing behind in the next`() async throws {
    try await withStore(Self.schema) { store, path in
      try await store.insert(
        "Person",
        ["name", "home.city"],
        "[[\"a\",\"Kyiv\"],[\"b\",null],[\"c\",\"Lviv\"]]"
      )
      let stored = try texts("SELECT a_home, \"a_home.zone\" FROM e_Person", in: path)
      #expect(stored == [["1", "7"], ["0", nil], ["1", "7"]])
    }
  }

  @Test func `an update gives a composite, changes it, and takes it away`() async throws {
    try await withStore(Self.schema) { store, path in
      try await store.insert("Person", ["name"], "[[\"n\"]]")
      let error = await store.code { try await store.update("Person", [1], ["home.zone"], "[1]") }
      #expect(error?.code == .required)
      try await store.update("Person", [1], ["home.city"], "[\"Kyiv\"]")
      #expect(try row(path) == ["1", "Kyiv", "7", "0", nil])
      try await store.update("Person", [1], ["home.spot.x", "home.spot.y"], "[1,2]")
      #expect(try row(path) == ["1", "Kyiv", "7", "1", "1.0"])
      try await store.update("Person", [1], ["home.spot"], "[false]")
      #expect(try row(path) == ["1", "Kyiv", "7", "0", nil])
      let missing = await store.code {
        try await store.update("Person", [1], ["home.city"], "[null]")
      }
      #expect(missing?.code == .required)
      try await store.update("Person", [1], ["home"], "[false]")
      #expect(try row(path) == ["0", nil, nil, "0", nil])
      try await store.update("Person", [1], ["home.city"], "[\"Oslo\"]")
      try await store.update("Person", [1], ["home"], "[null]")
      #expect(try row(path) == ["0", nil, nil, "0", nil])
      #expect(try await store.problems(path) == [])
    }
  }
}
