import DepotProtocol
import FoundationEssentials

extension OperationTests {
  /// Every operation with its wire form.
  ///
  /// A change here is a change of protocol.
  static let golden: [(Operation, String)] = [
    (.ping, #""call":"ping","args":{}"#),
    (.describe, #""call":"describe","args":{}"#),
    (.getSchema, #""call":"schema.get","args":{}"#),
    (.stats, #""call":"stats","args":{}"#),
    (.shutdown, #""call":"shutdown","args":{}"#),
    (.closeConnection(7), #""call":"connection.close","args":{"connection":7}"#),
    (
      .defineSchema(
        Schema(entities: [Entity(name: "P", attributes: [Attribute(name: "a", type: .string)])]),
        isDryRun: false
      ),
      #""call":"schema.define","args":{"schema":{"entities":[{"name":"P","attributes":[{"name":"a","type":"string"}]}]}}"#
    ),
    (
      .defineSchema(Schema(), isDryRun: false, MigrationOptions(allows: .additions)),
      #""call":"schema.define","args":{"schema":{"entities":[]},"allow":"additions"}"#
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
          reportsRejects: true,
          returnsIdentifiers: false
        )
      ),
      #""call":"insert","args":{"entity":"P","columns":[],"onConflict":"replace","rejects":true,"returnIds":false,"rows":[]}"#
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
          includesSubentityColumns: true,
          allowsMissing: true,
          namesColumns: false
        )
      ),
      #""call":"get","args":{"entity":"P","ids":[],"select":["a"],"subentityColumns":true,"partial":true,"columns":false}"#
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
      .explain(ExplainRequest(FetchRequest(entity: "P", limit: 1))),
      #""call":"explain","args":{"entity":"P","limit":1}"#
    ),
    (
      .explain(ExplainRequest(.count(CountRequest(entity: "P")), runs: true)),
      #""call":"explain","args":{"entity":"P","of":"count","run":true}"#
    ),
    (
      .explain(
        ExplainRequest(
          .aggregate(
            AggregateRequest(
              entity: "P",
              keys: [AggregateRequest.Column(name: "a", expression: .attribute("a"))]
            )
          )
        )
      ),
      #""call":"explain","args":{"entity":"P","by":["a"],"of":"aggregate"}"#
    ),
    (
      .get(GetRequest(entity: "P", identifiers: [1], prefetch: ["a.b"])),
      #""call":"get","args":{"entity":"P","ids":[1],"prefetch":["a.b"]}"#
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

  /// What the grown data model added to the requests.
  static let grown: [(Operation, String)] = [
    (
      .fetch(
        FetchRequest(
          entity: "P",
          includesSubentities: false,
          sort: [
            SortKey(.negate(.attribute("a")), localized: true),
            SortKey(.value(.string("x"))), SortKey("c.d", descending: true, localized: true),
          ],
          after: [.null, .string("x"), .decimal(15), .int64(7)],
          select: ["a", "c.$id"],
          includesSubentityColumns: true,
          isDistinct: true,
          prefetch: ["c", "c.d"],
          sectionBy: "c.d"
        )
      ),
      #""call":"fetch","args":{"entity":"P","subentities":false,"sort":[{"key":{"negate":{"attribute":"a"}},"localized":true},{"key":{"value":"x"}},{"attribute":"c.d","descending":true,"localized":true}],"after":[null,"x",{"value":"15","type":"decimal"},7],"select":["a","c.$id"],"subentityColumns":true,"distinct":true,"prefetch":["c","c.d"],"sectionBy":"c.d"}"#
    ),
    (
      .fetch(FetchRequest(entity: "P", after: [.null, .int64(7)], sectionBy: "c.d")),
      #""call":"fetch","args":{"entity":"P","after":[null,7],"sectionBy":"c.d"}"#
    ),
    (
      .count(CountRequest(entity: "P", includesSubentities: false)),
      #""call":"count","args":{"entity":"P","subentities":false}"#
    ),
    (
      .exists(CountRequest(entity: "P", predicate: .attribute("a"))),
      #""call":"exists","args":{"entity":"P","where":{"attribute":"a"}}"#
    ),
    (
      .aggregate(AggregateRequest(entity: "P", values: [.init(name: "n", .count)])),
      #""call":"aggregate","args":{"entity":"P","values":[{"name":"n","aggregate":"count"}]}"#
    ),
    (
      .aggregate(
        AggregateRequest(
          entity: "P",
          predicate: .attribute("a"),
          includesSubentities: false,
          keys: [
            .init(name: "c.d", expression: .attribute("c.d")),
            .init(name: "half", expression: .attribute("c")),
          ],
          values: [.init(name: "total", .sum, of: .attribute("a"))],
          having: .comparison(.greater, .attribute("total"), .value(.int64(1))),
          sort: [SortKey("total", descending: true)],
          limit: 3,
          offset: 1,
          batch: 10
        )
      ),
      #""call":"aggregate","args":{"entity":"P","where":{"attribute":"a"},"subentities":false,"by":["c.d",{"name":"half","key":{"attribute":"c"}}],"values":[{"name":"total","aggregate":"sum","of":{"attribute":"a"}}],"having":{">":[{"attribute":"total"},1]},"sort":[{"attribute":"total","descending":true}],"limit":3,"offset":1,"batch":10}"#
    ),
    (.save(SaveRequest()), #""call":"save","args":{}"#),
    (
      .save(
        SaveRequest(
          inserts: [
            .init(
              entity: "P",
              columns: ["$id", "a"],
              rows: RowBatch([[.string("#1"), .null]])
            )
          ],
          updates: [.init(entity: "P", columns: ["$id"], rows: RowBatch([[.int64(1)]]))],
          deletes: [.init(entity: "Q", identifiers: [2, 3])],
          onConflict: .replace
        )
      ),
      ##""call":"save","args":{"insert":[{"entity":"P","columns":["$id","a"],"rows":[["#1",null]]}],"update":[{"entity":"P","columns":["$id"],"rows":[[1]]}],"delete":[{"entity":"Q","ids":[2,3]}],"onConflict":"replace"}"##
    ),
    (
      .update(
        UpdateRequest(
          entity: "P",
          rows: .predicate(.or([])),
          includesSubentities: false,
          columns: ["a"],
          values: RowBatch([[.int64(1)]]),
          computed: [
            .init("b.c", .arithmetic(.add, .attribute("a"), .value(.int64(1)))),
            .init("d", .value(.string("a"))),
          ],
          returnsIdentifiers: true,
          chunk: 500
        )
      ),
      #""call":"update","args":{"entity":"P","where":{"or":[]},"subentities":false,"set":{"a":1},"compute":{"b.c":{"+":[{"attribute":"a"},1]},"d":{"value":"a"}},"returnIds":true,"chunk":500}"#
    ),
    (
      .delete(
        DeleteRequest(
          entity: "P",
          rows: .identifiers([1]),
          includesSubentities: false,
          returnsIdentifiers: true,
          chunk: 1
        )
      ),
      #""call":"delete","args":{"entity":"P","ids":[1],"subentities":false,"returnIds":true,"chunk":1}"#
    ),
  ]
}
