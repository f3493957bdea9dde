import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@testable import DepotEngine

@Suite struct RangeIndexTests {
  private static let schema = Schema(entities: [
    Entity(
      name: "Place",
      attributes: [
        Attribute(name: "lat", type: .double, isOptional: true),
        Attribute(name: "lon", type: .double, isOptional: true),
        Attribute(name: "size", type: .int64, isOptional: true),
        Attribute(name: "price", type: .decimal, isOptional: true),
        Attribute(name: "opened", type: .date, isOptional: true, isIndexed: true),
      ],
      rangeIndexes: [["lat", "lon"], ["size", "price", "opened"]]
    ),
    Entity(
      name: "Shop",
      parent: "Place",
      attributes: [Attribute(name: "sales", type: .int64, isOptional: true)],
      rangeIndexes: [["sales", "size"]]
    ),
  ])

  @Test func `the plan uses the r-tree that bounds most`() async throws {
    try await SpecialFixture.run(Self.schema) { store in
      func uses(_ predicate: String, _ entity: String = "Place") throws -> [String] {
        try store.explain(entity, predicate)["uses"]?.array?.compactMap(\.string) ?? []
      }
      let both = try uses("lat > 1 AND lat < 2 AND lon BETWEEN {3, 4}")
      #expect(both.contains("g_Place_0"))
      #expect(try uses("size == 5 AND price <= 3").contains("g_Place_1"))
      #expect(try uses("sales > 1 AND size < 3", "Shop").contains("g_Shop_0"))
      #expect(try uses("lat > 1").contains("g_Place_0"))
      // A single bound is served better by an index of its own.
      #expect(try uses("opened > now()").contains("g_Place_1") == false)
      #expect(try uses("lat > 1 OR lon > 2").isEmpty)
      #expect(try uses("lat > lon").isEmpty)
    }
  }

  @Test func `the r-tree finds what a look at every row finds`() async throws {
    var random = ValueGenerator(seed: 3)
    let numbers: [Double] = [
      0, -0.0, 1, -1, 0.1, 1.0 / 3, 16_777_217, -16_777_217, 1e30, -1e30, 3.5e38, -3.5e38, 1e300,
      .infinity, -.infinity, .nan, 4e-45, .leastNonzeroMagnitude,
    ]
    let wholes: [Int64] = [0, 1, -1, 16_777_217, 1 << 53 + 1, .max, .min, 1_000_000_007]
    func double() -> Double {
      random.int(0...1) == 0 ? random.pick(numbers) : Double(random.int(-50...50)) / 7
    }
    func whole() -> Int64 {
      random.int(0...1) == 0 ? random.pick(wholes) : Int64(random.int(-20...20))
    }
    func decimal() -> Decimal {
      Decimal(string: "\(random.int(-99...99)).\(random.int(0...99))99999999999999999999")
        ?? 0
    }
    func date() -> Date { Date(timeIntervalSinceReferenceDate: double()) }
    func row() -> [Value] {
      [
        .double(double()), .double(double()), .int64(whole()), .decimal(decimal()), .date(date()),
      ].map { random.int(0...9) == 0 ? .null : $0 }
    }
    let columns = ["lat", "lon", "size", "price", "opened"]
    try await SpecialFixture.run(Self.schema) { store in
      func check(_ count: Int) throws {
        var found = 0
        let plain = try Connection(path: store.path, access: .reader)
        try TextFunctions.register(on: plain)
        let layout = try store.catalog.layout(of: "Place")
        for _ in 0..<count {
          var parts: [QueryExpression] = []
          for column in random.int(0...1) == 0 ? ["lat", "lon"] : ["size", "price", "opened"] {
            func value() -> QueryExpression {
              switch column {
              case "size": .value(random.int(0...3) == 0 ? .double(double()) : .int64(whole()))
              case "price": .value(.decimal(decimal()))
              case "opened": .value(.date(date()))
              default: .value(.double(double()))
              }
            }
            switch random.int(0...3) {
            case 0: parts.append(.between(.attribute(column), value(), value()))
            case 1:
              parts.append(
                .comparison(
                  random.pick(QueryExpression.Comparison.allCases),
                  value(),
                  .attribute(column)
                )
              )
            default:
              parts.append(
                .comparison(
                  random.pick(QueryExpression.Comparison.allCases),
                  .attribute(column),
                  value()
                )
              )
            }
          }
          let predicate = QueryExpression.and(parts)
          // Inside a double negation nothing is served by an r-tree.
          let other = QueryExpression.not(.not(predicate))
          var results: [[Int64]] = []
          for expression in [predicate, other] {
            let compiled = try PredicateSQL.compile(expression, for: layout, in: store.catalog)
            var identifiers: [Int64] = []
            try plain.statement(
              "SELECT t0.id FROM \(compiled.source) WHERE \(compiled.sql) ORDER BY t0.id"
            ).run(compiled.parameters) { identifiers.append($0.integer(0)) }
            results.append(identifiers)
          }
          #expect(results[0] == results[1], "\(predicate)")
          found += results[0].count
        }
        #expect(found > count)
      }
      try await store.writer.write(
        .insert(
          InsertRequest(
            entity: "Place",
            columns: columns,
            rows: RowBatch((0..<200).map { _ in row() })
          )
        )
      )
      try check(300)
      for identifier in 1...100 {
        let place = random.int(0...4)
        let request = UpdateRequest(
          entity: "Place",
          rows: .identifiers([Int64(identifier)]),
          columns: [columns[place]],
          values: RowBatch([[row()[place]]])
        )
        try await store.writer.write(.update(request))
      }
      try await store.write("delete", "{\"entity\":\"Place\",\"ids\":[1,5,9,120]}")
      try check(300)
    }
  }

  @Test func `an r-tree that is added holds the rows that exist`() async throws {
    let schema = Schema(entities: [
      Entity(
        name: "Place",
        attributes: ["lat", "lon"].map { Attribute(name: $0, type: .double, isOptional: true) }
      )
    ])
    try await SpecialFixture.run(schema) { store in
      try await store.write(
        "insert",
        "{\"entity\":\"Place\",\"columns\":[\"lat\",\"lon\"],\"rows\":[[1,2],[3,4],[null,null]]}"
      )
      var next = schema
      next.entities[0].rangeIndexes = [["lat", "lon"]]
      try await store.define(next)
      #expect(try store.find("Place", "lat >= 1 AND lon <= 3") == [1])
      #expect(try store.explain("Place", "lat >= 1 AND lon <= 3")["uses"]?.array?.isEmpty == false)
      #expect(try rows("SELECT count(*) FROM \"g_Place_0\"", in: store.path) == [[.integer(2)]])
    }
  }
}
