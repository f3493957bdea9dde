import Testing

@testable import SwiftData

/// Identifiers of other entities of the same store, whose rows have the same numbers.
@Suite struct `An identifier of another entity` {
  private let container: ModelContainer
  private let context: ModelContext
  private let voyage = Voyage(name: "Arctic")
  private let skipper = Skipper(name: "Ada")
  private let craft = Watercraft(name: "Fram")
  private let steamboat = Steamboat(name: "Hertha", horsepower: 9)
  private let halts = [Halt(city: "Oslo"), Halt(city: "Bergen")]

  init() throws {
    container = try ModelContainer(storing: Watercraft.self, Steamboat.self, Voyage.self)
    context = ModelContext(container)
    for model in [voyage, skipper, craft, steamboat, halts[0], halts[1]] as [any PersistentModel] {
      context.insert(model)
    }
    voyage.captain = skipper
    voyage.stops = [halts[0]]
    try context.save()
    try #require(voyage.persistentModelID.row == skipper.persistentModelID.row)
    try #require(voyage.persistentModelID.row == halts[0].persistentModelID.row)
    try #require(voyage.persistentModelID.row == craft.persistentModelID.row)
  }

  /// Whether the voyage is found, also where it is among the changes of the context.
  private func finds(_ predicate: Predicate<Voyage>) throws -> Bool {
    let descriptor = FetchDescriptor(predicate: predicate)
    let counts = [
      try ModelContext(container).fetchCount(descriptor),
      try pending().fetchCount(descriptor),
      try ModelContext(container).fetch(descriptor).count,
      try pending().fetch(descriptor).count,
    ]
    try #require(Set(counts).count == 1, "\(counts)")
    return counts[0] == 1
  }

  private func pending() throws -> ModelContext {
    let context = ModelContext(container)
    for voyage in try context.fetch(FetchDescriptor<Voyage>()) { voyage.days += 1 }
    return context
  }

  @Test func `isn't that of the object`() throws {
    let (other, own) = (skipper.persistentModelID, voyage.persistentModelID)
    #expect(try !finds(#Predicate { $0.persistentModelID == other }))
    #expect(try finds(#Predicate { $0.persistentModelID != other }))
    #expect(try !finds(#Predicate { $0.id == other }))
    #expect(try finds(#Predicate { $0.persistentModelID == own }))
    #expect(try finds(#Predicate { other == $0.captain?.persistentModelID }))
    #expect(try !finds(#Predicate { own == $0.captain?.persistentModelID }))
    #expect(try finds(#Predicate { own != $0.captain?.persistentModelID }))
  }

  @Test func `isn't in a list with that of the object`() throws {
    let (others, own) = ([skipper.persistentModelID], voyage.persistentModelID)
    let both = others + [own]
    let halt = halts[0].persistentModelID
    let set = Set(others)
    #expect(try !finds(#Predicate { others.contains($0.persistentModelID) }))
    #expect(try !finds(#Predicate { set.contains($0.persistentModelID) }))
    #expect(try finds(#Predicate { both.contains($0.persistentModelID) }))
    #expect(
      try finds(#Predicate { $0.captain.flatMap { both.contains($0.persistentModelID) } ?? false })
    )
    #expect(try finds(#Predicate { $0.stops.contains { $0.persistentModelID == halt } }))
    #expect(try !finds(#Predicate { $0.stops.contains { $0.persistentModelID == own } }))
    #expect(try !finds(#Predicate { $0.stops.contains { both.contains($0.persistentModelID) } }))
    #expect(try !finds(#Predicate { it in others.contains { $0 == it.persistentModelID } }))
    #expect(try finds(#Predicate { it in both.contains { $0 == it.persistentModelID } }))
    #expect(try !finds(#Predicate { it in it.stops.contains { $0.persistentModelID == it.id } }))
  }

  @Test func `isn't that of another object of the same row`() throws {
    #expect(try !finds(#Predicate { $0.persistentModelID == $0.captain?.persistentModelID }))
    #expect(try finds(#Predicate { $0.persistentModelID != $0.captain?.persistentModelID }))
    voyage.captain = nil
    try context.save()
    #expect(try !finds(#Predicate { $0.persistentModelID == $0.captain?.persistentModelID }))
  }

  @Test func `may be of a subclass or superclass`() throws {
    let (ids, boat) = ([craft.persistentModelID, voyage.persistentModelID], steamboat)
    let id = boat.persistentModelID
    func names<T: Watercraft>(_ predicate: Predicate<T>) throws -> [String] {
      try ModelContext(container).fetch(FetchDescriptor(predicate: predicate)).map(\.name)
    }
    #expect(try names(#Predicate<Watercraft> { $0.persistentModelID == id }) == ["Hertha"])
    #expect(try names(#Predicate<Steamboat> { $0.persistentModelID == id }) == ["Hertha"])
    #expect(try names(#Predicate<Watercraft> { ids.contains($0.persistentModelID) }) == ["Fram"])
    #expect(try names(#Predicate<Steamboat> { ids.contains($0.persistentModelID) }).isEmpty)
    #expect(try names(#Predicate<Watercraft> { ($0 as? Steamboat)?.id == id }) == ["Hertha"])
  }
}
