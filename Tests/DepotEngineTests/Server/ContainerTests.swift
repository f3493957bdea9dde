import DepotProtocol
import Testing

@testable import DepotServer

/// Which store of a container a call goes to.
@Suite struct ContainerTests {
  private let fixtures: [HostFixture]
  private let container: Container

  init() throws {
    fixtures = try ["A", "B"].map { name in
      let fixture = try HostFixture()
      let entity = Entity(name: name, attributes: [Attribute(name: "n", type: .int64)])
      fixture.add(.defineSchema(Schema(entities: [entity]), isDryRun: false), token: 1)
      fixture.host.submit()
      fixture.run { fixture.outcomes.count == 1 }
      return fixture
    }
    container = Container(name: "x", stores: [], hosts: fixtures.map(\.host), keeps: false)
    container.refresh()
  }

  private func deletion(_ entities: String...) -> Operation {
    .save(
      SaveRequest(
        deletes: entities.map { SaveRequest.Deletion(entity: $0, identifiers: [1]) }
      )
    )
  }

  @Test func `an entity leads to its store`() throws {
    for (index, name) in ["A", "B"].enumerated() {
      let host = try container.host(of: .count(CountRequest(entity: name)))
      #expect(host === fixtures[index].host)
      #expect(try container.host(of: deletion(name, name)) === host)
    }
    #expect(container.schema.entities.map(\.name) == ["A", "B"])
    #expect(container.fingerprint == container.schema.fingerprint)
  }

  @Test func `an entity of no store is unknown`() {
    let error = #expect(throws: DepotError.self) {
      try container.host(of: .count(CountRequest(entity: "C")))
    }
    #expect(error?.code == .unknownEntity)
    #expect(error?.at == "/args/entity")
  }

  @Test func `a save that needs two stores is refused, and says where`() {
    let error = #expect(throws: DepotError.self) { try container.host(of: deletion("A", "A", "B")) }
    #expect(error?.code == .usage)
    #expect(error?.at == "/args/delete/2/entity")
  }
}
