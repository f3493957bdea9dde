import DepotEngine
import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@Suite struct PrefetchTests {
  private let travel: TravelFixture

  init() throws {
    travel = try TravelFixture()
  }

  private func related(_ request: FetchRequest) throws -> [JSONValue] {
    try #require(try travel.frames(.fetch(request)).first?["related"]?.array)
  }

  @Test func `rows of a to-one relationship come once`() throws {
    let request = FetchRequest(entity: "Subdivision", prefetch: ["country"])
    let related = try related(request)
    #expect(related.count == 1)
    #expect(related[0]["path"]?.string == "country")
    #expect(related[0]["entity"]?.string == "Country")
    #expect(
      related[0]["columns"]?.array?.prefix(3).map(\.string) == ["$id", "$version", "name"]
    )
    #expect(related[0]["rows"]?.array?.compactMap { $0.array?[2].string } == ["France", "Italy"])
    #expect(related[0]["links"] == nil)
  }

  @Test func `a to-one relationship that isn't selected has links`() throws {
    let request = FetchRequest(entity: "City", select: ["name"], prefetch: ["capitalOf"])
    #expect(try related(request)[0]["links"] == links([(1, [1]), (2, [2])]))
  }

  @Test func `to-many relationships have links in their order`() throws {
    let request = FetchRequest(entity: "Country", prefetch: ["subdivisions", "tags", "capital"])
    let related = try related(request)
    #expect(related.map { $0["path"]?.string } == ["subdivisions", "tags", "capital"])
    #expect(related[0]["links"] == links([(1, [2, 3, 1]), (2, [4])]))
    #expect(related[0]["rows"]?.array?.count == 4)
    #expect(related[1]["links"] == links([(1, [2, 1]), (2, [2]), (3, [3, 1])]))
    #expect(related[1]["rows"]?.array?.count == 3)
    #expect(related[2]["rows"]?.array?.compactMap { $0.array?[2].string } == ["Paris", "Rome"])
  }

  @Test func `paths are followed level by level`() throws {
    let request = FetchRequest(
      entity: "Tag",
      predicate: .comparison(.equal, .attribute("name"), .value(.string("wine"))),
      prefetch: ["countries.trips", "countries.capital"]
    )
    let related = try related(request)
    #expect(
      related.map { $0["path"]?.string } == ["countries", "countries.trips", "countries.capital"]
    )
    #expect(related[0]["links"] == links([(2, [1, 2])]))
    #expect(related[1]["links"] == links([(1, [1]), (2, [2])]))
    #expect(
      related[1]["rows"]?.array?.compactMap { $0.array?[2].string }
        == ["BusinessTrip", "PersonalTrip"]
    )
    #expect(related[2]["rows"]?.array?.count == 2)
  }

  @Test func `get brings related rows too`() throws {
    let request = GetRequest(
      entity: "Country",
      identifiers: [2, 9, 1, 2],
      prefetch: ["subdivisions", "capital"],
      allowsMissing: true
    )
    let ok = try #require(try travel.frames(.get(request))[0]["ok"])
    #expect(ok["rows"]?.array?.count == 3)
    #expect(ok["missing"]?.array == [.int64(9)])
    let related = try #require(ok["related"]?.array)
    #expect(related[0]["links"] == links([(2, [4]), (1, [2, 3, 1])]))
    #expect(related[1]["rows"]?.array?.compactMap { $0.array?[2].string } == ["Rome", "Paris"])
  }

  @Test func `each frame brings what belongs to its rows`() async throws {
    let request = FetchRequest(entity: "Subdivision", prefetch: ["country"], batch: 3)
    let delivered = try await travel.delivered(.fetch(request))
    let frames = delivered.frames
    #expect(frames.count == 3)
    let countries = frames.prefix(2).map { frame in
      frame["related"]?.array?.first?["rows"]?.array?.compactMap { $0.array?[2].string }
    }
    #expect(countries == [["France"], ["Italy"]])
    #expect(frames.last?["ok"]?["rows"]?.int64 == 4)
  }

  @Test func `a frame is divided when too many rows belong to it`() async throws {
    let text = Value.string(String(repeating: "x", count: 300_000))
    for identifier in 10..<22 as Range<Int64> {
      try travel.store.insert("Country", identifier, ["name": .string("c\(identifier)")])
      try travel.store.insert(
        "Subdivision",
        identifier,
        ["name": text, "country": .int64(identifier), "o_country": .int64(0)]
      )
    }
    let request = FetchRequest(entity: "Country", select: ["name"], prefetch: ["subdivisions"])
    let delivered = try await travel.delivered(.fetch(request))
    #expect(delivered.rows.compactMap { $0.array?[0].int64 } == [1, 2, 3] + Array(10..<22))
    #expect(delivered.nextFrameCount > 3)
    #expect(delivered.largest < 2 << 20)
    #expect(delivered.frames.last?["ok"]?["rows"]?.int64 == 15)
    for frame in delivered.frames.dropLast() {
      let links = frame["related"]?.array?.first?["links"]?.array ?? []
      let sources = frame["next"]?.array?.compactMap { $0.array?[0].int64 } ?? []
      #expect(links.compactMap { $0.array?[0].int64 } == sources.filter { $0 != 3 })
    }
  }

  @Test func `related rows are of the snapshot that the rows are of`() async throws {
    let request = FetchRequest(entity: "Subdivision", prefetch: ["country"], batch: 3)
    let delivered = Delivered()
    let pool = ReaderPool(path: travel.store.path)
    let read = delivered.read(.fetch(request), travel.store.catalog, allowance: 1)
    pool.start(read)
    await delivered.waitForDelivery()
    try travel.store.writer.execute("DELETE FROM e_Country")
    read.grant(1)
    await delivered.waitForEnd()
    let related = delivered.frames[1]["related"]?.array?.first
    #expect(related?["rows"]?.array?.compactMap { $0.array?[2].string } == ["Italy"])
    // The next read on the same connection sees what was committed.
    let count = Delivered()
    pool.start(count.read(.count(CountRequest(entity: "Country")), travel.store.catalog))
    await count.waitForEnd()
    #expect(count.frames.last?["ok"]?["count"]?.int64 == 0)
    await pool.close()
  }

  @Test func `a quick read with related rows leaves no snapshot open`() throws {
    _ = try related(FetchRequest(entity: "Subdivision", prefetch: ["country"]))
    try travel.store.writer.execute("DELETE FROM e_Country")
    var busy: Int64 = 1
    try travel.store.writer.statement("PRAGMA wal_checkpoint(TRUNCATE)").run {
      busy = $0.integer(0)
    }
    #expect(busy == 0)
  }

  @Test(arguments: [
    ("contry", DepotError.Code.unknownAttribute), ("name", .usage), ("country.name", .usage),
    ("country.", .unknownAttribute),
  ])
  func `a path that isn't one of relationships is named`(
    path: String,
    code: DepotError.Code
  ) throws {
    let error = #expect(throws: DepotError.self) {
      try related(FetchRequest(entity: "Subdivision", prefetch: ["country", path]))
    }
    #expect(error?.code == code)
    #expect(error?.at == "/args/prefetch/1")
  }

  private func links(_ list: [(Int64, [Int64])]) -> JSONValue {
    .array(
      list.map { .array([.int64($0), .array($1.map(JSONValue.int64))]) }
    )
  }
}
