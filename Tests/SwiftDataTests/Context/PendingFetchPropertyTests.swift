import TestSupport
import Testing

@testable import SwiftData

/// Random pending changes: what a fetch answers before the save is what another context answers after it.
@Suite struct PendingFetchPropertyTests {
  @Test(arguments: seeds(12))
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
      let before = try Self.descriptors(seed).map { try answer(context, $0) }
      let haven = try context.fetch(Self.havenDescriptor).map(\.name)
      try context.save()
      let other = fixture.other
      let after = try Self.descriptors(seed).map { try answer(other, $0) }
      for (before, after) in zip(before, after) { #expect(before == after) }
      #expect(try other.fetch(Self.havenDescriptor).map(\.name) == haven)
    }
  }

  /// What a context answers to a descriptor.
  private struct Answer: Equatable {
    var names: [String]
    var count: Int
    var identifierCount: Int
  }

  private func answer(_ context: ModelContext, _ descriptor: FetchDescriptor<Ship>) throws -> Answer
  {
    Answer(
      names: try context.fetch(descriptor).map(\.name),
      count: try context.fetchCount(descriptor),
      identifierCount: try context.fetchIdentifiers(descriptor).count
    )
  }

  private static let havenDescriptor = FetchDescriptor<Haven>(
    predicate: #Predicate { $0.ships.contains { $0.length > 5 } },
    sortBy: [SortDescriptor(\.name)]
  )

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
    ]
    for index in all.indices where (index + seed) % 2 == 0 {
      all[index].fetchLimit = 4
      all[index].fetchOffset = seed % 3
    }
    return all
  }

  private func stock(_ fixture: ContextFixture, _ generator: inout SeededGenerator) throws {
    let havens = (0..<4).map { Haven(name: "H\($0)") }
    let pennants = (0..<3).map { Pennant(name: "P\($0)") }
    fixture.context.insert(contentsOf: havens)
    fixture.context.insert(contentsOf: pennants)
    for index in 0..<15 {
      let ship = Ship(name: "S\(index)", haven: havens.randomElement(using: &generator))
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
    switch Int.random(in: 0..<10, using: &generator) {
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
