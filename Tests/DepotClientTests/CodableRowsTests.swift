import DepotProtocol
import FoundationEssentials
import Testing

@testable import DepotClient

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

  @Test func `a value with parts is refused by name`() {
    struct Nested: Encodable {
      var tags = ["a"]
    }
    struct Deep: Encodable {
      var inner = Row()
    }
    let list = #expect(throws: DepotError.self) {
      try InsertRequest(encoding: [Nested()], into: "Package", onConflict: .error)
    }
    #expect(list?.message.contains("\"tags\" has parts") == true)
    let object = #expect(throws: DepotError.self) {
      try InsertRequest(encoding: [Deep()], into: "Package", onConflict: .error)
    }
    #expect(object?.message.contains("\"inner\" has parts") == true)
  }

  @Test func `a value of another type is refused by name`() {
    struct Wrong: Decodable {
      var name: Int
    }
    var decoding = RowsDecoding<Wrong>()
    decoding.begin(["$id", "$version", "name"])
    let error = #expect(throws: DepotError.self) {
      try Array(#"[[1,1,"x"]]"#.utf8).withRows(at: 0) { try decoding.append(&$0) }
    }
    #expect(error?.message.contains("\"name\" isn't a Int") == true)
  }
}
