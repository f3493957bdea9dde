import DepotProtocol
import FoundationEssentials
import Testing

@Suite struct OperationTests {
  @Test func `every operation has its golden form, both ways`() throws {
    for (operation, json) in Self.golden + Self.grown {
      let text = "{\"id\":1,\(json)}"
      #expect(jsonText { $0.write(Call(id: 1, operation)) } == text)
      #expect(try ClientFrame(Array(text.utf8)) == .call(Call(id: 1, operation)))
    }
  }

  @Test func `the golden forms are of all operations`() {
    let names = [
      "ping", "describe", "schema.define", "schema.get", "insert", "get", "fetch", "count",
      "update", "delete", "explain", "stats", "shutdown", "exists", "aggregate", "save",
      "connection.close",
    ]
    #expect(Set((Self.golden + Self.grown).map(\.0.name)) == Set(names))
  }

  @Test func `only what changes the store is a write`() {
    let writes = Set((Self.golden + Self.grown).map(\.0).filter(\.isWrite).map(\.name))
    #expect(writes == ["schema.define", "insert", "update", "delete", "save"])
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
    (
      #"{"id":1,"call":"update","args":{"entity":"P","ids":[1],"compute":{"a":"a + $n"},"bind":{"n":2}}}"#,
      .update(
        UpdateRequest(
          entity: "P",
          rows: .identifiers([1]),
          computed: [.init("a", .arithmetic(.add, .attribute("a"), .value(.int64(2))))]
        )
      )
    ),
    (
      #"{"id":1,"call":"fetch","args":{"bind":{"low":{"value":"1.5","type":"decimal"}},"entity":"P","where":"a > $low","sort":[{"key":"a - $low"}]}}"#,
      .fetch(
        FetchRequest(
          entity: "P",
          predicate: .comparison(.greater, .attribute("a"), .value(.decimal(Decimal(15) / 10))),
          sort: [
            SortKey(.arithmetic(.subtract, .attribute("a"), .value(.decimal(Decimal(15) / 10))))
          ]
        )
      )
    ),
    (
      #"{"id":1,"call":"count","args":{"entity":"P","where":{"in":[{"attribute":"a"},{"variable":"x"}]},"bind":{"x":[1,null]}}}"#,
      .count(
        CountRequest(
          entity: "P",
          predicate: .in(.attribute("a"), [.value(.int64(1)), .value(.null)])
        )
      )
    ),
    (
      #"{"id":1,"call":"aggregate","args":{"entity":"P","by":[{"name":"y","key":"a / 10"}],"values":[{"name":"m","aggregate":"max","of":"b.c"}],"having":"m > 1"}}"#,
      .aggregate(
        AggregateRequest(
          entity: "P",
          keys: [
            .init(name: "y", expression: .arithmetic(.divide, .attribute("a"), .value(.int64(10))))
          ],
          values: [.init(name: "m", .max, of: .attribute("b.c"))],
          having: .comparison(.greater, .attribute("m"), .value(.int64(1)))
        )
      )
    ),
    (
      #"{"id":1,"call":"update","args":{"entity":"P","ids":[1],"set":{"a":1},"chunk":2}}"#,
      .update(
        UpdateRequest(
          entity: "P",
          rows: .identifiers([1]),
          columns: ["a"],
          values: RowBatch([[.int64(1)]]),
          chunk: 2
        )
      )
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
    (#""call":"fetch","args":{"entity":"P","limit":1.5}"#, .type, "/args/limit"),
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
    (#""call":"update","args":{"entity":"P","ids":[1],"compute":{}}"#, .usage, "/args/compute"),
    (
      #""call":"update","args":{"entity":"P","ids":[1],"compute":{"a b":1}}"#, .predicate,
      "/args/compute/a b"
    ),
    (
      #""call":"update","args":{"entity":"P","ids":[1],"compute":{"a":"b +"}}"#, .predicate,
      "/args/compute/a"
    ),
    (
      #""call":"update","args":{"entity":"P","ids":[1],"set":{"a":1},"compute":{"a":2}}"#, .usage,
      "/args/compute/a"
    ),
    (
      #""call":"update","args":{"entity":"P","ids":[1],"set":{"a":1},"chunk":0}"#, .numberRange,
      "/args/chunk"
    ),
    (#""call":"count","args":{"entity":"P","where":"a == $x"}"#, .predicate, "/args/where"),
    (
      #""call":"count","args":{"entity":"P","where":{"variable":"x"}}"#, .predicate,
      "/args/where/variable"
    ),
    (#""call":"count","args":{"entity":"P","bind":{"x":1}}"#, .usage, "/args/bind"),
    (#""call":"ping","args":{"bind":{}}"#, .unknownMember, "/args/bind"),
    (#""call":"save","args":{"bind":{}}"#, .unknownMember, "/args/bind"),
    (
      #""call":"count","args":{"entity":"P","where":"a","bind":{"x":1}}"#, .usage, "/args/bind"
    ),
    (
      #""call":"count","args":{"entity":"P","where":"a == $x","bind":{"x":{"value":"y","type":"date"}}}"#,
      .type, "/args/bind/x/value"
    ),
    (#""call":"count","args":{"entity":"P","bind":{"x y":1}}"#, .predicate, "/args/bind/x y"),
    (#""call":"count","args":{"entity":"P","bind":{"id":1}}"#, .predicate, "/args/bind/id"),
    (#""call":"count","args":{"entity":"P","bind":{"x":[[1]]}}"#, .type, "/args/bind/x/0"),
    (#""call":"fetch","args":{"entity":"P","sort":[{}]}"#, .missingMember, "/args/sort/0"),
    (
      #""call":"fetch","args":{"entity":"P","sort":[{"attribute":"a","key":1}]}"#, .usage,
      "/args/sort/0"
    ),
    (
      #""call":"fetch","args":{"entity":"P","sort":[{"attribute":"a b"}]}"#, .predicate,
      "/args/sort/0/attribute"
    ),
    (
      #""call":"fetch","args":{"entity":"P","sort":[{"key":"a +"}]}"#, .predicate,
      "/args/sort/0/key"
    ),
    (
      #""call":"fetch","args":{"entity":"P","sort":[{"attribute":"a"},{"attribute":"b"}],"after":[1,2]}"#,
      .usage, "/args/after"
    ),
    (#""call":"fetch","args":{"entity":"P","after":[[1]]}"#, .type, "/args/after/0"),
    (#""call":"fetch","args":{"entity":"P","prefetch":"c"}"#, .type, "/args/prefetch"),
    (#""call":"exists","args":{"entity":"P","limit":1}"#, .unknownMember, "/args/limit"),
    (#""call":"aggregate","args":{"entity":"P"}"#, .usage, "/args"),
    (#""call":"aggregate","args":{"entity":"P","by":["a b"]}"#, .predicate, "/args/by/0"),
    (#""call":"aggregate","args":{"entity":"P","by":["a","a"]}"#, .usage, "/args"),
    (
      #""call":"aggregate","args":{"entity":"P","by":[{"name":"a"}]}"#, .missingMember,
      "/args/by/0"
    ),
    (
      #""call":"aggregate","args":{"entity":"P","values":[{"name":"a","aggregate":"sum"}]}"#,
      .missingMember, "/args/values/0"
    ),
    (
      #""call":"aggregate","args":{"entity":"P","values":[{"name":"a","aggregate":"total","of":1}]}"#,
      .usage, "/args/values/0/aggregate"
    ),
    (
      #""call":"save","args":{"insert":[{"entity":"P","rows":[]}]}"#, .missingMember,
      "/args/insert/0"
    ),
    (
      #""call":"save","args":{"insert":[{"entity":"P","columns":["a","a"],"rows":[]}]}"#, .usage,
      "/args/insert/0/columns"
    ),
    (
      #""call":"save","args":{"update":[{"entity":"P","columns":["a"],"rows":[]}]}"#, .usage,
      "/args/update/0"
    ),
    (
      #""call":"save","args":{"delete":[{"entity":"P","ids":[1],"where":"a"}]}"#, .unknownMember,
      "/args/delete/0/where"
    ),
    (#""call":"save","args":{"onConflict":"x"}"#, .usage, "/args/onConflict"),
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

  @Test(arguments: [
    (#""more":0"#, DepotError.Code.numberRange, "/more"), (#""cancel":1"#, .type, "/cancel"),
    (#""cancel":true,"reason":1"#, .unknownMember, "/reason"),
  ])
  func `a malformed more or cancel is refused without an id, which would end the call`(
    json: String,
    code: DepotError.Code,
    pointer: String
  ) throws {
    guard case .invalidControl(let error) = try ClientFrame(Array("{\"id\":9,\(json)}".utf8))
    else {
      Issue.record("it was accepted")
      return
    }
    #expect(error.code == code && error.at == pointer, "\(error)")
  }

  @Test func `as many rows as the limit are accepted and not one more`() throws {
    for (count, isAccepted) in [(Limits.rows, true), (Limits.rows + 1, false)] {
      let rows = Array(repeating: "[]", count: count).joined(separator: ",")
      let ids = Array(repeating: "1", count: count).joined(separator: ",")
      for json in [
        #""call":"insert","args":{"entity":"P","rows":[\#(rows)]}"#,
        #""call":"get","args":{"entity":"P","ids":[\#(ids)]}"#,
        #""call":"save","args":{"insert":[{"entity":"P","columns":[],"rows":[\#(rows)]}]}"#,
      ] {
        switch try ClientFrame(Array("{\"id\":1,\(json)}".utf8)) {
        case .invalidCall(_, let error): #expect(!isAccepted && error.code == .tooManyRows)
        default: #expect(isAccepted)
        }
      }
    }
  }

  @Test func `the rows of a save are counted together`() throws {
    let ids = Array(repeating: "1", count: Limits.rows).joined(separator: ",")
    let json =
      #"{"id":1,"call":"save","args":{"insert":[{"entity":"P","columns":[],"rows":[[]]}],"delete":[{"entity":"P","ids":[\#(ids)]}]}}"#
    guard case .invalidCall(_, let error) = try ClientFrame(Array(json.utf8)) else {
      Issue.record("it was accepted")
      return
    }
    #expect(error.code == .tooManyRows)
  }
}
