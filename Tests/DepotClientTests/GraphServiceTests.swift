import DepotClient
import DepotProtocol
import FoundationEssentials
import Testing

@Suite(.timeLimit(.minutes(1))) struct GraphServiceTests {
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
}
