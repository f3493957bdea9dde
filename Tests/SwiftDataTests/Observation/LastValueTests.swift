import TestSupport
import Testing

@testable import SwiftData

/// Properties that nobody has read before others delete the row.
@MainActor @Suite struct `Values of deleted rows that nobody has read` {
  private let container: ModelContainer
  private let other: ModelContext
  private let identifier: PersistentIdentifier

  init() throws {
    container = try ModelContainer(storing: Voyage.self, Skipper.self, Halt.self)
    other = ModelContext(container)
    let voyage = Voyage(name: "Oslo", days: 9, note: "by sea")
    voyage.tags = ["x", "y"]
    voyage.labels = ["z"]
    voyage.home = Berth(city: "Voss", isNear: false)
    other.insert(voyage)
    for number in 0..<20 { other.insert(Voyage(name: "\(number)")) }
    try other.save()
    identifier = voyage.persistentModelID
  }

  private func expectLastValues(of voyage: Voyage) {
    #expect(voyage.tags == ["x", "y"])
    #expect(voyage.labels == ["z"])
    #expect(voyage.name == "Oslo" && voyage.days == 9 && voyage.note == "by sea")
    #expect(voyage.home == Berth(city: "Voss", isNear: false))
    #expect(voyage.isDeleted && voyage.modelContext == nil)
  }

  /// The ways in which the other context deletes the row.
  enum Deletion: CaseIterable { case bulk, save }

  private func delete(_ deletion: Deletion) throws {
    switch deletion {
    case .bulk: try other.delete(model: Voyage.self)
    case .save:
      for voyage in try other.fetch(FetchDescriptor<Voyage>()) { other.delete(voyage) }
      try other.save()
    }
  }

  @Test(arguments: Deletion.allCases)
  func `are the last ones in a context that merges`(_ deletion: Deletion) throws {
    let context = container.mainContext
    let voyage = try #require(context.model(for: identifier) as? Voyage)
    _ = try context.fetchCount(FetchDescriptor<Voyage>())
    try delete(deletion)
    expectLastValues(of: voyage)
  }

  @Test(arguments: Deletion.allCases)
  func `are the last ones in a context that doesn't`(_ deletion: Deletion) throws {
    let context = ModelContext(container)
    let voyage = try #require(context.model(for: identifier) as? Voyage)
    try delete(deletion)
    expectLastValues(of: voyage)
  }

  @Test(arguments: Deletion.allCases)
  func `are the last ones beside those that were read`(_ deletion: Deletion) throws {
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Voyage>(predicate: #Predicate { $0.name == "Oslo" })
    descriptor.propertiesToFetch = [\.name]
    let voyage = try #require(context.fetch(descriptor).first)
    try delete(deletion)
    context.refreshAllObjects()
    expectLastValues(of: voyage)
  }

  @Test(arguments: Deletion.allCases, [false, true])
  func `are stored again with those that were changed`(
    _ deletion: Deletion,
    _ isMerging: Bool
  ) throws {
    let context = ModelContext(container)
    context.automaticallyMergesChanges = isMerging
    var descriptor = FetchDescriptor<Voyage>(predicate: #Predicate { $0.name == "Oslo" })
    descriptor.propertiesToFetch = [\.name]
    let voyage = try #require(context.fetch(descriptor).first)
    voyage.name = "Voss"
    try delete(deletion)
    try context.save()
    let stored = try #require(ModelContext(container).fetch(FetchDescriptor<Voyage>()).first)
    #expect(stored.name == "Voss" && stored.days == 9 && stored.note == "by sea")
    #expect(stored.tags == ["x", "y"] && stored.labels == ["z"])
    #expect(stored.home == Berth(city: "Voss", isNear: false))
  }

  @Test(arguments: Deletion.allCases)
  func `aren't stored again once the history has forgotten them`(_ deletion: Deletion) throws {
    let context = ModelContext(container)
    var descriptor = FetchDescriptor<Voyage>(predicate: #Predicate { $0.name == "Oslo" })
    descriptor.propertiesToFetch = [\.name]
    let voyage = try #require(context.fetch(descriptor).first)
    voyage.name = "Voss"
    try delete(deletion)
    try other.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let error = #expect(throws: SwiftDataError.saveConflict) { try context.save() }
    #expect(error?.conflicts.map(\.kind) == [.updateOfDeleted])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Voyage>()) == 0)
  }

  @Test func `are what stands for nothing once the history has forgotten them`() throws {
    let context = ModelContext(container)
    let voyage = try #require(context.model(for: identifier) as? Voyage)
    try delete(.bulk)
    try other.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(voyage.tags.isEmpty && voyage.days == 3)
    #expect(voyage.isDeleted)
  }
}
