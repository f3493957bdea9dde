import DepotProtocol
import DepotSQLite
import Foundation
import TestSupport
import Testing

@testable import DepotEngine

@Suite struct OrderTests {
  private let travel: TravelFixture

  init() throws {
    travel = try TravelFixture()
  }

  @Test func `null is first ascending and last descending`() throws {
    var request = FetchRequest(entity: "Country", sort: [SortKey("founded"), SortKey("area")])
    #expect(try travel.identifiers(request) == [3, 1, 2])
    request.sort = [SortKey("founded", descending: true), SortKey("area")]
    #expect(try travel.identifiers(request) == [2, 3, 1])
  }

  @Test func `rows are sorted by what relationships lead to`() throws {
    let request = FetchRequest(
      entity: "Subdivision",
      sort: [SortKey("country.capital.name", descending: true), SortKey("name")]
    )
    #expect(try travel.identifiers(request) == [4, 2, 1, 3])
    let trips = FetchRequest(
      entity: "Trip",
      sort: [SortKey("home.zip"), SortKey("$id", descending: true)]
    )
    #expect(try travel.identifiers(trips) == [3, 2, 1])
  }

  @Test func `rows are sorted by how many others they lead to`() throws {
    let count = SortKey(.aggregate(.count, .attribute("subdivisions")), descending: true)
    #expect(try travel.identifiers(FetchRequest(entity: "Country", sort: [count])) == [1, 2, 3])
    let request = FetchRequest(
      entity: "Country",
      sort: [count],
      after: [.int64(1), .int64(2)]
    )
    #expect(try travel.identifiers(request) == [3])
  }

  @Test func `localized text sorts as people expect it`() throws {
    let names = ["b10", "B9", "É", "e", "ｅ", "E", "b9", "é", "a"]
    for (index, name) in names.enumerated() {
      try travel.store.insert("Tag", Int64(index + 10), ["name": .string(name)])
    }
    var request = FetchRequest(
      entity: "Tag",
      predicate: .comparison(.greaterOrEqual, .attribute("$id"), .value(.int64(10))),
      sort: [SortKey("name", localized: true)],
      select: ["name"]
    )
    let sorted = ["a", "B9", "b9", "b10", "E", "e", "É", "é", "ｅ"]
    #expect(try travel.rows(request).map { $0[2].string } == sorted)
    request.sort[0].isDescending = true
    #expect(try travel.rows(request).map { $0[2].string } == sorted.reversed())
    request.after = [.string("b9"), .int64(16)]
    #expect(try travel.rows(request).map { $0[2].string } == ["B9", "a"])
  }

  @Test func `what has no order is named with its place`() throws {
    for path in ["subdivisions", "names", "nothing"] {
      let error = #expect(throws: DepotError.self) {
        try travel.identifiers(
          FetchRequest(entity: "Country", sort: [SortKey("name"), SortKey(path)])
        )
      }
      #expect(error?.at == "/args/sort/1")
    }
    let error = #expect(throws: DepotError.self) {
      try travel.identifiers(
        FetchRequest(entity: "Country", sort: [SortKey("area", localized: true)])
      )
    }
    #expect(error?.at == "/args/sort/0")
  }

  @Test func `values to go on after must fit the keys`() throws {
    let sort = [SortKey("founded"), SortKey("name")]
    for (after, pointer) in [
      ([.null, .string("x")], "/args/after"), ([.null, .int64(3), .int64(1)], "/args/after/1"),
      ([.string("today"), .string("x"), .int64(1)], "/args/after/0"),
      ([.null, .string("x"), .null], "/args/after/2"),
    ] as [([Value], String)] {
      let error = #expect(throws: DepotError.self) {
        try travel.identifiers(FetchRequest(entity: "Country", sort: sort, after: after))
      }
      #expect(error?.at == pointer)
    }
  }

  @Test(arguments: seeds(60))
  func `pages follow upon each other in every order`(seed: UInt64) throws {
    var generator = ValueGenerator(seed: seed)
    let fixture = try ReaderFixture(Schema(entities: [ScalarEntity.entity]))
    try fixture.insert(
      (0..<40).map { _ in
        AttributeType.scalars.map { generator.chance(1, in: 5) ? .null : generator.value($0) }
      },
      into: "Thing"
    )
    let reader = try QuickReader(path: fixture.path, budget: 10_000_000_000)
    let types = AttributeType.scalars.shuffled(using: &generator).prefix(Int(seed % 4))
    var sort = types.map {
      SortKey($0.rawValue, descending: Bool.random(using: &generator))
    }
    if seed.isMultiple(of: 5) { sort.append(SortKey("$id", descending: true)) }
    func page(after: [Value]?, limit: Int?) throws -> [[JSONValue]] {
      let request = FetchRequest(entity: "Thing", sort: sort, limit: limit, after: after)
      let frames = try #require(try fixture.quick(.fetch(request), reader))
      return frames.flatMap { $0["next"]?.array ?? [] }.map { $0.array ?? [] }
    }
    let all = try page(after: nil, limit: nil).compactMap { $0[0].int64 }
    #expect(all.count == 40)
    var rows: [Int64] = []
    var after: [Value]?
    while true {
      let next = try page(after: after, limit: 7)
      guard let last = next.last?[0].int64 else { break }
      rows += next.compactMap { $0[0].int64 }
      let keys = try types.map { try value($0, ofRow: last, in: fixture) }
      after = keys + (seed.isMultiple(of: 5) ? [.int64(last)] : []) + [.int64(last)]
    }
    #expect(rows == all, "\(sort)")
  }

  /// Reads a value back as it was stored.
  private func value(
    _ type: AttributeType,
    ofRow identifier: Int64,
    in fixture: ReaderFixture
  ) throws -> Value {
    var value = Value.null
    let statement = try fixture.writer.statement(
      "SELECT \"a_\(type.rawValue)\" FROM e_Thing WHERE id = ?"
    )
    try statement.run([.integer(identifier)]) { row in
      switch row.kind(0) {
      case .null: break
      case .integer: value = type == .bool ? .bool(row.integer(0) != 0) : .int64(row.integer(0))
      case .real:
        value =
          type == .date
          ? .date(Date(timeIntervalSinceReferenceDate: row.real(0))) : .double(row.real(0))
      case .text:
        value =
          type == .url ? URL(string: row.text(0)).map(Value.url) ?? .null : .string(row.text(0))
      case .blob:
        let bytes = row.blob(0)
        switch type {
        case .uuid: value = .uuid(bytes.withUnsafeBytes { $0.loadUnaligned(as: UUID.self) })
        case .decimal:
          value =
            bytes.withUnsafeBufferPointer { DecimalKey.decode($0) }.map(Value.decimal) ?? .null
        case .date: value = .date(Date(timeIntervalSinceReferenceDate: .nan))
        case .double: value = .double(.nan)
        default: value = .data(Data(bytes))
        }
      }
    }
    return value
  }

  @Test(arguments: [
    ([SortKey("area")], [Value.double(400), .int64(1)]),
    ([SortKey("area", descending: true)], [.double(400), .int64(1)]),
    ([SortKey("area"), SortKey("founded", descending: true)], [.double(4), .null, .int64(1)]),
    ([SortKey("area", descending: true), SortKey("founded")], [.null, .null, .int64(1)]),
    ([SortKey("name", descending: true)], [.string("x"), .int64(1)]),
  ])
  func `going on uses the index of the first key`(sort: [SortKey], after: [Value]) throws {
    let request = FetchRequest(entity: "Country", sort: sort, limit: 10, after: after)
    let plan = try #require(
      try travel.frames(.explain(ExplainRequest(request)))[0]["ok"]?["plan"]?.array?.compactMap(
        \.string
      )
    )
    #expect(plan.contains { $0.hasPrefix("SEARCH t0 USING INDEX") }, "\(plan)")
    #expect(
      !plan.contains { $0.hasPrefix("SCAN t0") || $0.hasSuffix("B-TREE FOR ORDER BY") },
      "\(plan)"
    )
  }

  @Test func `sections are counted while rows are streamed`() throws {
    var request = FetchRequest(entity: "Subdivision", select: ["name"], sectionBy: "country.name")
    var frames = try travel.frames(.fetch(request))
    #expect(
      frames[0]["next"]?.array?.compactMap { $0.array?[2].string }
        == ["Bretagne", "Alsace", "Corse", "Lazio"]
    )
    let sections = [[JSONValue.string("France"), .int64(3)], [.string("Italy"), .int64(1)]]
    #expect(frames.last?["ok"]?["sections"] == .array(sections.map(JSONValue.array)))
    request.sort = [SortKey("country.name", descending: true), SortKey("name")]
    request.limit = 2
    request.select = nil
    request.prefetch = ["country"]
    frames = try travel.frames(.fetch(request))
    let cut = [[JSONValue.string("Italy"), .int64(1)], [.string("France"), .int64(1)]]
    #expect(frames.last?["ok"]?["sections"] == .array(cut.map(JSONValue.array)))
    request.sort = [SortKey("name")]
    let error = #expect(throws: DepotError.self) { try travel.frames(.fetch(request)) }
    #expect(error?.at == "/args/sectionBy")
  }
}
