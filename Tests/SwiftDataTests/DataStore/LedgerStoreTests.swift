import SwiftData
import Testing

/// What a context asks of a store of the program's own that does more than it has to.
@Suite struct `A ledger as a store` {
  let configuration = LedgerConfiguration()
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    container = try ModelContainer(for: Entry.self, configurations: configuration)
    context = ModelContext(container)
    context.author = "Ann"
    for amount in [30, 10, 20] { context.insert(Entry("E\(amount)", amount: amount)) }
    try context.save()
  }

  private var log: LedgerLog { configuration.log }

  @Test func `snapshots of the program's own type are kept and read`() throws {
    #expect(log.lines == ["begins", "saves 3 0 0 Ann"])
    let other = ModelContext(container)
    let found = try other.fetch(FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.amount)]))
    #expect(found.map(\.text) == ["E10", "E20", "E30"])
    #expect(log.lines.contains("sorts"))
  }

  @Test func `a fault is fetched by a predicate about identifiers`() throws {
    let first = try #require(try context.fetch(FetchDescriptor<Entry>()).first)
    let other = ModelContext(container)
    log.lines = []
    let fault = try #require(other.model(for: first.persistentModelID) as? Entry)
    #expect(log.lines.isEmpty)
    #expect(fault.text == first.text)
    #expect(log.lines == ["begins", "identifiers 1"])
  }

  @Test func `a fault is taken from what the store has at hand`() throws {
    var configuration = LedgerConfiguration()
    configuration.isCaching = true
    let container = try ModelContainer(for: Entry.self, configurations: configuration)
    let context = ModelContext(container)
    let entry = Entry("A", amount: 10)
    context.insert(entry)
    try context.save()
    let other = ModelContext(container)
    configuration.log.lines = []
    let fault = try #require(other.model(for: entry.persistentModelID) as? Entry)
    #expect(fault.text == "A")
    #expect(configuration.log.lines == ["begins", "cache 1"])
  }

  @Test func `a predicate that the store leaves alone is evaluated in memory`() throws {
    log.lines = []
    var descriptor = FetchDescriptor<Entry>(
      predicate: #Predicate { $0.amount > 10 },
      sortBy: [SortDescriptor(\.amount, order: .reverse)]
    )
    descriptor.fetchLimit = 1
    #expect(try context.fetch(descriptor).map(\.text) == ["E30"])
    #expect(log.lines == ["prefers memory", "sorts"])
    descriptor.sortBy = [SortDescriptor(\.text)]
    #expect(try context.fetch(descriptor).map(\.text) == ["E20"])
  }

  @Test func `limit and offset are the store's where it does the rest`() throws {
    var descriptor = FetchDescriptor<Entry>(sortBy: [SortDescriptor(\.amount)])
    descriptor.fetchLimit = 1
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor).map(\.amount) == [20])
  }

  @Test func `what the store has made of a value is what the object has`() throws {
    let entry = Entry("odd", amount: 47)
    context.insert(entry)
    try context.save()
    #expect(entry.amount == 40)
    #expect(!context.hasChanges)
    entry.amount = 33
    try context.save()
    #expect(entry.amount == 30)
  }

  @Test func `an error of the store reaches the caller as it is, and nothing changes`() throws {
    let entry = Entry("debt", amount: -10)
    context.insert(entry)
    #expect(throws: LedgerStore.Refusal(reason: "debt is negative")) { try context.save() }
    #expect(context.hasChanges)
    #expect(context.insertedModelsArray.count == 1)
    entry.amount = 10
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Entry>()) == 4)
  }

  @Test func `an identifier of another entity isn't taken for that of an object`() throws {
    let entry = Entry("E40", amount: 40)
    context.insert(entry)
    log.entityName = "Page"
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(context.insertedModelsArray.count == 1)
    #expect(entry.persistentModelID.entityName == "Entry")
  }

  @Test func `an error of the configuration reaches the caller`() throws {
    var configuration = LedgerConfiguration()
    configuration.isBroken = true
    #expect(throws: LedgerStore.Refusal(reason: "broken")) {
      try ModelContainer(for: Entry.self, configurations: configuration)
    }
  }

  @Test func `the store deletes by itself where it can`() throws {
    let entry = try #require(try context.fetch(FetchDescriptor<Entry>()).first)
    try context.delete(model: Entry.self, where: #Predicate { $0.amount > 25 })
    #expect(!log.lines.contains("deletes all"))
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Entry>()) == 2)
    try context.delete(model: Entry.self)
    #expect(log.lines.contains("deletes all"))
    #expect(try context.fetchCount(FetchDescriptor<Entry>()) == 0)
    #expect(entry.modelContext == nil)
  }

  @Test func `the store learns when contexts begin and end`() throws {
    log.lines = []
    var other: ModelContext? = ModelContext(container)
    #expect(try other?.fetchCount(FetchDescriptor<Entry>()) == 3)
    #expect(log.lines == ["begins"])
    other = nil
    #expect(log.lines == ["begins", "ends"])
  }

  @Test func `contexts on many threads use the store one at a time`() async throws {
    let container = container
    await withTaskGroup { group in
      for number in 1...20 {
        group.addTask {
          let context = ModelContext(container)
          context.insert(Entry("T\(number)", amount: number * 10))
          #expect(throws: Never.self) { try context.save() }
        }
      }
    }
    #expect(try context.fetchCount(FetchDescriptor<Entry>()) == 23)
  }
}
