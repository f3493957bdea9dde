import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

@Suite struct AggregateTests {
  private let travel: TravelFixture

  init() throws {
    travel = try TravelFixture()
  }

  private func groups(_ request: AggregateRequest) throws -> [[JSONValue]] {
    try travel.frames(.aggregate(request)).flatMap { $0["next"]?.array ?? [] }
      .map { $0.array ?? [] }
  }

  private static let country = AggregateRequest.Column(
    name: "country.name",
    expression: .attribute("country.name")
  )
  private static let count = AggregateRequest.Value(name: "count", .count)

  @Test func `rows are grouped by paths, null among them`() throws {
    let request = AggregateRequest(
      entity: "Trip",
      keys: [Self.country],
      values: [Self.count, .init(name: "total", .sum, of: .attribute("price"))]
    )
    let frames = try travel.frames(.aggregate(request))
    #expect(
      frames[0]["columns"]?.array?.map(\.string) == ["country.name", "count", "total"]
    )
    #expect(
      try groups(request) == [
        [.null, .int64(1), .int64(0)], [.string("France"), .int64(1), .int64(900)],
        [.string("Italy"), .int64(1), .int64(400)],
      ]
    )
    #expect(frames.last?["ok"]?["rows"]?.int64 == 3)
  }

  @Test func `groups are filtered, sorted, and cut by their names`() throws {
    var request = AggregateRequest(
      entity: "Subdivision",
      keys: [Self.country],
      values: [Self.count],
      having: .comparison(.greater, .attribute("count"), .value(.int64(0))),
      sort: [SortKey("count", descending: true)]
    )
    #expect(
      try groups(request) == [[.string("France"), .int64(3)], [.string("Italy"), .int64(1)]]
    )
    request.limit = 1
    request.offset = 1
    #expect(try groups(request) == [[.string("Italy"), .int64(1)]])
    request.having = .comparison(.equal, .attribute("country.name"), .value(.null))
    #expect(try groups(request) == [])
    request.having = .comparison(.equal, .attribute("conut"), .value(.int64(1)))
    let error = #expect(throws: DepotError.self) { try groups(request) }
    #expect(error?.at == "/args/having")
  }

  @Test func `all rows are one group without keys`() throws {
    let names: [QueryExpression.Aggregate] = [
      .count, .countDistinct, .sum, .min, .max, .average, .median, .mode, .stddev,
    ]
    let values = names.map {
      AggregateRequest.Value(name: $0.rawValue, $0, of: .attribute("price"))
    }
    let all = try groups(AggregateRequest(entity: "Trip", values: values))
    #expect(
      all == [
        [
          .int64(2), .int64(2), .int64(1300), .int64(400), .int64(900), .double(650),
          .double(650), .int64(400), .double(250),
        ]
      ]
    )
    let none = AggregateRequest(entity: "Trip", predicate: .value(.bool(false)), values: values)
    #expect(
      try groups(none) == [
        [.int64(0), .int64(0), .int64(0), .null, .null, .null, .null, .null, .null]
      ]
    )
  }

  @Test func `results have the types of what they come from`() throws {
    let values: [AggregateRequest.Value] = [
      .init(name: "perDiem", .sum, of: .attribute("perDiem")),
      .init(name: "greatest", .max, of: .attribute("perDiem")),
    ]
    #expect(
      try groups(AggregateRequest(entity: "BusinessTrip", values: values))
        == [[.string("30.5"), .string("30.5")]]
    )
    let dates = AggregateRequest(
      entity: "Country",
      keys: [.init(name: "founded", expression: .attribute("founded"))],
      values: [
        Self.count, .init(name: "first", .min, of: .attribute("founded")),
        .init(name: "area", .sum, of: .attribute("area")),
      ]
    )
    let date = JSONValue.string("2001-01-01T00:00:00Z")
    #expect(
      try groups(dates) == [
        [.null, .int64(2), .null, .double(551)], [date, .int64(1), date, .double(301)],
      ]
    )
  }

  @Test func `a sum that no double holds is an error, but a mean is none`() throws {
    for (identifier, name) in [(Int64(10), "far"), (11, "farther")] {
      let values: [String: Value] = ["name": .string(name), "area": .double(1.7e308)]
      try travel.store.insert("Country", identifier, values)
    }
    let sum = AggregateRequest.Value(name: "total", .sum, of: .attribute("area"))
    let error = #expect(throws: DepotError.self) {
      try groups(AggregateRequest(entity: "Country", values: [sum]))
    }
    #expect(error?.code == .overflow)
    let far = QueryExpression.comparison(.greater, .attribute("area"), .value(.double(1e300)))
    let mean = AggregateRequest.Value(name: "mean", .average, of: .attribute("area"))
    let request = AggregateRequest(entity: "Country", predicate: far, values: [mean])
    #expect(try groups(request) == [[.double(1.7e308)]])
  }

  @Test func `a sum that no int64 holds is an error`() throws {
    for identifier in 10...11 as ClosedRange<Int64> {
      try travel.store.insert(
        "PersonalTrip",
        identifier,
        ["name": .string("far"), "price": .int64(.max), "home": .bool(false)]
      )
    }
    let sum = AggregateRequest.Value(name: "total", .sum, of: .attribute("price"))
    let error = #expect(throws: DepotError.self) {
      try groups(AggregateRequest(entity: "Trip", values: [sum]))
    }
    #expect(error?.code == .overflow)
    #expect(error?.message.contains("total") == true)
  }

  @Test func `what can't be aggregated is named with its place`() throws {
    let requests: [(AggregateRequest, String)] = [
      (AggregateRequest(entity: "Trip", values: [.init(name: "x", .sum)]), "/args/values/0"),
      (
        AggregateRequest(
          entity: "Trip",
          values: [Self.count, .init(name: "x", .sum, of: .attribute("name"))]
        ), "/args/values/1"
      ),
      (
        AggregateRequest(
          entity: "Country",
          keys: [.init(name: "x", expression: .attribute("subdivisions"))]
        ), "/args/by/0"
      ),
    ]
    for (request, pointer) in requests {
      let error = #expect(throws: DepotError.self) { try groups(request) }
      #expect(error?.at == pointer)
    }
    for names in [["a", "a"], ["a\"b"], [""]] {
      let keys = names.map {
        AggregateRequest.Column(name: $0, expression: .attribute("name"))
      }
      let error = #expect(throws: DepotError.self) {
        try groups(AggregateRequest(entity: "Trip", keys: keys))
      }
      #expect(error?.code == .usage)
    }
  }

  @Test func `expressions group and are aggregated`() throws {
    let request = AggregateRequest(
      entity: "Trip",
      keys: [
        .init(
          name: "isDear",
          expression: .comparison(.greater, .attribute("price"), .value(.int64(500)))
        )
      ],
      values: [
        .init(
          name: "double",
          .sum,
          of: .arithmetic(.multiply, .attribute("price"), .value(.int64(2)))
        )
      ]
    )
    #expect(try groups(request) == [[.bool(false), .int64(800)], [.bool(true), .int64(1800)]])
  }
}
