import DepotEngine
import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@Suite struct ExplainTests {
  private let travel: TravelFixture

  init() throws {
    travel = try TravelFixture()
  }

  private func explain(_ request: ExplainRequest) throws -> JSONValue {
    try #require(try travel.frames(.explain(request))[0]["ok"])
  }

  private static let small = QueryExpression.comparison(
    .less,
    .attribute("price"),
    .value(.int64(500))
  )

  @Test func `the predicate is a tree and a text`() throws {
    let fetch = FetchRequest(entity: "Trip", predicate: Self.small)
    let ok = try explain(ExplainRequest(fetch))
    #expect(ok["predicate"]?["<"]?.array?.count == 2)
    #expect(ok["text"]?.string == "price < 500")
    #expect(ok["sql"]?.string?.hasPrefix("SELECT t0.id") == true)
    #expect(ok["fullScan"]?.bool == true)
    #expect(ok["index"]?.array == [.string("Trip"), .string("price")])
    #expect(ok["run"] == nil)
  }

  @Test func `counts and aggregates are explained too`() throws {
    let count = try explain(
      ExplainRequest(.count(CountRequest(entity: "Trip", predicate: Self.small)))
    )
    #expect(count["advice"]?.string?.contains("Trip.price") == true)
    let groups = AggregateRequest(
      entity: "Trip",
      keys: [.init(name: "name", expression: .attribute("name"))],
      values: [.init(name: "count", .count)]
    )
    let grouped = try explain(ExplainRequest(.aggregate(groups)))
    #expect(grouped["index"]?.array == [.string("Trip"), .string("name")])
    var served = groups
    served.entity = "Country"
    #expect(try explain(ExplainRequest(.aggregate(served)))["advice"] == nil)
  }

  @Test func `advice follows relationships`() throws {
    let path = QueryExpression.comparison(
      .equal,
      .attribute("country.founded"),
      .value(.string("2001-01-01T00:00:00Z"))
    )
    let joined = try explain(ExplainRequest(FetchRequest(entity: "Subdivision", predicate: path)))
    #expect(joined["index"]?.array == [.string("Country"), .string("founded")])
    let any = QueryExpression.quantified(
      .any,
      .attribute("subdivisions"),
      "s",
      .comparison(.equal, .member(.variable("s"), "name"), .value(.string("Lazio")))
    )
    let request = FetchRequest(entity: "Country", predicate: any)
    let ok = try explain(ExplainRequest(request))
    #expect(ok["fullScan"]?.bool == true)
    #expect(ok["index"]?.array == [.string("Subdivision"), .string("name")])
  }

  @Test func `an order without an index is advised one`() throws {
    let order = FetchRequest(entity: "Country", sort: [SortKey("founded")])
    #expect(
      try explain(ExplainRequest(order))["index"]?.array == [
        .string("Country"), .string("founded"),
      ]
    )
    let served = FetchRequest(entity: "Country", sort: [SortKey("area")])
    #expect(try explain(ExplainRequest(served))["advice"] == nil)
  }

  @Test func `a run counts what it looked at`() async throws {
    let request = ExplainRequest(FetchRequest(entity: "Trip", predicate: Self.small), runs: true)
    #expect(try travel.store.quick(.explain(request), travel.reader) == nil)
    let delivered = try await travel.delivered(.explain(request))
    let run = try #require(delivered.frames.last?["ok"]?["run"])
    #expect(run["rows"]?.int64 == 1)
    // The first row is where the scan begins, and the others are steps.
    #expect(run["scanned"]?.int64 == 2)
    #expect(run["sorts"]?.int64 == 0)
    #expect((run["steps"]?.int64 ?? 0) > 3)
  }

  @Test func `a slow read is reported without values`() throws {
    let fetch = FetchRequest(
      entity: "Trip",
      predicate: .comparison(.equal, .attribute("name"), .value(.string("secret")))
    )
    let report = try #require(
      travel.reader.report(on: .fetch(fetch), catalog: travel.store.catalog)
    )
    #expect(report.isFullScan)
    #expect(report.advice?.contains("Trip.name") == true)
    #expect(report.advice?.contains("secret") == false)
    #expect(travel.reader.report(on: .stats, catalog: travel.store.catalog) == nil)
  }
}
