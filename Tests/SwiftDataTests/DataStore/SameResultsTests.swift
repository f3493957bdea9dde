import Testing

@testable import SwiftData

/// What contexts offer beyond saving and fetching, over the service and over a store of the program's own.
@Suite struct `Stores of both kinds give the same results` {
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case service, json

    var testDescription: String { rawValue }
  }

  /// A container with guides, and journeys of 1, 2, … days.
  private final class Fixture {
    let folder: TemporaryFolder
    let container: ModelContainer
    let context: ModelContext
    private var contexts: [ModelContext] = []

    init(_ kind: Kind, _ count: Int = 6) throws {
      folder = try TemporaryFolder()
      let configuration: any DataStoreConfiguration =
        switch kind {
        case .service: ModelConfiguration(isStoredInMemoryOnly: true)
        case .json:
          JSONStoreConfiguration(
            name: "journeys",
            fileURL: folder.url.appendingPathComponent("journeys.json")
          )
        }
      container = try ModelContainer(for: Schema([Journey.self]), configurations: [configuration])
      context = ModelContext(container)
      let guides = ["Ann", "Bo"].map { Guide($0) }
      for number in 1...count {
        let journey = Journey("J\(number)")
        journey.days = number
        journey.budget = number == 2 ? nil : Double(number) / 2
        journey.temper = number.isMultiple(of: 3) ? .wild : .calm
        journey.guide = guides[number % 2]
        context.insert(journey)
      }
      try context.save()
    }

    /// A context that knows only what is saved.
    var other: ModelContext {
      contexts.append(ModelContext(container))
      return contexts[contexts.count - 1]
    }

    func journeys(_ context: ModelContext) throws -> [Journey] {
      try context.fetch(FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.days)]))
    }
  }

  @Test(arguments: Kind.allCases)
  func `many objects are changed at once`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    let context = fixture.other
    let known = try fixture.journeys(context)
    let count = try context.update(
      Journey.self,
      where: #Predicate { $0.days > 2 },
      set: [
        .set(\.title, to: "long"), .set(\.temper, to: .wild),
        .set(\.days, to: #Expression<Journey, Int> { $0.days * 10 }),
      ]
    )
    #expect(count == 4)
    #expect(!context.hasChanges)
    #expect(known.map(\.days) == [1, 2, 30, 40, 50, 60])
    #expect(known[5].title == "long")
    let stored = try fixture.journeys(fixture.other)
    #expect(stored.map(\.days) == [1, 2, 30, 40, 50, 60])
    #expect(stored.map(\.title) == ["J1", "J2", "long", "long", "long", "long"])
    #expect(stored[3].temper == .wild)
    #expect(try context.update(Journey.self, set: [.set(\.budget, to: nil)]) == 6)
    #expect(try fixture.journeys(fixture.other).allSatisfy { $0.budget == nil })
    #expect(
      try context.update(
        Journey.self,
        where: #Predicate { $0.days > 1000 },
        set: [.set(\.title, to: "")]
      ) == 0
    )
  }

  @Test(arguments: Kind.allCases)
  func `many objects get another relationship at once`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    let context = fixture.other
    let guides = try context.fetch(FetchDescriptor<Guide>(sortBy: [SortDescriptor(\.name)]))
    #expect(guides.map(\.journeys.count) == [3, 3])
    try context.update(
      Journey.self,
      where: #Predicate { $0.days < 5 },
      set: [.set(\.guide, to: guides[0].persistentModelID)]
    )
    #expect(guides.map(\.journeys.count) == [5, 1])
    let other = fixture.other
    let stored = try other.fetch(FetchDescriptor<Guide>(sortBy: [SortDescriptor(\.name)]))
    #expect(stored.map(\.journeys.count) == [5, 1])
    context.delete(guides[1])
    try context.save()
    let error = #expect(throws: SwiftDataError.modelValidationFailure) {
      try context.update(
        Journey.self,
        set: [.set(\.guide, to: guides[1].persistentModelID)]
      )
    }
    #expect(error?.code == "constraint.reference")
    #expect(error?.property == "guide")
  }

  @Test(arguments: Kind.allCases)
  func `many objects are inserted without being made`(kind: Kind) throws {
    let fixture = try Fixture(kind, 1)
    let context = fixture.other
    let guide = try #require(context.fetch(FetchDescriptor<Guide>()).first)
    let before = guide.journeys.count
    try context.insert(model: Journey.self, rows: 50) { index, row in
      row[\.title] = "N\(index)"
      row[\.start] = Date(timeIntervalSinceReferenceDate: Double(index))
      row[\.ticket] = UUID()
      row[\.days] = 100 + index
      row[\.guide] = guide.persistentModelID
    }
    #expect(!context.hasChanges)
    #expect(guide.journeys.count == before + 50)
    let stored = try fixture.journeys(fixture.other)
    #expect(stored.map(\.title) == ["J1"] + (0..<50).map { "N\($0)" })
    #expect(stored[50].guide?.name == guide.name)
    #expect(stored[50].temper == .calm)
    #expect(stored[50].budget == nil)
  }

  @Test(arguments: Kind.allCases)
  func `sums, means and counts are computed`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    let context = fixture.other
    #expect(try context.sum(of: \Journey.days) == 21)
    #expect(try context.sum(of: \Journey.days, where: #Predicate { $0.days > 4 }) == 11)
    #expect(try context.sum(of: \Journey.days, where: #Predicate { $0.days > 40 }) == 0)
    #expect(try context.average(of: \Journey.days) == 3.5)
    #expect(try context.average(of: \Journey.days, where: #Predicate { $0.days > 40 }) == nil)
    #expect(try context.minimum(of: \Journey.days) == 1)
    #expect(try context.maximum(of: \Journey.days, where: #Predicate { $0.days < 4 }) == 3)
    #expect(try context.maximum(of: \Journey.days, where: #Predicate { $0.days < 0 }) == nil)
    #expect(try context.count(by: \Journey.temper) == [.calm: 4, .wild: 2])
    #expect(try context.sum(of: \Journey.days, by: \Journey.temper) == [.calm: 12, .wild: 9])
    #expect(try context.count(by: \Journey.budget)[nil] == 1)
    #expect(try context.count(by: \Journey.budget, where: #Predicate { $0.days > 99 }).isEmpty)
    let first = try fixture.journeys(context)[0]
    first.days = 1000
    #expect(try context.sum(of: \Journey.days) == 21)
    first.days = .max
    try context.save()
    let error = #expect(throws: SwiftDataError.self) { try context.sum(of: \Journey.days) }
    #expect(error?.code == "request.overflow")
    #expect(error?.hint != nil)
  }

  @Test(arguments: Kind.allCases)
  func `objects are fetched in sections and batches`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    let context = fixture.other
    var descriptor = FetchDescriptor<Journey>(sortBy: [SortDescriptor(\.days, order: .reverse)])
    let sections = try context.fetchSections(descriptor, by: \.title, order: .reverse)
    #expect(sections.map(\.title) == ["J6", "J5", "J4", "J3", "J2", "J1"])
    #expect(try context.fetch(descriptor, batchSize: 4).map(\.days) == [6, 5, 4, 3, 2, 1])
    #expect(try context.fetchIdentifiers(descriptor, batchSize: 4).count == 6)
    #expect(
      try context.fetchIdentifiers(descriptor) == fixture.journeys(context).reversed().map(\.id)
    )
    descriptor.fetchOffset = 1
    descriptor.fetchLimit = 3
    #expect(try context.fetchCount(descriptor) == 3)
    var days: [Int] = []
    try context.enumerate(descriptor, batchSize: 2) { days.append($0.days) }
    #expect(days == [5, 4, 3])
    #expect(throws: SwiftDataError.escapingMutations) {
      try context.enumerate(descriptor) { $0.days += 1 }
    }
  }

  @Test(arguments: Kind.allCases)
  func `objects are read anew`(kind: Kind) throws {
    let fixture = try Fixture(kind, 3)
    let (first, second) = (fixture.other, fixture.other)
    let mine = try fixture.journeys(first)
    let theirs = try fixture.journeys(second)
    theirs[0].title = "Oslo"
    theirs[1].title = "Bergen"
    second.delete(theirs[2])
    try second.save()
    mine[0].days = 0
    mine[1].days = 0
    first.refresh(mine[0])
    first.refresh(mine[1], mergeChanges: false)
    #expect(mine[0].title == "Oslo")
    #expect(mine[0].days == 0)
    #expect(mine[1].title == "Bergen")
    #expect(mine[1].days == 2)
    first.refreshAllObjects()
    #expect(mine[2].modelContext == nil)
    #expect(mine[2].title == "J3")
    let error = #expect(throws: SwiftDataError.storeFailure) {
      try first.existingModel(for: mine[2].persistentModelID, as: Journey.self)
    }
    #expect(error?.code == "notfound.object")
    let known = try first.existingModel(for: mine[0].persistentModelID, as: Journey.self)
    #expect(known === mine[0])
  }

  @Test(arguments: Kind.allCases)
  func `objects that are deleted at once leave the lists that they are in`(kind: Kind) throws {
    let fixture = try Fixture(kind)
    let context = fixture.other
    let guides = try context.fetch(FetchDescriptor<Guide>(sortBy: [SortDescriptor(\.name)]))
    #expect(guides.map(\.journeys.count) == [3, 3])
    try context.delete(model: Journey.self, where: #Predicate { $0.days > 3 })
    #expect(guides.map { $0.journeys.map(\.days).sorted() } == [[2], [1, 3]])
  }

  @Test(arguments: Kind.allCases)
  func `what was only read can be required to be unchanged`(kind: Kind) throws {
    let fixture = try Fixture(kind, 3)
    let (first, second) = (fixture.other, fixture.other)
    let mine = try fixture.journeys(first)
    let theirs = try fixture.journeys(second)
    first.detectConflicts(for: mine[0])
    mine[1].title = "fine"
    try first.save()
    first.detectConflicts(for: mine[0])
    theirs[0].title = "other"
    try second.save()
    mine[1].title = "stale"
    let error = #expect(throws: SwiftDataError.saveConflict) { try first.save() }
    #expect(error?.code == "conflict.read")
    #expect(error?.entity == "Journey")
    #expect(error?.conflicts.first?.kind == .read)
    #expect(first.hasChanges)
    first.rollback()
    first.refresh(mine[0])
    first.detectConflicts(for: mine[0])
    mine[1].title = "fresh"
    try first.save()
    #expect(try fixture.journeys(fixture.other)[1].title == "fresh")
  }
}
