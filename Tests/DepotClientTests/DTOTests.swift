import DepotClient
import DepotProtocol
import FoundationEssentials
import FoundationInternationalization
import Testing

@DTO("Mountain") struct MountainRow: Hashable, Sendable {
  var id: Identifier<MountainRow>?
  var rowVersion: Int64 = 0
  @Column(isUnique: true) var name: String
  @Column("metres") var height = 0
  var climbed: Date?
  @Column(inverse: \RangeRow.mountains) var range: Related<RangeRow>?

  var isHigh: Bool { height >= 2000 }
}

@DTO("Range") final class RangeRow: Sendable {
  let id: Identifier<RangeRow>?
  let name: String
  let mountains: [Related<MountainRow>]

  init(name: String) {
    id = nil
    self.name = name
    mountains = []
  }
}

/// The same entity, read in part, with the name of the type.
@DTO struct Mountain {
  var name: String
}

@DTO("Hut") private struct OldHut: Sendable {
  var name: String
}

@DTO("Hut") private struct Hut: Hashable, Sendable {
  var name: String
  var stars = 3
  var height: Double = -1.5
  var climate: Climate = .warm
  var status = Status.observer
  var tags: [String] = ["new"]
  var facts: [String: Int] = [:]
  var isOpen: Bool? = true
  var note: String? = nil
}

@Suite struct DTOTests {
  @Test func `the entities are those of the macro`() throws {
    #expect(MountainRow.entity == "Mountain")
    #expect(MountainRow.attributes.names == ["name", "metres", "climbed", "range"])
    #expect(Mountain.entity == "Mountain")
    let schema = try Schema(for: MountainRow.self)
    #expect(schema.entities.map(\.name).sorted() == ["Mountain", "Range"])
  }

  @Test func `rows that were there before an attribute have its property's initial value`()
    async throws
  {
    let service = try RealService()
    let client = try await service.client()
    try await client.define(try Schema(for: OldHut.self))
    _ = try await client.insert([OldHut(name: "a")])
    try await client.define(try Schema(for: Hut.self))
    #expect(try await client.fetch(Hut.self) == [Hut(name: "a")])
  }

  @Test func `rows are stored and read through a structure and a class`() async throws {
    let service = try RealService()
    let client = try await service.client()
    try await client.define(try Schema(for: MountainRow.self))
    let range = try await client.insert([RangeRow(name: "Alps")])[0]
    let mountains = [
      MountainRow(name: "Säntis", height: 2502, climbed: .init(timeIntervalSince1970: 1)),
      MountainRow(name: "Rigi", height: 1798, range: Related(range)),
    ]
    let identifiers = try await client.insert(mountains)
    let found = try await client.fetch(
      MountainRow.self,
      where: #Predicate { $0.height > 2000 },
      sortBy: [SortDescriptor(\.name)]
    )
    #expect(found.map(\.name) == ["Säntis"])
    #expect(found.first?.id == identifiers[0])
    #expect(found.first?.rowVersion == 1)
    #expect(found.first?.climbed == mountains[0].climbed)
    #expect(found.first?.isHigh == true)
    let rigi = try await client.get(identifiers[1])
    #expect(rigi.range?.id == range)
    let alps = try await client.get(range)
    #expect(alps.name == "Alps")
    #expect(alps.mountains.map(\.id) == [identifiers[1]])
    let names = try await client.fetch(Mountain.self, sortBy: [SortDescriptor(\.name)])
    #expect(names.map(\.name) == ["Rigi", "Säntis"])
  }
}
