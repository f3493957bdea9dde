import DepotClient
import DepotProtocol
import Testing

@testable import SwiftData

@Suite struct `Containers` {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `the classes that relationships lead to are included`() throws {
    let container = try ModelContainer(storing: Fleet.Voyage.self)
    #expect(Set(container.schema.entities.map(\.name)) == ["Voyage", "Harbour", "Sailor"])
    let connection = try #require(container.stores.first).connect()
    let schema = try connection.schema()
    #expect(schema["Voyage"]?["title"]?.isUnique == true)
    #expect(schema["Voyage"]?["days"]?.defaultValue == .int64(3))
    #expect(schema["Voyage"]?.relationship("harbours")?.inverse == "voyage")
    #expect(schema["Voyage"]?.relationship("harbours")?.deleteRule == .cascade)
    #expect(schema["Harbour"]?.relationship("voyage")?.inverse == "harbours")
    #expect(schema["Voyage"]?.relationship("captain")?.inverse == "voyages")
  }

  @Test func `a store has the same identifier whenever it is opened`() throws {
    let url = try folder.store()
    func open() throws -> String {
      let container = try ModelContainer(
        for: Fleet.Voyage.self,
        configurations: ModelConfiguration(url: url)
      )
      return try #require(container.stores.first).identifier
    }
    let first = try open()
    #expect(try open() == first)
    #expect(!first.isEmpty)
  }

  @Test func `objects are there when a file is opened again`() throws {
    let configuration = try ModelConfiguration(url: folder.store())
    func open() throws -> ModelContext {
      ModelContext(try ModelContainer(for: Fleet.Voyage.self, configurations: configuration))
    }
    let context = try open()
    context.insert(Fleet.Voyage(title: "Round the world"))
    try context.save()
    #expect(try open().fetch(FetchDescriptor<Fleet.Voyage>()).map(\.title) == ["Round the world"])
  }

  @Test func `a store that may not be saved is read only`() throws {
    let url = try folder.store()
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Fleet.Sailor.self,
        configurations: ModelConfiguration(url: url, allowsSave: false)
      )
    }
    let writer = ModelContext(
      try ModelContainer(for: Fleet.Sailor.self, configurations: ModelConfiguration(url: url))
    )
    writer.insert(Fleet.Sailor(name: "Ann"))
    try writer.save()
    let context = ModelContext(
      try ModelContainer(
        for: Fleet.Sailor.self,
        configurations: ModelConfiguration(url: url, allowsSave: false)
      )
    )
    #expect(try context.fetchCount(FetchDescriptor<Fleet.Sailor>()) == 1)
    context.insert(Fleet.Sailor(name: "Bob"))
    #expect(throws: SwiftDataError.self) { try context.save() }
  }

  @Test func `each configuration holds the entities of its schema`() throws {
    let ships = try ModelConfiguration(
      "ships",
      schema: Schema([Fleet.Voyage.self]),
      url: folder.store("s")
    )
    let rest = try ModelConfiguration("rest", url: folder.store("r"))
    let container = try ModelContainer(
      for: Fleet.Voyage.self,
      Fleet.Buoy.self,
      configurations: ships,
      rest
    )
    #expect(container.store(of: "Harbour")?.name == "ships")
    #expect(container.store(of: "Buoy")?.name == "rest")
    let identifier = try #require(container.storeIdentifier(forConfigurationNamed: "rest"))
    #expect(container.configurationName(forStoreIdentifier: identifier) == "rest")
    #expect(container.configurations == [ships, rest])
    // They are what it says, and the stores stay.
    container.configurations = [ships]
    #expect(container.configurations == [ships])
    #expect(container.stores.count == 2)
    let context = ModelContext(container)
    let buoy = Fleet.Buoy(number: 4)
    context.insert(buoy)
    context.insert(Fleet.Voyage(title: "North"))
    try context.save()
    #expect(buoy.persistentModelID.storeIdentifier == identifier)
    #expect(try context.fetchCount(FetchDescriptor<Fleet.Voyage>()) == 1)
  }

  @Test func `a relationship can't lead to another store`() {
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Fleet.Voyage.self,
        configurations: ModelConfiguration(
          "a",
          schema: Schema([Fleet.Voyage.self]),
          isStoredInMemoryOnly: true
        ),
        ModelConfiguration("b", schema: Schema([Fleet.Harbour.self]), isStoredInMemoryOnly: true)
      )
    }
  }

  @Test func `configurations that contradict each other are errors`() {
    let url = folder.path()
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Fleet.Buoy.self,
        configurations: ModelConfiguration(url: url),
        ModelConfiguration(url: url)
      )
    }
    #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
      try ModelContainer(
        for: Fleet.Buoy.self,
        configurations: ModelConfiguration(for: Fleet.Sailor.self, isStoredInMemoryOnly: true)
      )
    }
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Fleet.Buoy.self,
        Fleet.Sailor.self,
        configurations: ModelConfiguration(for: Fleet.Sailor.self, isStoredInMemoryOnly: true)
      )
    }
  }

  @Test func `names that no file can have are errors`() {
    let long = ModelConfiguration(String(repeating: "x", count: 300))
    #expect(throws: SwiftDataError.configurationFileNameTooLong) { try long.validate() }
    for name in ["a/b", "", "a\0b"] {
      #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
        try ModelConfiguration(name).validate()
      }
    }
    #expect(throws: Never.self) { try ModelConfiguration("Trips & people").validate() }
  }

  @Test func `a database is named without a password, and needs a service`() throws {
    func configuration(_ address: String, allowsSave: Bool = true) throws -> ModelConfiguration {
      ModelConfiguration(url: try #require(URL(string: address)), allowsSave: allowsSave)
    }
    for address in ["postgresql://depot:geheim@db1/app", "postgresql://db1/app?password=geheim"] {
      let error = #expect(throws: SwiftDataError.self) { try configuration(address).validate() }
      #expect(error?.message.contains("geheim") == false)
      #expect(error?.hint?.contains(".pgpass") == true)
    }
    let address = "postgresql://depot@db1/app?sslmode=verify-full"
    #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try configuration(address, allowsSave: false).validate()
    }
    #expect(try configuration(address).path == address)
    // The tests have no service.
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Fleet.Sailor.self, configurations: try configuration(address))
    }
    #expect(error?.message.contains("needs a service: DEPOT_EMBEDDED is set") == true)
  }

  @Test func `a name becomes a file in the folder of the user's data`() {
    let configuration = ModelConfiguration("Trips")
    #expect(configuration.url.lastPathComponent == "Trips.store")
    #expect(configuration.url.deletingLastPathComponent().lastPathComponent == "depot")
    #expect(ModelConfiguration().name == "default")
    #expect(ModelConfiguration(isStoredInMemoryOnly: true).url.path == "/dev/null")
    #expect(configuration.id == configuration.url)
  }

  @Test func `what can't be stored is named`() throws {
    let failure = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Fleet.Buoy.self,
        Odd.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)
      )
    }
    #expect(failure?.message.contains("Odd.label") == true)
  }

  @Test func `two classes of one name are an error`() {
    enum Other {}
    let failure = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(
        for: Fleet.Buoy.self,
        Fleet.Old.Buoy.self,
        configurations: ModelConfiguration(isStoredInMemoryOnly: true)
      )
    }
    #expect(failure?.message.contains("Buoy") == true)
  }

  @Test func `erasing leaves nothing`() throws {
    let container = try ModelContainer(storing: Fleet.Voyage.self)
    let context = ModelContext(container)
    let voyage = Fleet.Voyage(title: "North")
    voyage.captain = Fleet.Sailor(name: "Ann")
    voyage.harbours = [Fleet.Harbour(name: "Bergen")]
    context.insert(voyage)
    try context.save()
    try container.erase()
    let other = ModelContext(container)
    #expect(try other.fetchCount(FetchDescriptor<Fleet.Voyage>()) == 0)
    #expect(try other.fetchCount(FetchDescriptor<Fleet.Sailor>()) == 0)
  }

  @Test func `a container goes when its contexts go`() throws {
    weak var core: ContainerCore?
    weak var known: ModelContainer?
    do {
      let container = try ModelContainer(storing: Fleet.Buoy.self)
      (core, known) = (container.core, container)
      let context = ModelContext(container)
      #expect(context.container == container)
    }
    #expect(core == nil)
    #expect(known == nil)
  }

  @Test func `processes with different models share a store`() throws {
    let url = try folder.store()
    let configuration = ModelConfiguration(url: url)
    let whole = ModelContext(
      try ModelContainer(for: Fleet.Voyage.self, Fleet.Buoy.self, configurations: configuration)
    )
    whole.insert(Fleet.Voyage(title: "North"))
    try whole.save()
    let part = ModelContext(
      try ModelContainer(for: Fleet.Buoy.self, configurations: configuration)
    )
    part.insert(Fleet.Buoy(number: 3))
    try part.save()
    #expect(try whole.fetch(FetchDescriptor<Fleet.Voyage>()).map(\.title) == ["North"])
    #expect(try whole.fetchCount(FetchDescriptor<Fleet.Buoy>()) == 1)
  }
}

@Model final class Odd {
  @Attribute(.unique) var label: [String] = []

  init() {}
}

@MainActor @Suite struct `Main contexts` {
  @Test func `the main context saves by itself and stays the same`() throws {
    let container = try ModelContainer(storing: Fleet.Buoy.self)
    #expect(container.mainContext === container.mainContext)
    #expect(container.mainContext.autosaveEnabled)
    #expect(container.mainContext.container == container)
  }
}
