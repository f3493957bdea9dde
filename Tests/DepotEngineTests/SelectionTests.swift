import DepotEngine
import DepotProtocol
import DepotSQLite
import Foundation
import Testing

@Suite struct SelectionTests {
  private let travel: TravelFixture

  init() throws {
    travel = try TravelFixture()
  }

  @Test func `rows of a hierarchy name their entity`() throws {
    let frames = try travel.frames(.fetch(FetchRequest(entity: "Trip")))
    #expect(
      frames[0]["columns"]?.array
        == [
          "$id", "$version", "$entity", "name", "price", "home", "home.city", "home.zip", "country",
        ]
        .map(JSONValue.string)
    )
    let rows = try travel.rows(FetchRequest(entity: "Trip"))
    #expect(rows.map { $0[2].string } == ["BusinessTrip", "PersonalTrip", "PersonalTrip"])
    #expect(
      rows[0][3...].map { $0 } == [
        .string("Fair"), .int64(900), .bool(true), .string("Bonn"), .int64(53111), .int64(1),
      ]
    )
  }

  @Test func `a get doesn't reach the rows of siblings`() throws {
    var request = GetRequest(entity: "PersonalTrip", identifiers: [1, 2, 3])
    request.allowsMissing = true
    let ok = try #require(try travel.frames(.get(request))[0]["ok"])
    #expect(ok["rows"]?.array?.compactMap { $0.array?.first } == [.int64(2), .int64(3)])
    #expect(ok["missing"] == .array([.int64(1)]))
    let all = GetRequest(entity: "Trip", identifiers: [1, 2], namesColumns: true)
    let both = try #require(try travel.frames(.get(all))[0]["ok"])
    #expect(both["columns"]?.array?[2] == .string("$entity"))
    #expect(
      both["rows"]?.array?.map { $0.array?[2] } == [
        .string("BusinessTrip"), .string("PersonalTrip"),
      ]
    )
  }

  @Test func `a get brings the columns of descendants as a fetch does`() throws {
    // Both are asked twice, since the plain plan is kept.
    for includes in [true, false, true] {
      let fetch = FetchRequest(entity: "Trip", includesSubentityColumns: includes)
      let get = GetRequest(
        entity: "Trip",
        identifiers: [1, 2, 3],
        includesSubentityColumns: includes
      )
      let frames = try travel.frames(.fetch(fetch))
      let ok = try #require(try travel.frames(.get(get))[0]["ok"])
      #expect(ok["columns"] == frames[0]["columns"])
      #expect(ok["rows"] == frames[0]["next"])
    }
  }

  @Test func `an entity's rows are its own and its descendants'`() throws {
    #expect(try travel.identifiers(FetchRequest(entity: "PersonalTrip")) == [2, 3])
    #expect(
      try travel.identifiers(FetchRequest(entity: "Trip", includesSubentities: false)) == []
    )
    let count = try travel.frames(.count(CountRequest(entity: "BusinessTrip")))
    #expect(count[0]["ok"]?["count"]?.int64 == 1)
    let none = CountRequest(entity: "Trip", includesSubentities: false)
    #expect(try travel.frames(.count(none))[0]["ok"]?["count"]?.int64 == 0)
    #expect(try travel.frames(.exists(none))[0]["ok"]?["exists"]?.bool == false)
    let some = CountRequest(
      entity: "Trip",
      predicate: .comparison(.equal, .attribute("country.name"), .value(.string("Italy")))
    )
    #expect(try travel.frames(.exists(some))[0]["ok"]?["exists"]?.bool == true)
  }

  @Test func `get finds rows of the entity and its descendants only`() throws {
    let request = GetRequest(entity: "PersonalTrip", identifiers: [1, 2], allowsMissing: true)
    let ok = try travel.frames(.get(request))[0]["ok"]
    #expect(ok?["rows"]?.array?.count == 1)
    #expect(ok?["missing"]?.array == [.int64(1)])
    let parent = GetRequest(
      entity: "Trip",
      identifiers: [2],
      select: ["$entity", "country.name", "country.tags", "name"]
    )
    let row = try travel.frames(.get(parent))[0]["ok"]?["rows"]?.array?.first?.array
    #expect(
      row?.map { $0 } == [
        .int64(2), .int64(1), .string("PersonalTrip"), .string("Italy"), .array([.int64(2)]),
        .string("Beach"),
      ]
    )
  }

  @Test func `the columns of descendants come along when asked for`() throws {
    var request = FetchRequest(entity: "Trip", includesSubentityColumns: true)
    let names = try travel.frames(.fetch(request))[0]["columns"]?.array?.compactMap(\.string)
    #expect(names?.suffix(3) == ["perDiem", "BusinessTrip.note", "PersonalTrip.note"])
    let rows = try travel.rows(request)
    #expect(rows[0].suffix(3) == [.string("30.5"), .string("receipts"), .null])
    #expect(rows[2].suffix(3) == [.null, .null, .string("boots")])
    request.select = ["PersonalTrip.note", "name"]
    #expect(try travel.rows(request)[2].suffix(2) == [.string("boots"), .string("Hike")])
    // With the entity a path is found whether or not others have it.
    request.select = ["BusinessTrip.perDiem", "perDiem"]
    let frame = try travel.frames(.fetch(request))[0]
    #expect(
      frame["columns"]?.array?.compactMap(\.string).suffix(2) == [
        "BusinessTrip.perDiem", "perDiem",
      ]
    )
    #expect(try travel.rows(request)[0].suffix(2) == [.string("30.5"), .string("30.5")])
    request.includesSubentityColumns = false
    #expect(throws: DepotError.self) { try travel.rows(request) }
  }

  @Test func `paths, composites, lists, and to-many relationships can be selected`() throws {
    let request = FetchRequest(
      entity: "Country",
      select: ["subdivisions", "tags", "names", "capital.name", "capital", "note", "trips"]
    )
    let rows = try travel.rows(request)
    let numbers = { (list: [Int64]) in JSONValue.array(list.map(JSONValue.int64)) }
    #expect(
      rows[0][2...].map { $0 } == [
        numbers([2, 3, 1]), numbers([2, 1]), .null, .string("Paris"), .int64(1), .string("new"),
        numbers([1]),
      ]
    )
    #expect(rows[1][4] == .array([.string("Italia"), .string("Italien")]))
    #expect(
      rows[2][2...].map { $0 } == [
        numbers([]), numbers([3, 1]), .null, .null, .null, .string("new"), numbers([]),
      ]
    )
    let trips = try travel.frames(.fetch(FetchRequest(entity: "BusinessTrip", select: ["home"])))
    #expect(
      trips[0]["columns"]?.array?.compactMap(\.string)
        == ["$id", "$version", "home", "home.city", "home.zip"]
    )
  }

  @Test func `identifiers are strings for clients that ask for it`() throws {
    let request = FetchRequest(entity: "Country", limit: 1, select: ["tags"], namesColumns: false)
    let answer = try #require(
      try travel.reader.answer(.fetch(request), travel.store.catalog, int64: .string)
    )
    let line = String(decoding: answer, as: UTF8.self).split(separator: "\n").first
    #expect(line == "{\"id\":1,\"next\":[[\"1\",\"1\",[\"2\",\"1\"]]]}")
  }

  @Test func `what can't be selected is named with its place`() throws {
    for (path, code) in [
      ("$id", DepotError.Code.usage), ("subdivisions.name", .usage),
      ("capital.nam", .unknownAttribute),
    ] {
      let error = #expect(throws: DepotError.self) {
        try travel.rows(FetchRequest(entity: "Country", select: ["name", path]))
      }
      #expect(error?.code == code)
      #expect(error?.at == "/args/select/1")
    }
  }

  @Test func `distinct rows have no identity and aren't repeated`() throws {
    let request = FetchRequest(
      entity: "Subdivision",
      sort: [SortKey("country.name", descending: true)],
      select: ["country.name"],
      isDistinct: true
    )
    let frames = try travel.frames(.fetch(request))
    #expect(frames[0]["columns"]?.array == [.string("country.name")])
    #expect(
      frames[0]["next"]?.array == [[.string("Italy")], [.string("France")]].map(JSONValue.array)
    )
    var wrong = request
    wrong.sort = [SortKey("name")]
    #expect(throws: DepotError.self) { try travel.rows(wrong) }
    wrong = request
    wrong.after = [.string("Italy"), .int64(1)]
    #expect(throws: DepotError.self) { try travel.rows(wrong) }
  }
}
