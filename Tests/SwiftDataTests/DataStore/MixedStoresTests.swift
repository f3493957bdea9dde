import SwiftData
import Testing

@Suite struct `Stores of several kinds in one container` {
  let folder: TemporaryFolder
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    folder = try TemporaryFolder()
    let schema = Schema([Journey.self, Entry.self, Vehicle.self, Truck.self])
    container = try ModelContainer(
      for: schema,
      configurations: [
        JSONStoreConfiguration(
          name: "vehicles",
          schema: Schema([Vehicle.self, Truck.self]),
          fileURL: folder.url.appendingPathComponent("vehicles.json")
        ),
        LedgerConfiguration(schema: Schema([Entry.self])),
        ModelConfiguration(isStoredInMemoryOnly: true),
      ]
    )
    context = ModelContext(container)
  }

  @Test func `each class is in its own store`() throws {
    let journey = Journey("Oslo")
    let entry = Entry("fuel", amount: 70)
    let truck = Truck("Big", load: 12)
    for model in [journey, entry, truck] as [any PersistentModel] { context.insert(model) }
    try context.save()
    #expect(entry.persistentModelID.storeIdentifier == "ledger")
    #expect(truck.persistentModelID.storeIdentifier == "vehicles.json")
    #expect(journey.persistentModelID.storeIdentifier?.isEmpty == false)

    let other = ModelContext(container)
    #expect(try other.titles() == ["Oslo"])
    #expect(try other.fetch(FetchDescriptor<Entry>()).map(\.amount) == [70])
    #expect(try other.fetch(FetchDescriptor<Vehicle>()).map(\.name) == ["Big"])
  }

  @Test func `objects of subclasses are of their class`() throws {
    context.insert(Vehicle("Small"))
    context.insert(Truck("Big", load: 12))
    try context.save()
    let other = ModelContext(container)
    let all = try other.fetch(FetchDescriptor<Vehicle>(sortBy: [SortDescriptor(\.name)]))
    #expect(all.map(\.name) == ["Big", "Small"])
    let truck = try #require(all[0] as? Truck)
    #expect(truck.load == 12)
    #expect(try other.fetch(FetchDescriptor<Truck>()).map(\.name) == ["Big"])
    #expect(try other.fetchCount(FetchDescriptor<Truck>()) == 1)
    truck.load = 20
    other.delete(all[1])
    try other.save()
    let third = ModelContext(container)
    let fault = try #require(third.model(for: truck.persistentModelID) as? Truck)
    #expect(fault.load == 20)
    #expect(try third.fetchCount(FetchDescriptor<Vehicle>()) == 1)
  }

  @Test func `changes of all stores are pending together`() throws {
    context.insert(Journey("Oslo"))
    context.insert(Entry("fuel", amount: 70))
    #expect(context.insertedModelsArray.count == 2)
    #expect(try context.fetchCount(FetchDescriptor<Entry>()) == 1)
    context.rollback()
    #expect(!context.hasChanges)
    #expect(try context.fetchCount(FetchDescriptor<Entry>()) == 0)
  }
}

@Model class Vehicle {
  var name: String

  init(_ name: String) { self.name = name }
}

@Model final class Truck: Vehicle {
  var load: Int

  init(_ name: String, load: Int) {
    self.load = load
    super.init(name)
  }
}
