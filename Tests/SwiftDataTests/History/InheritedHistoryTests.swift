import Testing

@testable import SwiftData

private struct Fur: Codable, Equatable {
  var length: Int
  var color: String
}

@Model private class Animal {
  @Attribute(.preserveValueOnDeletion) var key: String
  var name: String
  @Attribute(.preserveValueOnDeletion) var fur: Fur
  @Attribute(.preserveValueOnDeletion) var keeper: Keeper?

  init(key: String) {
    self.key = key
    name = key
    fur = Fur(length: 1, color: "red")
  }
}

@Model private class Dog: Animal {
  @Attribute(.preserveValueOnDeletion) var tricks: Int = 0
  @Relationship(inverse: \Keeper.favourites) var friends: [Keeper] = []

  override init(key: String) { super.init(key: key) }
}

@Model private final class Puppy: Dog {
  @Attribute(.preserveValueOnDeletion) var weeks: Int = 1

  override init(key: String) { super.init(key: key) }
}

@Model private final class Keeper {
  @Relationship(inverse: \Animal.keeper) var animals: [Animal] = []
  var favourites: [Dog] = []
  init() {}
}

@Suite struct `The history of objects whose class inherits` {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(storing: Animal.self, Dog.self, Puppy.self, Keeper.self)
    context = ModelContext(container)
  }

  private func lastChanges() throws -> [SwiftData.HistoryChange] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.changes ?? []
  }

  @Test func `tells changes of what it inherits, through three levels`() throws {
    let (puppy, keeper) = (Puppy(key: "p"), Keeper())
    context.insert(puppy)
    context.insert(keeper)
    try context.save()
    puppy.name = "Rex"
    puppy.fur.length = 2
    puppy.keeper = keeper
    puppy.tricks = 3
    puppy.weeks = 4
    try context.save()
    let update = try #require(
      lastChanges().compactMap { change -> DefaultHistoryUpdate<Puppy>? in
        if case .update(let update as DefaultHistoryUpdate<Puppy>) = change { update } else { nil }
      }.first
    )
    let updated = Set(update.updatedAttributes.map { $0 as AnyKeyPath })
    #expect(updated == [\Puppy.name, \Puppy.fur, \Puppy.keeper, \Puppy.tricks, \Puppy.weeks])
    #expect(update.oldValue(for: \.name) as? String == "p")
    #expect(update.newValue(for: \.name) as? String == "Rex")
    #expect(update.newValue(for: \.tricks) as? Int == 3)
    #expect(update.newValue(for: \.keeper) as? PersistentIdentifier == keeper.persistentModelID)
    let values = Set(update.updatedAttributes.map { "\(puppy[keyPath: $0 as PartialKeyPath])" })
    #expect(values.isSuperset(of: ["Rex", "3", "4"]))
  }

  @Test func `tells changes of what the middle one inherits`() throws {
    let dog = Dog(key: "d")
    context.insert(dog)
    try context.save()
    dog.name = "Rex"
    dog.friends = [Keeper()]
    try context.save()
    let updates = try lastChanges().compactMap { change -> DefaultHistoryUpdate<Dog>? in
      if case .update(let update as DefaultHistoryUpdate<Dog>) = change { update } else { nil }
    }
    #expect(updates.flatMap { $0.updatedAttributes as [AnyKeyPath] }.contains(\Dog.name))
  }

  @Test func `keeps inherited values in tombstones`() throws {
    let (puppy, keeper) = (Puppy(key: "p"), Keeper())
    puppy.keeper = keeper
    context.insert(puppy)
    try context.save()
    context.delete(puppy)
    try context.save()
    let deletion = try #require(
      lastChanges().compactMap { change -> DefaultHistoryDelete<Puppy>? in
        if case .delete(let deletion as DefaultHistoryDelete<Puppy>) = change {
          deletion
        } else {
          nil
        }
      }.first
    )
    let tombstone = deletion.tombstone
    #expect(tombstone.keyPaths == [\.key, \.fur, \.keeper, \.tricks, \.weeks])
    #expect(tombstone[\.key] as? String == "p")
    #expect(tombstone[\.fur] as? Fur == Fur(length: 1, color: "red"))
    #expect(tombstone[\.keeper] as? PersistentIdentifier == keeper.persistentModelID)
    #expect(tombstone[\.tricks] as? Int == 0)
    #expect(tombstone[\.weeks] as? Int == 1)
    #expect(tombstone[\.name] == nil)
  }
}
