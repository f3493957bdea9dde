import DepotProtocol
import Testing

@testable import DepotClient
@testable import DepotClientCore

@Suite struct RelatedRowsTests {
  /// Two provinces of one country, whose leader is known and which leads back to both.
  private static let rows = #"[[1,1,"Oslo",1,7,null],[2,1,"Viken",2,7,9]]"#
  private static let related = #"""
    [{"path":"country","entity":"Country","columns":["$id","$version","leader","name","status",
      "climate","area","population","codes","zones","facts","capital.city","capital.zip","resort",
      "resort.city","resort.zip","island","free","new"],
      "rows":[[7,2,5,"Norway","observer","warm",1.5,"12",["NO"],[1],{"a":1},"Oslo",null,false,null,
      null,true,null,[1,{"x":"]"}]]]},
     {"path":"country.leader","entity":"Person","columns":["$id","$version","$entity","name","age"],
      "rows":[[5,3,"President","Jonas",64]]},
     {"path":"country.provinces","entity":"Province","columns":["$id","$version","name","rank",
      "country","founder"],"rows":[[1,1,"Oslo",1,7,null],[2,1,"Viken",2,7,9]],
      "links":[[7,[2,1]]]}]
    """#

  private static let request: FetchRequest = {
    var request = FetchRequest(entity: "Province", select: Province.attributes.names)
    request.prefetch = ["country", "country.leader", "country.provinces"]
    return request
  }()

  private static func provinces(_ frame: String) throws -> [Province] {
    let bytes = Array(frame.utf8)
    guard case .next(_, _, let offset) = try ServerFrame(bytes) else { return [] }
    var provinces: [Province] = []
    try bytes.withRows(at: offset, RowReading(.fetch(request))) { row in
      provinces.append(try Province(from: &row))
    }
    return provinces
  }

  @Test(
    arguments: [
      #"{"id":1,"next":\#(rows),"related":\#(related)}"#,
      #"{"id":1,"related":\#(related),"columns":["$id"],"next":\#(rows)}"#,
    ]
  )
  func `what a relationship leads to comes along`(frame: String) throws {
    let provinces = try Self.provinces(frame)
    #expect(provinces.map(\.name) == ["Oslo", "Viken"])
    let norway = try #require(provinces[0].country?.record)
    #expect(norway.id == Identifier(7))
    #expect(norway.status == .observer)
    #expect(norway.resort == nil)
    #expect(norway.capital == Place(city: "Oslo"))
    #expect(norway.isIsland)
    #expect(provinces[0].country?.leader?.record?.name == "Jonas")
    #expect(provinces[1].country?.name == "Norway")
    #expect(norway.provinces.map(\.id.value) == [2, 1])
    #expect(norway.provinces.map { $0.name ?? "" } == ["Viken", "Oslo"])
  }

  @Test func `only what was prefetched is there`() throws {
    let provinces = try Self.provinces(#"{"id":1,"next":\#(Self.rows),"related":\#(Self.related)}"#)
    let again = provinces[0].country?.provinces?.first?.country
    #expect(again?.id == Identifier(7))
    #expect(again?.record == nil)
    let plain = try Self.provinces(#"{"id":1,"next":\#(Self.rows)}"#)
    #expect(plain[0].country?.id == Identifier(7))
    #expect(plain[0].country?.record == nil)
  }

  @Test func `a row that two lead to is one record`() throws {
    var boxes: [ObjectIdentifier] = []
    let bytes = Array(#"{"related":\#(Self.related)}"#.utf8)
    let rows = RelatedRows(try RelatedBlock.all(in: bytes))
    for _ in 0..<2 {
      let box = try #require(try rows.record(at: "country", Identifier<Country>(7)))
      boxes.append(ObjectIdentifier(box))
    }
    #expect(Set(boxes).count == 1)
    #expect(try rows.record(at: "country", Identifier<Country>(8)) == nil)
    #expect(try rows.record(at: "founder", Identifier<Person>(9)) == nil)
  }

  @Test func `the rows can be read without records`() throws {
    let blocks = try RelatedBlock.all(in: Array(#"{"related":\#(Self.related)}"#.utf8))
    #expect(blocks.map(\.path) == ["country", "country.leader", "country.provinces"])
    #expect(blocks.map(\.entity) == ["Country", "Person", "Province"])
    var links: [Int64: [Int64]] = [:]
    try blocks[2].forEachLink { links[$0] = $1 }
    #expect(links == [7: [2, 1]])
    var ages: [Int] = []
    try blocks[1].forEachRow { row in
      _ = try row.next(String.self)
      _ = try row.next(String.self)
      ages.append(try row.next())
    }
    #expect(ages == [64])
  }

  @Test func `both clients read them`() async throws {
    let service = try FakeService { name, id, _ in
      [
        #"{"id":\#(id),"next":\#(Self.rows),"related":\#(Self.related)}"#,
        #"{"id":\#(id),"ok":{"rows":2}}"#,
      ]
    }
    let blocking = try BlockingConnection(socket: service.socket)
    let read = try blocking.fetch(Province.self, prefetch: [\.country, \.country?.leader])
    #expect(read.map { $0.country?.name } == ["Norway", "Norway"])
    let client = try await Client(socket: service.socket)
    let fetched = try await client.fetch(Province.self, prefetch: [\.country])
    #expect(fetched.map { $0.country?.name } == ["Norway", "Norway"])
    let unread = try await client.fetch(Province.self)
    #expect(unread.map { $0.country?.name } == [nil, nil])
  }

  @Test(arguments: [#"{"path":"country"}"#, #"[{"path":"country","columns":[1]}]"#, "[[]]", "[7]"])
  func `what isn't a list of blocks is an error`(related: String) {
    #expect(throws: DepotError.self) {
      try Self.provinces(#"{"id":1,"next":\#(Self.rows),"related":\#(related)}"#)
    }
  }
}
