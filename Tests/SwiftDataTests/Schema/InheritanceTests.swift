import DepotClient
import Testing

@testable import SwiftData

@Suite struct `Inherited properties` {
  private let house = EntityDescription.of(Estate.Castle.self)

  @Test func `a key path of the subclass has the name of the property`() {
    #expect(house.property(\Estate.Castle.street)?.name == "street")
    #expect(house.property(\Estate.Castle.rooms)?.name == "rooms")
    #expect(house.property(\Estate.Castle.isSold)?.name == "isSold")
    #expect(house.property(\Estate.Castle.owner)?.name == "owner")
    #expect(house.property(\Estate.House.street)?.name == "street")
    #expect(house.property(\Estate.Castle.towers)?.name == "towers")
  }

  @Test func `a computed property has no name`() {
    #expect(house.property(\Estate.Castle.title) == nil)
    #expect(house.property(\Estate.Castle.isForSale) == nil)
    #expect(house.property(\Estate.Castle.nearly) == nil)
  }

  @Test func `an index of the subclass may name what it inherits`() throws {
    #expect(house.constraints.indexes == [["street", "towers"]])
    _ = try ModelContainer(storing: Estate.Castle.self)
  }
}

@Suite struct `Defaults` {
  @Test func `a default that is another each time changes no schema`() throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    func open() throws -> (String, [String]) {
      let container = try ModelContainer(
        for: Estate.Stamp.self,
        configurations: ModelConfiguration(url: folder.store())
      )
      let connection = try #require(container.stores.first).connect()
      let lowering = SchemaLowering(container.schema.descriptions)
      return ("\(try connection.schema())", lowering.changingDefaults.sorted())
    }
    let first = try open()
    #expect(try open().0 == first.0)
    #expect(first.1 == ["Stamp.made", "Stamp.token"])
  }
}

/// Models of houses.
enum Estate {
  @Model class House {
    var street: String
    var rooms: Int = 1
    var isSold: Bool = false
    var owner: Owner?
    var title: String { street.uppercased() }
    var isForSale: Bool { !isSold }
    var nearly: Int { rooms + 1 }

    init(street: String) { self.street = street }
  }

  @Model class Castle: House {
    #Index<Castle>([\.street, \.towers])
    var towers: Int

    init(towers: Int) {
      self.towers = towers
      super.init(street: "")
    }
  }

  @Model final class Owner {
    var name: String

    init(name: String) { self.name = name }
  }

  @Model final class Stamp {
    var made: Date = Date()
    var token: UUID = UUID()
    var count: Int = 4

    init() {}
  }
}
