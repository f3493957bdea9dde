import Testing

@testable import SwiftData

@Model class Watercraft {
  var name: String
  var pilot: Skipper?
  init(name: String) { self.name = name }
}

@Model final class Steamboat: Watercraft {
  var horsepower = 0
  init(name: String, horsepower: Int) {
    self.horsepower = horsepower
    super.init(name: name)
  }
}

/// Predicates about objects rather than values.
@Suite struct FetchIdentityTests {
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    container = try ModelContainer(storing: Watercraft.self, Steamboat.self, Voyage.self)
    context = ModelContext(container)
  }

  private func names(_ predicate: Predicate<Watercraft>) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)]))
      .map(\.name)
  }

  @Test func `objects and identifiers that a program has are compared`() throws {
    let (ada, bo) = (Skipper(name: "Ada"), Skipper(name: "Bo"))
    let (fram, gjoa, maud) = (
      Watercraft(name: "Fram"), Watercraft(name: "Gjøa"), Watercraft(name: "Maud")
    )
    fram.pilot = ada
    gjoa.pilot = bo
    for craft in [fram, gjoa, maud] { context.insert(craft) }
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      let (all, id, ids) = ([ada], ada.persistentModelID, [bo.persistentModelID])
      #expect(try names(#Predicate { (it: Watercraft) in it.pilot == ada }) == ["Fram"])
      #expect(try names(#Predicate { $0.pilot?.persistentModelID == id }) == ["Fram"])
      #expect(try names(#Predicate { $0.pilot.flatMap { all.contains($0) } ?? false }) == ["Fram"])
      #expect(
        try names(#Predicate { $0.pilot.flatMap { ids.contains($0.persistentModelID) } ?? false })
          == ["Gjøa"]
      )
      let crafts = [gjoa, maud]
      #expect(try names(#Predicate { crafts.contains($0) }) == ["Gjøa", "Maud"])
      let own = maud.persistentModelID
      #expect(try names(#Predicate { $0.persistentModelID == own }) == ["Maud"])
      #expect(try names(#Predicate { $0.id != own }) == ["Fram", "Gjøa"])
    }
  }

  @Test func `kinds are asked for, and their own properties`() throws {
    for name in ["Fram", "Maud"] { context.insert(Watercraft(name: name)) }
    context.insert(Steamboat(name: "Nautilus", horsepower: 100))
    context.insert(Steamboat(name: "Hertha", horsepower: 10))
    for isSaved in [false, true] {
      if isSaved { try context.save() }
      #expect(try names(#Predicate { $0 is Steamboat }) == ["Hertha", "Nautilus"])
      #expect(
        try names(#Predicate { (it: Watercraft) in (it as? Steamboat)?.horsepower == 100 })
          == ["Nautilus"]
      )
      #expect(
        try names(#Predicate { if let it = $0 as? Steamboat { it.horsepower < 50 } else { false } })
          == ["Hertha"]
      )
      let descriptor = FetchDescriptor<Steamboat>(
        predicate: #Predicate { $0.name != "Hertha" && $0.horsepower > 1 },
        sortBy: [SortDescriptor(\.name)]
      )
      #expect(try context.fetch(descriptor).map(\.name) == ["Nautilus"])
    }
  }

  @Test func `descriptors that ask for the same are equal`() {
    let (three, four) = (3, 4)
    let descriptor = FetchDescriptor<Voyage>(
      predicate: #Predicate { $0.days > three },
      sortBy: [SortDescriptor(\.name)]
    )
    var other = FetchDescriptor<Voyage>(
      predicate: #Predicate { it in it.days > three },
      sortBy: [SortDescriptor(\.name)]
    )
    #expect(descriptor == other)
    other.predicate = #Predicate { $0.days > four }
    #expect(descriptor != other)
    other.predicate = descriptor.predicate
    other.fetchLimit = 1
    #expect(descriptor != other)
  }

  @Test func `results are read in batches when they are looked at`() {
    var read: [Range<Int>] = []
    let results = FetchResultsCollection(count: 25, batchSize: 10) { range in
      read.append(range)
      return range.map { $0 * 2 }
    }
    #expect(results.count == 25)
    #expect(results[12] == 24)
    #expect(read == [10..<20])
    #expect(Array(results) == (0..<25).map { $0 * 2 })
    #expect(read == [10..<20, 0..<10, 20..<25])
  }
}
