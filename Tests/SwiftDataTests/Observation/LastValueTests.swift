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

  @Test func `are what stands for nothing once the history has forgotten them`() throws {
    let context = ModelContext(container)
    let voyage = try #require(context.model(for: identifier) as? Voyage)
    try delete(.bulk)
    try other.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(voyage.tags.isEmpty && voyage.days == 3)
    #expect(voyage.isDeleted)
  }
}
