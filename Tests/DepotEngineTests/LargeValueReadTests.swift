import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

/// Queries on texts and data that are outside of their rows.
@Suite struct LargeValueReadTests {
  private static let length = (8 << 20) + 1

  private static let schema = Schema(
    entities: [
      Entity(
        name: "Doc",
        attributes: [
          Attribute(name: "name", type: .string),
          Attribute(name: "body", type: .string, isOptional: true),
          Attribute(name: "image", type: .data, isOptional: true),
          Attribute(name: "note", type: .string, isOptional: true, options: .externalStorage),
        ]
      )
    ]
  )

  private func run(
    _ body: (_ store: StoreFixture, _ past: PastFixture) async throws -> Void
  ) async throws {
    try await withPast(Self.schema, body)
  }

  private func write(
    _ text: String,
    _ count: Int,
    end: String = "",
    to attribute: String = "body",
    of identifier: Int64,
    _ store: StoreFixture
  ) async throws {
    let step = (4 << 20) / text.utf8.count
    var pieces = Array(repeating: String(repeating: text, count: step), count: count / step)
    pieces.append(String(repeating: text, count: count % step) + end)
    for (index, piece) in pieces.enumerated() {
      let append = index > 0 ? ",\"append\":true" : ""
      try await store.call(
        "blob.write",
        "{\"entity\":\"Doc\",\"id\":\(identifier),\"attribute\":\"\(attribute)\","
          + "\"data\":\"\(piece)\"\(append)}"
      )
    }
  }

  private func rows(_ name: String, _ json: String, _ past: PastFixture) async throws -> [JSONValue]
  {
    let catalog = past.store.store.catalog
    let operation = try Operation(name, json)
    let delivered = try await Delivered.reading(operation, catalog, path: past.path)
    #expect(delivered.errorCode == nil, "\(json)")
    return delivered.rows
  }

  /// The names of the documents that a request finds.
  private func names(_ json: String, _ past: PastFixture) async throws -> [String] {
    let request = "{\"entity\":\"Doc\",\"select\":[\"name\"],\(json)}"
    return try await rows("fetch", request, past).compactMap { $0.array?.last?.string }
  }

  @Test func `equal values are one, wherever they are`() async throws {
    try await run { store, past in
      try await store.insert(
        "Doc",
        ["name", "body", "note"],
        #"[["a","b","n"],["b","b","n"],["c",null,null],["d",null,"o"],["e",null,"o"]]"#
      )
      for identifier: Int64 in [3, 4] { try await write("x", Self.length, of: identifier, store) }
      try await write("x", Self.length - 1, end: "y", of: 5, store)
      let large = JSONValue.array([.object(["$length": .int64(Int64(Self.length))])])
      let distinct = #"{"entity":"Doc","select":["body"],"distinct":true,"#
      let order = #""sort":[{"attribute":"body"}]}"#
      #expect(
        try await rows("fetch", distinct + order, past) == [.array([.string("b")]), large, large]
      )
      let reversed = #""sort":[{"attribute":"body","descending":true}],"limit":2}"#
      #expect(try await rows("fetch", distinct + reversed, past) == [large, large])
      let notes = #"{"entity":"Doc","select":["note"],"distinct":true}"#
      let values: [JSONValue] = [.null, .string("n"), .string("o")]
      #expect(try await rows("fetch", notes, past) == values.map { .array([$0]) })
      let counts = try await rows(
        "aggregate",
        """
        {"entity":"Doc","values":[{"name":"d","aggregate":"countDistinct","of":"body"},\
        {"name":"c","aggregate":"count","of":"body"}]}
        """,
        past
      )
      #expect(counts == [.array([.int64(3), .int64(5)])])
      let groups = try await rows(
        "aggregate",
        #"{"entity":"Doc","by":["body"],"values":[{"name":"c","aggregate":"count"}]}"#,
        past
      )
      #expect(groups.map { $0.array?.last } == [.int64(2), .int64(2), .int64(1)])
      #expect(groups.first?.array?.first == .string("b"))
    }
  }

  @Test func `a row whose values fit alone but not together has the length of the largest`()
    async throws
  {
    try await run { store, past in
      try await store.insert("Doc", ["name"], #"[["a"],["b"]]"#)
      try await write("x", 8 << 20, of: 1, store)
      // Each of these takes six bytes in JSON.
      try await write(#"\u0001"#, 4 << 20, of: 2, store)
      try await write("AAAA", 2 << 20, to: "image", of: 1, store)
      try await write("y", 4 << 20, to: "note", of: 1, store)
      let image = JSONValue.object(["$length": .int64(6 << 20)])
      let body = JSONValue.object(["$length": .int64(4 << 20)])
      let note = JSONValue.object(["$length": .int64(4 << 20)])
      let text = JSONValue.string(String(repeating: "x", count: 8 << 20))
      func check(_ found: [JSONValue], _ note: JSONValue) {
        let isRight =
          found.map { Array($0.array?.dropFirst(2) ?? []) } == [
            [.string("a"), text, image, note], [.string("b"), body, .null, .null],
          ]
        #expect(isRight, "\(found.map { $0.text.prefix(100) })")
      }
      check(try await rows("fetch", #"{"entity":"Doc"}"#, past), note)
      let selected = #"{"entity":"Doc","select":["name","body","image","note"]}"#
      check(
        try await rows("fetch", selected, past),
        .string(String(repeating: "y", count: 4 << 20))
      )
      for identifier in 1...2 {
        let at = try past.head()
        let state = try past.ask(
          "history.row",
          "{\"entity\":\"Doc\",\"id\":\(identifier),\"at\":\"\(at)\"}"
        )
        #expect(state["row"]?["name"] == .string(identifier == 1 ? "a" : "b"))
        let length: Int64 = identifier == 1 ? 8 << 20 : 4 << 20
        #expect(state["row"]?["body"]?["$length"]?.int64 == length)
      }
      let one = #"{"entity":"Doc","where":"length(body) > 1000","select":["body"],"limit":1}"#
      #expect(try await rows("fetch", one, past).count == 1)
    }
  }

  @Test func `a value of any size leaves the others to be found`() async throws {
    try await run { store, past in
      try await store.insert("Doc", ["name", "body"], #"[["a","a"],["b","b"],["c","c"]]"#)
      // The last character that predicates see is cut at 64 MiB.
      let length = 64 << 20
      try await write("b", length - 1, end: "äz", of: 1, store)
      try await write("AAAA", length / 3 + 10, to: "image", of: 1, store)
      let image = try await rows("fetch", #"{"entity":"Doc","select":["name","image"]}"#, past)
      let bytes = try #require(image.first?.array?.last?["$length"]?.int64)
      #expect(bytes > length)
      #expect(try await names(#""where":"body == 'b'""#, past) == ["b"])
      #expect(try await names(#""where":"body BEGINSWITH 'b'""#, past) == ["a", "b"])
      #expect(try await names(#""where":"body ENDSWITH 'ä'""#, past) == ["a"])
      #expect(try await names(#""where":"body != nil AND body > 'b'""#, past) == ["a", "c"])
      #expect(try await names(#""sort":[{"attribute":"body"}]"#, past) == ["b", "a", "c"])
      #expect(try await names("\"where\":\"length(body) == \(length + 1)\"", past) == ["a"])
      #expect(try await names("\"where\":\"length(body) == 1\"", past) == ["b", "c"])
      #expect(try await names("\"where\":\"length(image) == \(bytes)\"", past) == ["a"])
      try await store.call(
        "update",
        #"{"entity":"Doc","where":"body == 'b'","set":{"name":"B"}}"#
      )
      #expect(try await names(#""where":"body != nil""#, past) == ["a", "B", "c"])
    }
  }

  @Test func `rows are sorted by the first kilobyte of values that may be large`() async throws {
    try await run { store, past in
      let start = String(repeating: "s", count: 1023)
      try await store.insert(
        "Doc",
        ["name", "body"],
        "[[\"a\",null],[\"b\",\"\(start)ä2\"],[\"c\",\"\(start)ä1\"],[\"d\",\"\(start)z\"],"
          + "[\"e\",\"\(start)\"]]"
      )
      let order = #""sort":[{"attribute":"body"}]"#
      #expect(try await names(order, past) == ["a", "e", "d", "c", "b"])
      try await write("s", Self.length, of: 1, store)
      #expect(try await names(order, past) == ["e", "a", "d", "b", "c"])
      #expect(
        try await names(#""sort":[{"key":"lowercase(body)","descending":true}]"#, past)
          == ["b", "c", "d", "a", "e"]
      )
      #expect(try await names(order + ",\"after\":[\"\(start)ä0\",2]", past) == ["c"])
      #expect(try await names(order + ",\"after\":[\"\(start)ä9\",2]", past) == ["c"])
      #expect(try await names(order + ",\"limit\":2,\"offset\":1", past) == ["a", "d"])
      let request = FetchRequest(entity: "Doc", sort: [SortKey("body")], select: ["name"])
      let plan = try LivePlan(request, in: store.store.catalog)
      let connection = try past.connection()
      let statement = try connection.prepared(plan.stream.statement)
      defer { statement.reset() }
      var kept: [Int] = []
      while try statement.step() {
        let entry = LiveEntry(statement.row, plan.keys, json: [])
        kept.append(entry.terms.reduce(0) { $0 + $1.byteCount })
      }
      withExtendedLifetime(connection) {}
      #expect(kept == [1023, 1024, 1024, 1025, 1025])
    }
  }

  @Test func `a watch is refused if its sort keys are too large`() throws {
    var snapshot = LiveSnapshot(token: 1)
    let text = String(repeating: "x", count: 8 << 20)
    let error = #expect(throws: DepotError.self) {
      for identifier: Int64 in 1...40 {
        try snapshot.add(LiveEntry(identifier: identifier, terms: [.text(text)], checksum: 0))
      }
    }
    #expect(error?.code == .tooManyWatchedRows)
    #expect(snapshot.entries.count == 32)
  }
}
