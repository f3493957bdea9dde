import DepotEngine
import DepotProtocol
import DepotSQLite
import Testing

@Suite struct InsertTests {
  @Test func `rows get identifiers in order and version 1`() async throws {
    try await withStore { store, path in
      let identifiers = try await store.insert([[.string("a"), .int64(1)], [.string("b"), .null]])
      #expect(identifiers == [1, 2])
      let stored = try rows("SELECT id, version, a_name, a_size FROM e_Item", in: path)
      #expect(
        stored == [
          [.integer(1), .integer(1), .text("a"), .integer(1)],
          [.integer(2), .integer(1), .text("b"), .null],
        ]
      )
    }
  }

  @Test func `a unique clash names the row that exists and applies nothing`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .null]])
      let error = await #expect(throws: DepotError.self) {
        try await store.insert([[.string("b"), .null], [.string("a"), .null]])
      }
      #expect(error?.code == .unique)
      #expect(error?.at == "/args/rows/1")
      #expect(error?.details?["attribute"] == .string("name"))
      #expect(error?.details?["existing"] == .string("Item/1"))
      #expect(try rows("SELECT a_name FROM e_Item", in: path) == [[.text("a")]])
    }
  }

  @Test func `skip leaves the row that exists as it is`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .int64(1)]])
      let identifiers = try await store.insert(
        [[.string("a"), .int64(2)], [.string("b"), .int64(3)]],
        onConflict: .skip
      )
      #expect(identifiers == [1, 2])
      #expect(
        try rows("SELECT version, a_size FROM e_Item", in: path)
          == [[.integer(1), .integer(1)], [.integer(1), .integer(3)]]
      )
    }
  }

  @Test func `replace changes only the attributes that are named`() async throws {
    try await withStore { store, path in
      try await store.insert([[.string("a"), .int64(1)]])
      try await store.insert([[.string("a")]], columns: ["name"], onConflict: .replace)
      try await store.insert(
        [[.int64(9), .string("a")]],
        columns: ["size", "name"],
        onConflict: .replace
      )
      #expect(
        try rows("SELECT id, version, a_size FROM e_Item", in: path)
          == [[.integer(1), .integer(2), .integer(9)]]
      )
    }
  }

  @Test(arguments: [
    (#"[["a",1],["b"]]"#, "request.usage", "/args/rows/1"),
    (#"[["a",1,2]]"#, "request.usage", "/args/rows/0"),
    (#"[["a","x"]]"#, "request.type", "/args/rows/0/1"),
    (#"[[1,1]]"#, "request.type", "/args/rows/0/0"),
    (#"[["a",1],[null,1]]"#, "constraint.required", "/args/rows/1/0"),
  ])
  func `a bad row is named`(json: String, code: String, pointer: String) async throws {
    try await withStore { store, path in
      let batch = RowBatch(json: Array(json.utf8), count: 1)
      let request = InsertRequest(entity: "Item", columns: ["name", "size"], rows: batch)
      let error = await #expect(throws: DepotError.self) {
        try await store.write(.insert(request))
      }
      #expect(error?.code.rawValue == code)
      #expect(error?.at == pointer)
      let stored = try rows("SELECT id FROM e_Item", in: path)
      #expect(stored.isEmpty)
    }
  }

  @Test func `a value over the limit is refused`() async throws {
    try await withStore { store, _ in
      let text = String(repeating: "x", count: Limits.valueBytes + 1)
      let rows = RowBatch(json: Array("[[\"\(text)\",null]]".utf8), count: 1)
      let request = InsertRequest(entity: "Item", columns: ["name", "size"], rows: rows)
      let error = await #expect(throws: DepotError.self) {
        try await store.write(.insert(request))
      }
      #expect(error?.code == .valueTooLarge)
    }
  }

  @Test func `a column that is unknown or named twice is refused`() async throws {
    try await withStore { store, _ in
      let unknown = await #expect(throws: DepotError.self) {
        try await store.insert([[.string("a")]], columns: ["nam"])
      }
      #expect(unknown?.code == .unknownAttribute)
      #expect(unknown?.details?["didYouMean"] == .string("name"))
      let twice = await #expect(throws: DepotError.self) {
        try await store.insert([[.string("a"), .string("a")]], columns: ["name", "name"])
      }
      #expect(twice?.code == .usage)
    }
  }

  @Test func `a missing required attribute is named`() async throws {
    try await withStore { store, _ in
      let error = await #expect(throws: DepotError.self) {
        try await store.insert([[.int64(1)]], columns: ["size"])
      }
      #expect(error?.code == .required)
      #expect(error?.at == "/args/rows/0")
      #expect(error?.details?["attribute"] == .string("name"))
    }
  }

  @Test func `rejects are reported and the other rows stored`() async throws {
    try await withStore { store, path in
      let json = #"[["a",1],["a",2],[null,3],["b","x"],["c",4,5],["d",6]]"#
      let request = InsertRequest(
        entity: "Item",
        columns: ["name", "size"],
        rows: RowBatch(json: Array(json.utf8), count: 6),
        reportsRejects: true
      )
      let result = try await store.write(.insert(request))
      #expect(result["inserted"] == .int64(2))
      #expect(result["ids"]?.array?.map { $0 == .null } == [false, true, true, true, true, false])
      let rejected = result["rejected"]?.array ?? []
      #expect(rejected.map { $0["row"] } == [.int64(1), .int64(2), .int64(3), .int64(4)])
      #expect(
        rejected.map { $0["error"]?["code"]?.string } == [
          "conflict.unique", "constraint.required", "request.type", "request.usage",
        ]
      )
      #expect(try rows("SELECT a_size FROM e_Item", in: path) == [[.integer(1)], [.integer(6)]])
    }
  }

  @Test(arguments: [
    "[1, [2, \"]\"], {}]", "{\"a\": {\"b\": [\"}\"]}}", "[]", "{\"referenceSeconds\": [1]}",
  ])
  func `a nested value is of the wrong type`(json: String) async throws {
    try await withStore { store, _ in
      let rows = RowBatch(json: Array("[[\"a\", 1], [\(json), 2]]".utf8), count: 2)
      let request = InsertRequest(entity: "Item", columns: ["name", "size"], rows: rows)
      let error = await #expect(throws: DepotError.self) { try await store.write(.insert(request)) }
      #expect(error?.code == .type)
      #expect(error?.at == "/args/rows/1/0")
    }
  }

  @Test(arguments: ["[[[1, 2]", "[[{\"a\": 1", "[[[\"a", "[[[\"\\"])
  func `an unfinished nested value is no row`(json: String) async throws {
    try await withStore { store, _ in
      let rows = RowBatch(json: Array(json.utf8), count: 1)
      let request = InsertRequest(entity: "Item", columns: ["name"], rows: rows)
      let error = await #expect(throws: DepotError.self) { try await store.write(.insert(request)) }
      #expect(error?.code == .json)
    }
  }

  @Test(arguments: [
    (#"{"name":"a"}"#, "object"), (#""a""#, "string"), ("5", "number"), ("null", "null"),
  ])
  func `a row that isn't a list of values is refused by its kind`(
    row: String,
    kind: String
  ) async throws {
    try await withStore { store, _ in
      for (name, arguments) in [
        ("insert", #"{"entity":"Item","columns":["name"],"rows":[["b"],\#(row)]}"#),
        ("save", #"{"insert":[{"entity":"Item","columns":["name"],"rows":[["b"],\#(row)]}]}"#),
        ("save", #"{"update":[{"entity":"Item","columns":["$id","name"],"rows":[\#(row)]}]}"#),
      ] {
        let error = await #expect(throws: DepotError.self) {
          try await store.call(name, arguments)
        }
        #expect(error?.code == .type, "\(name)")
        #expect(error?.message.hasSuffix("one for each column, found \(kind).") == true)
        #expect(error?.hint?.hasPrefix("Name the columns once") == true)
      }
    }
  }
}
