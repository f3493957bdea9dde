import DepotClient
import DepotProtocol
import Testing

@testable import SwiftData

@Suite struct `Migrations without a plan` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ types: any PersistentModel.Type...) throws -> ModelContainer {
    try ModelContainer(
      for: Schema(types),
      configurations: [ModelConfiguration(url: folder.store())]
    )
  }

  private func schema(_ container: ModelContainer) throws -> DepotProtocol.Schema {
    try #require(container.stores.first).connect().schema()
  }

  @Test func `what is new has its default, or nothing`() throws {
    try insert(Before.Plant(name: "Oak", age: 3), into: open(Before.Plant.self))
    let container = try open(After.Plant.self)
    let plants = try ModelContext(container).fetch(FetchDescriptor<After.Plant>())
    #expect(plants.map(\.name) == ["Oak"])
    #expect(plants.map(\.colour) == ["green"])
    #expect(plants.first?.bed == nil)
    #expect(plants.first?.age == 3)
  }

  @Test func `what other programs need stays, and what rows can't do without goes`() throws {
    try insert(Before.Plant(name: "Oak", age: 3), into: open(Before.Plant.self))
    let schema = try schema(try open(After.Plant.self))
    #expect(schema["Plant"]?["nickname"] != nil)
    #expect(schema["Plant"]?["height"] == nil)
    #expect(schema["Plant"]?["age"]?.type == .double)
    // The rows were changed, so that the version rose.
    #expect(schema.version == SchemaVersion(1, 0, 1))
    #expect(schema["Bed"] != nil)
    // A program that knows one entity only leaves the others alone.
    let part = try self.schema(try open(After.Bed.self))
    #expect(part["Plant"] != nil)
    #expect(part.version == SchemaVersion(1, 0, 1))
  }

  @Test func `additions raise no version`() throws {
    _ = try open(Before.Plant.self)
    let container = try open(Before.Plant.self, Fleet.Buoy.self)
    #expect(try schema(container).version == SchemaVersion(1, 0, 0))
  }

  private func insert(_ model: some PersistentModel, into container: ModelContainer) throws {
    let context = ModelContext(container)
    context.insert(model)
    try context.save()
  }

  enum Before {
    @Model final class Plant {
      var name: String
      var age: Int
      var height: Int
      var nickname: String?

      init(name: String, age: Int) {
        self.name = name
        self.age = age
        height = 1
      }
    }
  }

  enum After {
    @Model final class Plant {
      var name: String
      var age: Double
      var colour: String = "green"
      var bed: Bed?

      init(name: String) {
        self.name = name
        age = 0
      }
    }

    @Model final class Bed {
      var number: Int
      var plants: [Plant] = []

      init(number: Int) { self.number = number }
    }
  }
}
