import TestSupport
import Testing

@testable import SwiftData

/// Random edits of lists by the operations of arrays, beside arrays in which nothing is twice.
@Suite struct `Edits of lists` {
  /// Changes a list as a program may.
  private func edit<Element>(
    _ list: inout [Element],
    _ all: [Element],
    _ dice: inout SeededGenerator
  ) {
    let place = Int.random(in: 0...list.count, using: &dice)
    let some = (0..<Int.random(in: 0..<4, using: &dice)).compactMap { _ in
      all.randomElement(using: &dice)
    }
    switch Int.random(in: 0..<9, using: &dice) {
    case 0: list.append(contentsOf: some)
    case 1: list.insert(contentsOf: some, at: place)
    case 2: if !list.isEmpty { list.removeFirst() }
    case 3: if !list.isEmpty { list.removeLast() }
    case 4: if place < list.count { list.remove(at: place) }
    case 5: list.removeSubrange(0..<place)
    case 6: list.replaceSubrange(place..<list.count, with: some)
    case 7: if place < list.count, let one = some.first { list[place] = one }
    default: list.reverse()
    }
  }

  private func unique<Element: AnyObject>(_ list: [Element]) -> [Element] {
    var known: Set<ObjectIdentifier> = []
    return list.filter { known.insert(ObjectIdentifier($0)).inserted }
  }

  @Test(arguments: seeds(20)) func `an ordered list is what an array would be`(seed: Int) throws {
    var dice = SeededGenerator(seed: UInt64(seed))
    let fixture = try ContextFixture()
    let context = fixture.context
    let (setlist, rival) = (Setlist(name: "A"), Setlist(name: "B"))
    context.insert(setlist)
    context.insert(rival)
    let tunes = (0..<12).map { Tune(title: "T\($0)") }
    for tune in tunes { context.insert(tune) }
    var wanted: [Tune] = []
    for _ in 0..<60 {
      switch Int.random(in: 0..<10, using: &dice) {
      case 0:
        try context.save()
        let other = fixture.other
        let descriptor = FetchDescriptor<Setlist>(predicate: #Predicate { $0.name == "A" })
        let stored = try #require(other.fetch(descriptor).first)
        #expect(stored.tunes.map(\.title) == wanted.map(\.title))
      case 1:
        guard let tune = tunes.randomElement(using: &dice) else { continue }
        rival.tunes.append(tune)
        wanted.removeAll { $0 === tune }
      case 2:
        guard let tune = tunes.randomElement(using: &dice) else { continue }
        if !wanted.contains(where: { $0 === tune }) { wanted.append(tune) }
        tune.setlist = setlist
      default:
        let before = dice
        edit(&wanted, tunes, &dice)
        wanted = unique(wanted)
        dice = before
        edit(&setlist.tunes, tunes, &dice)
      }
      #expect(setlist.tunes.map(\.title) == wanted.map(\.title))
      for tune in tunes {
        #expect((tune.setlist === setlist) == wanted.contains { $0 === tune })
      }
      #expect(rival.tunes.allSatisfy { $0.setlist === rival })
    }
  }

  @Test(arguments: seeds(20)) func `both sides from many to many agree`(seed: Int) throws {
    var dice = SeededGenerator(seed: UInt64(seed))
    let fixture = try ContextFixture()
    let context = fixture.context
    let ships = (0..<5).map { Ship(name: "S\($0)") }
    let pennants = (0..<8).map { Pennant(name: "P\($0)") }
    for ship in ships { context.insert(ship) }
    for pennant in pennants { context.insert(pennant) }
    for _ in 0..<60 {
      guard let ship = ships.randomElement(using: &dice),
        let pennant = pennants.randomElement(using: &dice)
      else { continue }
      switch Int.random(in: 0..<8, using: &dice) {
      case 0: try context.save()
      case 1...3: edit(&pennant.ships, ships, &dice)
      default: edit(&ship.pennants, pennants, &dice)
      }
      for ship in ships {
        #expect(unique(ship.pennants).count == ship.pennants.count)
        for pennant in pennants {
          #expect(
            ship.pennants.contains { $0 === pennant } == pennant.ships.contains { $0 === ship }
          )
        }
      }
    }
    try context.save()
    let other = fixture.other
    let stored = try other.fetch(FetchDescriptor<Ship>())
    for ship in ships {
      let same = try #require(stored.first { $0.name == ship.name })
      #expect(Set(same.pennants.map(\.name)) == Set(ship.pennants.map(\.name)))
    }
  }
}
