import TestSupport
import Testing

@testable import SwiftData

/// Random pending changes: what a fetch answers before the save is what another context answers after it.
@Suite struct PendingFetchPropertyTests {
  /// Six seeds have each remainder by which a descriptor is cut.
  @Test(arguments: seeds(6, of: 12))
  func `a fetch with pending changes answers what the store answers after the save`(
    seed: Int
  ) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let fixture = try ContextFixture()
    try stock(fixture, &generator)
    for _ in 0..<4 {
      let context = fixture.other
      let havens = try context.fetch(FetchDescriptor<Haven>())
      let ships = try context.fetch(FetchDescriptor<Ship>())
      let pennants = try context.fetch(FetchDescriptor<Pennant>())
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        change(context, havens, ships, pennants, &generator)
      }
      let before = try answers(context, seed)
      let saved = fixture.other
      for descriptor in Self.descriptors(seed) {
        // Aggregates are about what is saved.
        let stored = try Totals(saved, descriptor.predicate)
        #expect(try Totals(context, descriptor.predicate) == stored)
      }
      try context.save()
      let other = fixture.other
      for (index, (before, after)) in zip(before, try answers(other, seed)).enumerated() {
        #expect(before == after, "descriptor \(index), seed \(seed)")
      }
      for descriptor in Self.descriptors(seed) {
        let found = try other.fetch(FetchDescriptor(predicate: descriptor.predicate))
        #expect(try Totals(other, descriptor.predicate) == Totals(found), "seed \(seed)")
      }
    }
  }

  /// What a context answers to a descriptor.
  private struct Answer: Equatable {
    var names: [String]
    var count: Int
    var identifierCount: Int
    var sections: [String]
  }

  private func answers(_ context: ModelContext, _ seed: Int) throws -> [Answer] {
    try Self.descriptors(seed).map { try answer(context, $0, \.name, by: \.length) }
      + Self.licenceDescriptors.map { try answer(context, $0, \.label, by: \.number) }
      + [answer(context, Self.havenDescriptor, \.name, by: \.name)]
  }

  private func answer<Model: PersistentModel, Title: Hashable & Comparable>(
    _ context: ModelContext,
    _ descriptor: FetchDescriptor<Model>,
    _ name: KeyPath<Model, String>,
    by title: any KeyPath<Model, Title> & Sendable
  ) throws -> Answer {
    Answer(
      names: try context.fetch(descriptor).map { $0[keyPath: name] },
      count: try context.fetchCount(descriptor),
      identifierCount: try context.fetchIdentifiers(descriptor).count,
      sections: try context.fetchSections(descriptor, by: title).map { section in
        "\(section.title): \(section.models.map { $0[keyPath: name] })"
      }
    )
  }

  /// The aggregates of the lengths of ships.
  private struct Totals: Equatable {
    var sum: Double
    var average: Double?
    var extremes: [Double?]
    var counts: [Double: Int]

    init(_ context: ModelContext, _ predicate: Predicate<Ship>?) throws {
      sum = try context.sum(of: \.length, where: predicate)
      average = try context.average(of: \.length, where: predicate)
      extremes = [
        try context.minimum(of: \.length, where: predicate),
        try context.maximum(of: \.length, where: predicate),
      ]
      counts = try context.count(by: \.length, where: predicate)
    }

    init(_ ships: [Ship]) {
      let lengths = ships.map(\.length)
      sum = lengths.reduce(0, +)
      average = lengths.isEmpty ? nil : sum / Double(lengths.count)
      extremes = [lengths.min(), lengths.max()]
      counts = Dictionary(grouping: lengths) { $0 }.mapValues(\.count)
    }
  }

  private static let havenDescriptor = FetchDescriptor<Haven>(
    predicate: #Predicate { $0.ships.contains { $0.length > 5 } },
    sortBy: [SortDescriptor(\.name)]
  )

  // The store takes what is missing for no value.
  // swift-format-ignore: NeverForceUnwrap
  private static func descriptors(_ seed: Int) -> [FetchDescriptor<Ship>] {
    var all = [
      FetchDescriptor<Ship>(),
      FetchDescriptor(predicate: #Predicate { $0.length > 5 }, sortBy: [SortDescriptor(\.length)]),
      FetchDescriptor(
        predicate: #Predicate { $0.haven?.name == "H1" },
        sortBy: [SortDescriptor(\.name, order: .reverse)]
      ),
      FetchDescriptor(predicate: #Predicate { $0.haven == nil }),
      FetchDescriptor(
        predicate: #Predicate { ship in ship.pennants.contains { $0.name == "P1" } },
        sortBy: [SortDescriptor(\.length), SortDescriptor(\.name)]
      ),
      FetchDescriptor(predicate: #Predicate { $0.pennants.isEmpty && $0.length < 8 }),
      FetchDescriptor(sortBy: [SortDescriptor(\.haven!.name), SortDescriptor(\.name)]),
      FetchDescriptor(
        predicate: #Predicate { $0.length < 7 },
        sortBy: [SortDescriptor(\.haven!.name, order: .reverse), SortDescriptor(\.length)]
      ),
      FetchDescriptor(sortBy: [SortDescriptor(\.haven?.name), SortDescriptor(\.length)]),
      FetchDescriptor(
        predicate: #Predicate { $0.haven!.name > "H1" },
        sortBy: [SortDescriptor(\.licence!.number), SortDescriptor(\.haven?.name, order: .reverse)]
      ),
      FetchDescriptor(
        predicate: #Predicate { $0.licence!.number > 1 || $0.length > 6 },
        sortBy: [SortDescriptor(\.licence?.number, order: .reverse), SortDescriptor(\.name)]
      ),
    ]
    for index in all.indices where (index + seed) % 2 == 0 {
      all[index].fetchLimit = 4
      all[index].fetchOffset = seed % 3
    }
    return all
  }

  // The store takes what is missing for no value.
  // swift-format-ignore: NeverForceUnwrap
  private static let licenceDescriptors: [FetchDescriptor<Licence>] = [
    FetchDescriptor(sortBy: [SortDescriptor(\.ship!.haven!.name), SortDescriptor(\.number)]),
    FetchDescriptor(
      predicate: #Predicate { $0.ship!.haven!.name > "H1" },
      sortBy: [SortDescriptor(\.ship!.name, order: .reverse)]
    ),
    FetchDescriptor(
      predicate: #Predicate { $0.ship?.haven?.name == "H2" || $0.number > 2 },
      sortBy: [SortDescriptor(\.ship?.haven?.name, order: .reverse), SortDescriptor(\.number)]
    ),
    FetchDescriptor(predicate: #Predicate { $0.ship?.haven == nil }),
    FetchDescriptor(
      predicate: #Predicate { $0.ship!.length > 3 },
      sortBy: [
        SortDescriptor(\.ship!.length, order: .reverse), SortDescriptor(\.ship!.haven!.name),
      ]
    ),
  ]

  private func stock(_ fixture: ContextFixture, _ generator: inout SeededGenerator) throws {
    let havens = (0..<4).map { Haven(name: "H\($0)") }
    let pennants = (0..<3).map { Pennant(name: "P\($0)") }
    fixture.context.insert(contentsOf: havens)
    fixture.context.insert(contentsOf: pennants)
    for index in 0..<15 {
      let haven = generator.once(in: 4) ? nil : havens.randomElement(using: &generator)
      let ship = Ship(name: "S\(index)", haven: haven)
      if generator.once(in: 2) { ship.licence = Licence(number: index % 5) }
      ship.length = Double(Int.random(in: 0..<10, using: &generator))
      ship.pennants = pennants.filter { _ in Bool.random(using: &generator) }
      fixture.context.insert(ship)
    }
    try fixture.context.save()
  }

  private func change(
    _ context: ModelContext,
    _ havens: [Haven],
    _ ships: [Ship],
    _ pennants: [Pennant],
    _ generator: inout SeededGenerator
  ) {
    let alive = ships.filter { !$0.isDeleted }
    let haven = havens.filter { !$0.isDeleted }.randomElement(using: &generator)
    let pennant = pennants.filter { !$0.isDeleted }.randomElement(using: &generator)
    guard let ship = alive.randomElement(using: &generator) else { return }
    switch Int.random(in: 0..<12, using: &generator) {
    case 0, 1: ship.length = Double(Int.random(in: 0..<10, using: &generator))
    case 2: ship.name = "R\(Int.random(in: 0..<1000, using: &generator))"
    case 3: ship.haven = Bool.random(using: &generator) ? nil : haven
    case 4:
      let new = Ship(name: "N\(Int.random(in: 0..<1000, using: &generator))", haven: haven)
      new.length = Double(Int.random(in: 0..<10, using: &generator))
      context.insert(new)
      if let pennant { new.pennants = [pennant] }
    case 5: context.delete(ship)
    case 6: if let pennant { ship.pennants.append(pennant) }
    case 7: pennant?.ships.removeAll()
    case 8:
      haven?.name = "H\(Int.random(in: 0..<4, using: &generator))"
      if Bool.random(using: &generator) { haven?.ships = Array(alive.prefix(3)) }
    case 9:
      let number = Int.random(in: 0..<5, using: &generator)
      ship.licence = generator.once(in: 3) ? nil : Licence(number: number)
    case 10: ship.licence?.number += 3
    default:
      // A haven takes its ships along; a pennant is forgotten.
      if Bool.random(using: &generator), let pennant {
        context.delete(pennant)
      } else if Int.random(in: 0..<3, using: &generator) == 0, let haven {
        context.delete(haven)
      }
    }
  }
}

extension Licence {
  /// The number and the ship, which tell licences apart.
  fileprivate var label: String {
    "\(number) of \(ship.flatMap { $0.isDeleted ? nil : $0.name } ?? "none")"
  }
}
