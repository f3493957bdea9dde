import DepotClient
import DepotProtocol
import FoundationEssentials
import FoundationInternationalization
import Synchronization
import Testing

@Suite struct QueriesTests {
  /// A service that always answers with the same rows and result.
  private static func service(_ rows: String, _ result: String) throws -> FakeService {
    try FakeService { _, id, _ in
      [#"{"id":\#(id),"next":\#(rows)}"#, #"{"id":\#(id),"ok":\#(result)}"#]
    }
  }

  @Test func `groups are typed rows`() async throws {
    let rows = #"[["net",2,30,[1],15.0,null],[null,1,7,[2],7.0,"x"]]"#
    let service = try Self.service(rows, #"{"rows":2}"#)
    let blocking = try BlockingConnection(socket: service.socket)
    let groups = try blocking.aggregate(
      Package.self,
      by: \.section,
      values: .count,
      .sum(\.size),
      .init(.mode, of: #Expression<Package, Int> { $0.size }) as Aggregate<Package, [Int]>,
      .average(\.size),
      .max(\.section)
    )
    #expect(groups.map(\.keys) == ["net", nil])
    #expect(groups.map(\.values.0) == [2, 1])
    #expect(groups.map(\.values.1) == [30, 7])
    #expect(groups.map(\.values.2) == [[1], [2]])
    #expect(groups.map(\.values.3) == [15, 7])
    #expect(groups.map(\.values.4) == [nil, "x"])
  }

  @Test func `all records can be one group`() async throws {
    let service = try Self.service("[[5]]", #"{"rows":1}"#)
    let client = try await Client(socket: service.socket)
    #expect(try await client.aggregate(Package.self, values: .count).map(\.values) == [5])
  }

  @Test func `groups are described by their columns`() throws {
    let request = try AggregateRequest(
      Country.self,
      where: #Predicate { $0.isIsland },
      by: \.leader?.name,
      \.status,
      values: .count,
      .sum(\.people),
      having: .comparison(.greater, .attribute("value0"), .value(.int64(2))),
      sortBy: [.value(1, .reverse), .key(0)],
      limit: 3
    )
    #expect(
      request.keys == [
        AggregateRequest.Column(name: "key0", expression: .attribute("leader.name")),
        AggregateRequest.Column(name: "key1", expression: .attribute("status")),
      ]
    )
    #expect(
      request.values == [
        AggregateRequest.Value(name: "value0", .count),
        AggregateRequest.Value(name: "value1", .sum, of: .attribute("population")),
      ]
    )
    #expect(request.sort == [SortKey("value1", descending: true), SortKey("key0")])
    #expect(request.limit == 3)
    #expect(request.predicate != nil)
    #expect(request.having != nil)
  }

  @Test func `different values are typed rows`() async throws {
    let service = try Self.service(#"[["net",1],[null,2]]"#, #"{"rows":2}"#)
    let blocking = try BlockingConnection(socket: service.socket)
    let pairs = try blocking.distinct(Package.self, \.section, \.size)
    #expect(pairs.map(\.0) == ["net", nil])
    #expect(pairs.map(\.1) == [1, 2])
  }

  @Test func `records come in sections`() async throws {
    let rows = #"[[1,1,"a",3],[2,1,"b",3],[3,1,"c",4]]"#
    let service = try Self.service(rows, #"{"rows":3,"sections":[[3,2],[4,1]]}"#)
    let blocking = try BlockingConnection(socket: service.socket)
    let sections = try blocking.sections(Person.self, by: \.age)
    #expect(sections.map(\.key) == [3, 4])
    #expect(sections.map { $0.records.map(\.name) } == [["a", "b"], ["c"]])
    let client = try await Client(socket: service.socket)
    let same = try await client.sections(Person.self, by: \.age)
    #expect(same.map { $0.records.map(\.name) } == [["a", "b"], ["c"]])
  }

  @Test func `sections that don't fit the records are an error`() throws {
    let service = try Self.service(#"[[1,1,"a",3]]"#, #"{"rows":1,"sections":[[3,2]]}"#)
    let blocking = try BlockingConnection(socket: service.socket)
    #expect(throws: DepotError.self) { try blocking.sections(Person.self, by: \.age) }
  }

  @Test func `a page says where the next one begins`() async throws {
    let service = try Self.service(
      #"[[7,1,"Oslo",1,7,null,"x"],[9,1,"Viken",2,7,null,null]]"#,
      #"{"rows":2}"#
    )
    let blocking = try BlockingConnection(socket: service.socket)
    let sort = [SortDescriptor(\Province.country?.name), SortDescriptor(\Province.rank)]
    let page = try blocking.page(Province.self, sortBy: sort, size: 2)
    #expect(page.records.map(\.name) == ["Oslo", "Viken"])
    #expect(page.next != nil)
    let last = try await Client(socket: service.socket).page(Province.self, sortBy: sort, size: 3)
    #expect(last.records.count == 2)
    #expect(last.next == nil)
  }

  @Test func `a question for existence has an answer`() async throws {
    let service = try FakeService { name, id, _ in [#"{"id":\#(id),"ok":{"exists":true}}"#] }
    let blocking = try BlockingConnection(socket: service.socket)
    #expect(try blocking.exists(Package.self, where: #Predicate { $0.size > 1 }))
    let client = try await Client(socket: service.socket)
    #expect(try await client.exists(Package.self))
  }
}
