import DepotProtocol
import Testing

@Suite struct OperationTests {
  /// Every operation with its wire form.
  ///
  /// A change here is a change of protocol.
  static let golden: [(Operation, String)] = [
    (.ping, #""call":"ping","args":{}"#),
    (.describe, #""call":"describe","args":{}"#),
    (.getSchema, #""call":"schema.get","args":{}"#),
    (.stats, #""call":"stats","args":{}"#),
    (.shutdown, #""call":"shutdown","args":{}"#),
    (
      .defineSchema(
        Schema(entities: [Entity(name: "P", attributes: [Attribute(name: "a", type: .string)])]),
        isDryRun: false
      ),
      #""call":"schema.define","args":{"schema":{"entities":[{"name":"P","attributes":[{"name":"a","type":"string"}]}]}}"#
    ),
    (
      .defineSchema(Schema(), isDryRun: true),
      #""call":"schema.define","args":{"schema":{"entities":[]},"dryRun":true}"#
    ),
    (
      .insert(
        InsertRequest(
          entity: "P",
          columns: ["a", "b"],
          rows: RowBatch([[.string("x"), .int64(1)], [.null, .double(2)]])
        )
      ),
      #""call":"insert","args":{"entity":"P","columns":["a","b"],"rows":[["x",1],[null,2.0]]}"#
    ),
    (
      .insert(
        InsertRequest(
          entity: "P",
          columns: [],
          rows: RowBatch(),
          onConflict: .replace,
          reportsRejects: true
        )
      ),
      #""call":"insert","args":{"entity":"P","columns":[],"onConflict":"replace","rejects":true,"rows":[]}"#
    ),
    (
      .get(GetRequest(entity: "P", identifiers: [1, .max])),
      #""call":"get","args":{"entity":"P","ids":[1,9223372036854775807]}"#
    ),
    (
      .get(
        GetRequest(
          entity: "P",
          identifiers: [],
          select: ["a"],
          allowsMissing: true,
          namesColumns: false
        )
      ),
      #""call":"get","args":{"entity":"P","ids":[],"select":["a"],"partial":true,"columns":false}"#
    ),
    (.fetch(FetchRequest(entity: "P")), #""call":"fetch","args":{"entity":"P"}"#),
    (
      .fetch(
        FetchRequest(
          entity: "P",
          predicate: .comparison(.greater, .attribute("a"), .value(.double(1))),
          sort: [SortKey("a"), SortKey("$id", descending: true)],
          limit: 0,
          offset: 5,
          select: [],
          batch: 10,
          namesColumns: false
        )
      ),
      #""call":"fetch","args":{"entity":"P","where":{">":[{"attribute":"a"},1.0]},"sort":[{"attribute":"a"},{"attribute":"$id","descending":true}],"limit":0,"offset":5,"select":[],"batch":10,"columns":false}"#
    ),
    (
      .fetch(FetchRequest(entity: "P", predicate: .value(.string("x")))),
      #""call":"fetch","args":{"entity":"P","where":{"value":"x"}}"#
    ),
    (
      .explain(FetchRequest(entity: "P", limit: 1)),
      #""call":"explain","args":{"entity":"P","limit":1}"#
    ),
    (.count(CountRequest(entity: "P")), #""call":"count","args":{"entity":"P"}"#),
    (
      .count(CountRequest(entity: "P", predicate: .and([]))),
      #""call":"count","args":{"entity":"P","where":{"and":[]}}"#
    ),
    (
      .update(
        UpdateRequest(
          entity: "P",
          rows: .identifiers([7]),
          columns: ["a", "b"],
          values: RowBatch([[.null, .string("]")]])
        )
      ),
      #""call":"update","args":{"entity":"P","ids":[7],"set":{"a":null,"b":"]"}}"#
    ),
    (
      .update(
        UpdateRequest(
          entity: "P",
          rows: .predicate(.or([])),
          columns: ["a"],
          values: RowBatch([[.bool(true)]])
        )
      ),
      #""call":"update","args":{"entity":"P","where":{"or":[]},"set":{"a":true}}"#
    ),
    (
      .delete(DeleteRequest(entity: "P", rows: .identifiers([1, 2]))),
      #""call":"delete","args":{"entity":"P","ids":[1,2]}"#
    ),
    (
      .delete(DeleteRequest(entity: "P", rows: .predicate(.attribute("a")))),
      #""call":"delete","args":{"entity":"P","where":{"attribute":"a"}}"#
    ),
  ]

  @Test func `every operation has its golden form, both ways`() throws {
    for (operation, json) in Self.golden {
      let text = "{\"id\":1,\(json)}"
      #expect(jsonText { $0.write(Call(id: 1, operation)) } == text)
      #expect(try ClientFrame(Array(text.utf8)) == .call(Call(id: 1, operation)))
    }
  }

  @Test func `the golden forms are of all operations`() {
    let names = [
      "ping", "describe", "schema.define", "schema.get", "insert", "get", "fetch", "count",
      "update", "delete", "explain", "stats", "shutdown",
    ]
    #expect(Set(Self.golden.map(\.0.name)) == Set(names))
  }

  @Test func `only what changes the store is a write`() {
    let writes = Set(Self.golden.map(\.0).filter(\.isWrite).map(\.name))
    #expect(writes == ["schema.define", "insert", "update", "delete"])
  }

  /// Accepted spellings that aren't canonical.
  static let other: [(String, Operation)] = [
    (#"{"id":1,"call":"ping"}"#, .ping),
    (
      #"{"args":{"ids":["7"],"entity":"\u0050"},"call":"get","id":"1"}"#,
      .get(GetRequest(entity: "P", identifiers: [7]))
    ),
    (
      #"{"id":1,"call":"fetch","args":{"entity":"P","where":"a >= 1","offset":0,"columns":true}}"#,
      .fetch(
        FetchRequest(
          entity: "P",
          predicate: .comparison(.greaterOrEqual, .attribute("a"), .value(.int64(1)))
        )
      )
    ),
    (
      #"{"id":1.0,"call":"insert","args":{"entity":"P","rows":[]}}"#,
      .insert(InsertRequest(entity: "P", columns: [], rows: RowBatch()))
    ),
  ]

  @Test(arguments: other)
  func `other spellings are read`(json: String, operation: Operation) throws {
    #expect(try ClientFrame(Array(json.utf8)) == .call(Call(id: 1, operation)))
  }

  static let malformed: [(String, DepotError.Code, String?)] = [
    (#""call":"pnig""#, .unknownOperation, "/call"),
    (#""call":7"#, .type, "/call"),
    (#""call":"count""#, .missingMember, nil),
    (#""call":"count","args":[]"#, .type, "/args"),
    (#""call":"count","args":{}"#, .missingMember, "/args"),
    (#""call":"count","args":{"entity":7}"#, .type, "/args/entity"),
    (#""call":"count","args":{"entity":"P","x/y":7}"#, .unknownMember, "/args/x~1y"),
    (#""call":"count","args":{"entity":"P"},"x":7"#, .unknownMember, "/x"),
    (#""call":"ping","args":{"x":1}"#, .unknownMember, "/args/x"),
    (#""call":"count","args":{"entity":"P","where":"a ="}"#, .predicate, "/args/where"),
    (#""call":"count","args":{"entity":"P","where":[]}"#, .type, "/args/where"),
    (#""call":"count","args":{"entity":"P","where":{}}"#, .predicate, "/args/where"),
    (
      #""call":"count","args":{"entity":"P","where":{"and":[1,{"contians":[1,2]}]}}"#, .predicate,
      "/args/where/and/1/contians"
    ),
    (#""call":"count","args":{"entity":"P","where":{"==":[1]}}"#, .predicate, "/args/where/=="),
    (
      #""call":"count","args":{"entity":"P","where":{"==":[1,2],"options":"x"}}"#, .predicate,
      "/args/where/options"
    ),
    (
      #""call":"count","args":{"entity":"P","where":{"==":[1,2],"type":"date"}}"#, .predicate,
      "/args/where/type"
    ),
    (
      #""call":"count","args":{"entity":"P","where":{"value":"x","type":"date"}}"#, .type,
      "/args/where/value"
    ),
    (
      #""call":"count","args":{"entity":"P","where":{"value":"x","type":"money"}}"#, .predicate,
      "/args/where/type"
    ),
    (#""call":"fetch","args":{"entity":"P","limit":-1}"#, .numberRange, "/args/limit"),
    (#""call":"fetch","args":{"entity":"P","limit":1.5}"#, .numberRange, "/args/limit"),
    (#""call":"fetch","args":{"entity":"P","limit":"x"}"#, .type, "/args/limit"),
    (#""call":"fetch","args":{"entity":"P","batch":0}"#, .numberRange, "/args/batch"),
    (#""call":"fetch","args":{"entity":"P","sort":["a"]}"#, .type, "/args/sort/0"),
    (
      #""call":"fetch","args":{"entity":"P","sort":[{"attribute":"a","desc":true}]}"#,
      .unknownMember, "/args/sort/0/desc"
    ),
    (#""call":"fetch","args":{"entity":"P","select":[1]}"#, .type, "/args/select/0"),
    (#""call":"fetch","args":{"entity":"P","columns":1}"#, .type, "/args/columns"),
    (#""call":"insert","args":{"entity":"P","rows":{}}"#, .type, "/args/rows"),
    (
      #""call":"insert","args":{"entity":"P","rows":[],"onConflict":"ignore"}"#, .usage,
      "/args/onConflict"
    ),
    (#""call":"get","args":{"entity":"P","ids":[1,"x"]}"#, .type, "/args/ids/1"),
    (#""call":"get","args":{"entity":"P"}"#, .missingMember, "/args"),
    (#""call":"update","args":{"entity":"P","ids":[1],"set":{}}"#, .usage, "/args/set"),
    (#""call":"update","args":{"entity":"P","ids":[1]}"#, .missingMember, "/args"),
    (#""call":"delete","args":{"entity":"P"}"#, .usage, "/args"),
    (#""call":"delete","args":{"entity":"P","ids":[1],"where":"a"}"#, .usage, "/args"),
    (#""call":"schema.define","args":{"schema":{"entities":7}}"#, .type, "/args/schema/entities"),
    (
      #""call":"schema.define","args":{"schema":{"entities":[{"name":"P","attributes":[{"name":"a","type":"text"}]}]}}"#,
      .invalidSchema, "/args/schema/entities/0/attributes/0/type"
    ),
    (#""call":"ping","deadlineMs":-1"#, .numberRange, "/deadlineMs"),
    (#""call":"ping","credit":0"#, .numberRange, "/credit"),
    (#""call":"ping","key":"k""#, .usage, "/key"),
    (#""call":"delete","args":{"entity":"P","ids":[]},"key":"""#, .numberRange, "/key"),
    (#""more":0"#, .numberRange, "/more"),
    (#""cancel":1"#, .type, "/cancel"),
    (#""next":[]"#, .missingMember, nil),
  ]

  @Test(arguments: malformed)
  func `a malformed call is refused under its id, with its place`(
    json: String,
    code: DepotError.Code,
    pointer: String?
  ) throws {
    guard case .invalidCall(let id, let error) = try ClientFrame(Array("{\"id\":9,\(json)}".utf8))
    else {
      Issue.record("it was accepted")
      return
    }
    #expect(id == 9)
    #expect(error.code == code, "\(error)")
    #expect(error.at == pointer, "\(error)")
  }

  @Test func `as many rows as the limit are accepted and not one more`() throws {
    for (count, isAccepted) in [(Limits.rows, true), (Limits.rows + 1, false)] {
      let rows = Array(repeating: "[]", count: count).joined(separator: ",")
      let ids = Array(repeating: "1", count: count).joined(separator: ",")
      for json in [
        #""call":"insert","args":{"entity":"P","rows":[\#(rows)]}"#,
        #""call":"get","args":{"entity":"P","ids":[\#(ids)]}"#,
      ] {
        switch try ClientFrame(Array("{\"id\":1,\(json)}".utf8)) {
        case .invalidCall(_, let error): #expect(!isAccepted && error.code == .tooManyRows)
        default: #expect(isAccepted)
        }
      }
    }
  }
}
