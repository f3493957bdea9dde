import Testing

@testable import SwiftData

@Model final class Negative {
  var title: String
  var number: Int
  @Attribute(.externalStorage) var image: Data

  init(title: String, number: Int) {
    self.title = title
    self.number = number
    image = Data([1, 2, 3])
  }
}

/// That all values of an object are of one version of its row, and never of an older one than is known.
@Suite struct `The versions of rows` {
  private let context: ModelContext
  private let other: ModelContext
  private let negative: Negative
  private let twin: Negative

  init() throws {
    let container = try ModelContainer(storing: Negative.self)
    let seed = ModelContext(container)
    for number in 0..<20 { seed.insert(Negative(title: "old", number: number)) }
    try seed.save()
    context = ModelContext(container)
    other = ModelContext(container)
    let first = FetchDescriptor<Negative>(predicate: #Predicate { $0.number == 0 })
    negative = try #require(context.fetch(first).first)
    twin = try #require(other.fetch(first).first)
  }

  private func saveElsewhere() throws {
    twin.title = "new"
    try other.save()
  }

  @Test func `reading an external value of a newer row reads the others anew`() throws {
    try saveElsewhere()
    #expect(negative.image == Data([1, 2, 3]))
    #expect(negative.title == "new")
    context.mergePolicy = .error
    negative.title = "mine"
    try context.save()
  }

  @Test func `a fetch of some properties of newer rows reads the others anew`() throws {
    try saveElsewhere()
    var descriptor = FetchDescriptor<Negative>()
    descriptor.propertiesToFetch = [\.number]
    #expect(try context.fetch(descriptor).count == 20)
    #expect(negative.title == "new")
  }

  @Test func `an external value that is loaded is as new as the others`() throws {
    #expect(negative.image.count == 3)
    twin.image = Data([9])
    try saveElsewhere()
    _ = try context.fetch(FetchDescriptor<Negative>())
    #expect(negative.title == "new")
    #expect(negative.image == Data([9]))
  }

  @Test func `a conflict with what was read in part is found`() throws {
    negative.title = "mine"
    try saveElsewhere()
    _ = negative.image
    context.mergePolicy = .error
    #expect(throws: SwiftDataError.self) { try context.save() }
    context.rollback()
    #expect(negative.title == "new")
    #expect(!context.hasChanges)
  }

  @Test func `a change elsewhere of another property that was read is no conflict`() throws {
    negative.title = "mine"
    twin.number = -1
    try other.save()
    context.refreshAllObjects()
    #expect(negative.number == -1)
    context.mergePolicy = .error
    try context.save()
    #expect(negative.title == "mine")
  }

  @Test func `a change stays when a read of another value finds the row deleted`() throws {
    negative.title = "mine"
    other.delete(twin)
    try other.save()
    _ = negative.image
    #expect(negative.title == "mine")
    #expect(context.hasChanges)
    context.mergePolicy = .error
    #expect(throws: SwiftDataError.saveConflict) { try context.save() }
  }

  @Test func `an object that couldn't be read again after a save is deleted all the same`() throws {
    negative.ownStorage?.version = ModelStorage.staleVersion
    context.delete(negative)
    try context.save()
    #expect(try other.fetchCount(FetchDescriptor<Negative>()) == 19)
  }

  @Test func `such an object isn't deleted unseen where conflicts are errors`() throws {
    negative.ownStorage?.version = ModelStorage.staleVersion
    context.mergePolicy = .error
    context.delete(negative)
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(try other.fetchCount(FetchDescriptor<Negative>()) == 20)
  }

  @Test func `rows of an earlier moment bring nothing back`() throws {
    let descriptor = FetchDescriptor<Negative>(sortBy: [SortDescriptor(\.number)])
    let last = try #require(context.fetch(descriptor).last)
    try context.enumerate(descriptor, batchSize: 1, allowEscapingMutations: true) { negative in
      guard negative.number == 0 else { return }
      last.title = "new"
      try context.save()
    }
    #expect(last.title == "new")
    #expect(!last.hasChanges)
  }
}
