import SwiftData
import Testing

@Suite struct `Containers of a program's own stores` {
  @Test func `erasing a container empties its stores`() throws {
    let fixture = try DataStoreFixture()
    try fixture.fill("Oslo", "Bergen")
    let ledger = LedgerConfiguration()
    let container = try ModelContainer(for: Entry.self, configurations: ledger)
    let context = ModelContext(container)
    context.insert(Entry("A", amount: 10))
    try context.save()
    try fixture.container.erase()
    try container.erase()
    #expect(try fixture.other.titles() == [])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Entry>()) == 0)
  }

  @Test func `configurations and stores are known by name and identifier`() throws {
    let fixture = try DataStoreFixture()
    let container = fixture.container
    #expect(container.storeIdentifier(forConfigurationNamed: "journeys") == "journeys.json")
    #expect(container.configurationName(forStoreIdentifier: "journeys.json") == "journeys")
  }

  @Test func `two configurations of one name are an error`() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("a.json")
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Schema([Journey.self, Entry.self]),
        configurations: [
          JSONStoreConfiguration(name: "a", schema: Schema([Journey.self]), fileURL: file),
          JSONStoreConfiguration(name: "a", schema: Schema([Entry.self]), fileURL: file),
        ]
      )
    }
  }

  @Test func `the store gets the schema and the plan of the container`() throws {
    let folder = try TemporaryFolder()
    let configuration = JSONStoreConfiguration(
      name: "a",
      fileURL: folder.url.appendingPathComponent("a.json")
    )
    let store = try JSONStore(configuration, migrationPlan: nil)
    #expect(store.schema.entities.isEmpty)
    let container = try ModelContainer(
      for: Schema([Entry.self], version: Schema.Version(3, 1, 0)),
      migrationPlan: nil,
      configurations: configuration
    )
    #expect(container.schema.version == Schema.Version(3, 1, 0))
    #expect(container.configurations.isEmpty)
  }
}
