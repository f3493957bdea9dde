import DepotClient
import DepotProtocol
import FoundationEssentials
import FoundationInternationalization
import Testing

@Suite struct GraphServiceTests {
  private let service: RealService
  private let client: Client

  init() async throws {
    service = try RealService()
    client = try await service.client()
    try await client.define(Schema(for: Country.self, President.self))
  }

  @Test func `the service has the schema that records describe`() async throws {
    #expect(
      try await client.schema().entities == Schema(for: Country.self, President.self).entities
    )
  }

  @Test func `a graph is saved at once and read back`() async throws {
    var norway = Country(name: "Norway")
    norway.people = .max
    norway.codes = ["NO", "NOR"]
    norway.zones = [2, 1]
    norway.facts = ["fjords": 1190]
    norway.capital = Place(city: "Oslo", zip: 150)
    norway.resort = Place(city: "Geilo")
    norway.climate = .warm
    var save = Save()
    norway.leader = Related(save.insert(Person(name: "Jonas")))
    let temporary = save.insert(norway)
    let oslo = save.insert(Province(name: "Oslo", country: Related(temporary)))
    let result = try await client.save(save)
    #expect(result.inserted == 3)
    #expect(!result[temporary].isTemporary)
    let province = try await client.get(result[oslo])
    #expect(province.country?.id == result[temporary])
    let read = try await client.get(result[temporary])
    #expect(read.provinces.map(\.id) == [result[oslo]])
    norway.id = read.id
    norway.leader = read.leader
    norway.provinces = read.provinces
    #expect(read == norway)
  }

  @Test func `relationships are queried, prefetched, grouped, and paged`() async throws {
    var save = Save()
    var norway = Country(name: "Norway")
    norway.leader = Related(save.insert(Person(name: "Jonas")))
    let temporary = save.insert(norway)
    for (name, rank) in [("Oslo", 3), ("Viken", 1), ("Agder", 2)] {
      var province = Province(name: name, country: Related(temporary))
      province.rank = Int8(rank)
      save.insert(province)
    }
    save.insert(Country(name: "Iceland"))
    try await client.save(save)

    let query = #Predicate<Country> { $0.provinces.filter { ($0.rank ?? 0) > 1 }.count == 2 }
    #expect(try await client.fetch(Country.self, where: query).map(\.name) == ["Norway"])
    #expect(
      try await client.exists(Province.self, where: #Predicate { $0.country?.name == "Norway" })
    )
    let provinces = try await client.fetch(
      Province.self,
      sortBy: [SortDescriptor(\.country?.leader?.name), SortDescriptor(\.rank)],
      prefetch: [\.country, \.country?.leader, \.country?.provinces]
    )
    #expect(provinces.map(\.name) == ["Viken", "Agder", "Oslo"])
    #expect(provinces.map { $0.country?.leader?.name } == ["Jonas", "Jonas", "Jonas"])
    #expect(provinces[0].country?.provinces?.count == 3)
    #expect(provinces[0].country?.provinces?.first?.name == "Oslo")
    let groups = try await client.aggregate(
      Province.self,
      by: \.country?.name,
      values: .count,
      .max(\.rank)
    )
    #expect(groups.map(\.keys) == ["Norway"])
    #expect(groups.map(\.values.0) == [3])
    #expect(groups.map(\.values.1) == [3])
    let sections = try await client.sections(Province.self, by: \.rank)
    #expect(sections.map(\.key) == [1, 2, 3])
    #expect(try await client.distinct(Province.self, \.country).count == 1)
    let sort = [SortDescriptor(\Province.country?.name), SortDescriptor(\Province.rank)]
    let page = try await client.page(Province.self, sortBy: sort, size: 2)
    #expect(page.records.map(\.name) == ["Viken", "Agder"])
    let rest = try await client.page(Province.self, sortBy: sort, size: 2, after: page.next)
    #expect(rest.records.map(\.name) == ["Oslo"])
    #expect(rest.next == nil)
  }

  @Test(arguments: GraphLoweringTests.all)
  func `the service takes what a predicate becomes`(
    predicate: Predicate<Country>,
    expected: QueryExpression
  ) async throws {
    _ = try await client.count(Country.self, where: predicate)
  }
}
