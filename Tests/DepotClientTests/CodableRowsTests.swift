import DepotProtocol
import FoundationEssentials
import Testing

@testable import DepotClient
@testable import DepotClientCore

@Suite struct CodableRowsTests {
  enum Priority: String, Codable { case required, optional }

  struct Row: Codable, Equatable {
    enum CodingKeys: String, CodingKey {
      case id = "$id"
      case name, size, ratio, isHeld, priority, built, key, blob, price, home
    }

    var id: Int64?
    var name = "vim"
    var size: Int32?
    var ratio = 0.5
    var isHeld = true
    var priority = Priority.optional
    var built = Date(timeIntervalSinceReferenceDate: 3.5)
    var key = UUID()
    var blob = Data([0, 255])
    var price = Decimal(12345) / 100
    var home = URL(string: "https://example.org/a")
  }

  @Test func `every type of value reads back as it was encoded`() throws {
    let rows = [Row(id: 1), Row(id: 2, size: 7)]
    let request = try InsertRequest(encoding: rows, into: "Package", onConflict: .error)
    #expect(!request.columns.contains("$id"))
    var decoding = RowsDecoding<Row>()
    decoding.begin(["$id", "$version"] + request.columns)
    try request.rows.withIdentity { try decoding.append(&$0) }
    #expect(decoding.contents == rows)
  }

  @Test func `a column that only some rows encode is null in the others`() throws {
    struct Sparse: Encodable {
      var a: Int?
      var b: Int?
    }
    let rows = [Sparse(a: 1), Sparse(b: 2)]
    let request = try InsertRequest(encoding: rows, into: "Package", onConflict: .error)
    #expect(request.columns == ["a", "b"])
    #expect(request.rows == RowBatch([[.int64(1), .null], [.null, .int64(2)]]))
  }

  struct Address: Codable, Equatable {
    var city = "Oslo"
    var zip: Int?
    var seen = Date(timeIntervalSinceReferenceDate: 1.5)
  }

  enum Event: Codable, Equatable {
    case none
    case met(String, at: Int)
  }

  struct Nested: Codable, Equatable {
    var home = Address()
    var office: Address?
    var tags = ["a", "b"]
    var dates: Set<Date> = [Date(timeIntervalSinceReferenceDate: 0.25)]
    var priorities = [Priority.required]
    var counts = ["x": 1]
    var addresses = [Address(), Address(city: "Bergen", zip: 5)]
    var event = Event.met("x", at: 3)
    var friend: Identifier<Person>?
    var big: UInt64 = .max
    var small: Int8 = -128
  }

  @Test func `composites, lists, and JSON read back as they were encoded`() throws {
    let rows = [Nested(), Nested(office: Address(zip: 9), event: .none, friend: Identifier(4))]
    let request = try InsertRequest(encoding: rows, into: "Package", onConflict: .error)
    #expect(
      Set(request.columns) == [
        "home.city", "home.seen", "office", "office.city", "office.zip", "office.seen",
        "tags", "dates", "priorities", "counts", "addresses", "event", "friend", "big", "small",
      ]
    )
    var decoding = RowsDecoding<Nested>()
    decoding.begin(["$id", "$version"] + request.columns)
    try request.rows.withIdentity { try decoding.append(&$0) }
    #expect(decoding.contents == rows)
  }

  @Test func `an optional composite that a row lacks isn't there`() throws {
    let rows = [Nested(), Nested(office: Address())]
    let request = try InsertRequest(encoding: rows, into: "Package", onConflict: .error)
    let presence = try #require(request.columns.firstIndex(of: "office"))
    var values: [String] = []
    try request.rows.withIdentity { row in
      var fields: [String] = []
      while !row.isAtEndOfRow() { fields.append(String(decoding: try row.text(), as: UTF8.self)) }
      values.append(fields[presence])
    }
    #expect(values == ["false", "true"])
  }

  @Test func `a row without keys is refused`() {
    #expect(throws: DepotError.self) {
      try InsertRequest(encoding: [["a"]], into: "Package", onConflict: .error)
    }
  }

  @Test func `a value of another type is refused by name`() {
    struct Wrong: Decodable {
      var name: Int
    }
    var decoding = RowsDecoding<Wrong>()
    decoding.begin(["$id", "$version", "name"])
    let error = #expect(throws: DepotError.self) {
      try Array(#"[[1,1,"x"]]"#.utf8).withRows(at: 0, RowReading()) { try decoding.append(&$0) }
    }
    #expect(error?.message.contains("\"name\" isn't a Int") == true)
  }
}
