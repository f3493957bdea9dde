import DepotProtocol
import Testing

@testable import DepotClient
@testable import DepotClientCore

@Suite struct GraphRecordTests {
  private static let full: Country = {
    var country = Country(name: "Norway")
    country.status = .observer
    country.climate = .warm
    country.area = 0.1
    country.people = .max
    country.codes = ["NO", "NOR \u{0}"]
    country.zones = [1, -2]
    country.facts = ["fjords": 1190]
    country.capital = Place(city: "Oslo", zip: 150)
    country.resort = Place(city: "Geilo")
    country.isFree = false
    country.leader = Related(Identifier(9))
    country.provinces = [Related(Identifier(3)), Related(Identifier(4))]
    return country
  }()

  @Test func `every kind of property reads back as it was written`() throws {
    let countries = [Self.full, Country(name: "")]
    let request = InsertRequest(countries)
    #expect(request.columns == Country.attributes.names)
    #expect(request.columns.contains("resort"))
    #expect(request.columns.contains("resort.zip"))
    var read: [Country] = []
    try request.rows.withIdentity { read.append(try Country(from: &$0)) }
    for index in read.indices { read[index].id = nil }
    #expect(read == countries)
  }

  @Test(arguments: [#"["x"]"#, "7", "null"])
  func `what isn't a case or a list is an error`(value: String) throws {
    #expect(throws: DepotError.self) {
      try Array("[[1,1,\(value)]]".utf8).withRows(at: 0, RowReading()) { row in
        _ = try row.next(Status.self)
      }
    }
    #expect(throws: DepotError.self) {
      try Array("[[1,1,\(value)]]".utf8).withRows(at: 0, RowReading()) { row in
        _ = try row.next([Int].self)
      }
    }
  }

  @Test func `a narrow number that doesn't fit is an error`() throws {
    for text in ["300", "-1"] {
      #expect(throws: DepotError.self) {
        try Array("[[1,1,\(text)]]".utf8).withRows(at: 0, RowReading()) { row in
          _ = try row.next(UInt8.self)
        }
      }
    }
  }

  @Test func `composites and relationships are updated by their columns`() throws {
    let request = try UpdateRequest(
      RowSelection([Identifier<Country>(1)]),
      set: [
        .set(\Country.capital, to: Place(city: "Oslo", zip: 1)), .set(\Country.resort, to: nil),
        .set(\Country.capital.city, to: "Bergen"),
        .set(\Country.leader, to: Related(Identifier(2))),
        .set(\Country.provinces, to: [Related(Identifier(3))]),
      ]
    )
    #expect(
      request.columns == [
        "capital.city", "capital.zip", "resort", "resort.city", "resort.zip", "capital.city",
        "leader", "provinces",
      ]
    )
    #expect(
      String(decoding: request.values.json, as: UTF8.self)
        == #"[["Oslo",1,false,null,null,"Bergen",2,[3]]]"#
    )
  }

  @Test func `rows are added to a relationship and removed from it`() throws {
    let request = try UpdateRequest(
      RowSelection([Identifier<Country>(1)]),
      set: [
        .change(
          \Country.provinces,
          add: [Related(Identifier(3))],
          remove: [Related(Identifier(4))],
          at: 0
        )
      ]
    )
    #expect(
      String(decoding: request.values.json, as: UTF8.self)
        == #"[[{"add":[3],"at":0,"remove":[4]}]]"#
    )
  }

  @Test func `relationships to prefetch become paths`() throws {
    let request = try FetchRequest(
      Country.self,
      prefetch: [
        \.leader, \.provinces, \.provinces.every.country, \.provinces.every.country?.leader,
      ]
    )
    #expect(
      request.prefetch == ["leader", "provinces", "provinces.country", "provinces.country.leader"]
    )
  }
}
