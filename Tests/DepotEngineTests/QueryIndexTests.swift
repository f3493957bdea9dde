import DepotEngine
import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@Suite struct QueryIndexTests {
  private let fixture: ReaderFixture
  private let connection: Connection

  init() throws {
    fixture = try ReaderFixture(Schema(entities: [ScalarEntity.entity]))
    connection = try fixture.reader()
  }

  private static let string = QueryExpression.attribute("string")
  private static let double = QueryExpression.attribute("double")
  private static let text = QueryExpression.value(.string("abc"))

  static let served: [QueryExpression] = [
    .comparison(.equal, string, text), .comparison(.equal, text, string),
    .comparison(.equal, string, .value(.null)), .comparison(.less, string, text),
    .comparison(.greaterOrEqual, double, .value(.int64(3))),
    .between(double, .value(.int64(1)), .value(.double(2))),
    .text(.begins, string, text), .in(string, [text, .value(.string("x"))]),
    .in(string, [text, .value(.null)]),
    .in(.attribute("double"), (0..<3000).map { .value(.int64($0)) }),
    .and([.comparison(.greater, double, .value(.double(0.5))), .attribute("bool")]),
    .or([.comparison(.equal, string, text), .comparison(.equal, double, .value(.int64(1)))]),
    .comparison(.equal, .attribute("date"), .value(.string("2020-01-01T00:00:00Z"))),
    .comparison(.less, .attribute("data"), .value(.string("AAAA"))),
    .comparison(.equal, .attribute("$id"), .value(.int64(3))),
  ]

  @Test(arguments: served)
  func `an index serves what it can`(predicate: QueryExpression) throws {
    let plan = try plan(predicate)
    #expect(
      plan.allSatisfy { !$0.hasPrefix("SCAN") || $0.contains("VIRTUAL TABLE") },
      "\(predicate) \(plan)"
    )
  }

  @Test func `a bool attribute uses its index`() throws {
    let schema = Schema(entities: [
      Entity(name: "Flag", attributes: [Attribute(name: "on", type: .bool, isIndexed: true)])
    ])
    let fixture = try ReaderFixture(schema)
    let compiled = try PredicateSQL.compile(
      .attribute("on"),
      for: fixture.catalog.layout(of: "Flag"),
      in: fixture.catalog
    )
    #expect(compiled.sql == "t0.\"a_on\" = 1")
  }

  @Test func `a thousand terms are within SQLite's depth`() throws {
    let terms = (0..<998).map {
      QueryExpression.comparison(.notEqual, .attribute("int64"), .value(.int64($0)))
    }
    #expect(try fixture.matches(.and(terms), in: "Thing", on: connection) == [])
    #expect(try fixture.matches(.not(.or(terms)), in: "Thing", on: connection) == [])
  }

  private func plan(_ predicate: QueryExpression) throws -> [String] {
    let layout = try fixture.catalog.layout(of: "Thing")
    let compiled = try PredicateSQL.compile(predicate, for: layout, in: fixture.catalog)
    let statement = try connection.statement(
      "EXPLAIN QUERY PLAN SELECT * FROM \(compiled.source) WHERE \(compiled.sql)"
    )
    var lines: [String] = []
    try statement.run(compiled.parameters) { lines.append($0.text(3)) }
    return lines
  }
}
