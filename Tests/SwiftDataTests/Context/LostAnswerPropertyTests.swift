import Dispatch
import Glibc
import TestSupport
import Testing

@testable import SwiftData

/// Random edits and saves over a service that is killed again and again, beside a model of what was saved.
@Suite(.serialized) struct `Saves while the service is killed` {
  /// What is told of a ship.
  private struct Told: Hashable {
    var length: Double
    var haven: String?
    var pennants: Set<String>

    init(_ ship: Ship) {
      length = ship.length
      haven = ship.haven?.name
      pennants = Set(ship.pennants.map(\.name))
    }
  }

  private typealias Fleet = [String: Told]

  private static func fleet(_ ships: [Ship]) throws -> Fleet {
    var fleet: Fleet = [:]
    for ship in ships {
      try #require(fleet[ship.name] == nil, "\(ship.name) is there twice")
      fleet[ship.name] = Told(ship)
    }
    return fleet
  }

  @Test(arguments: seeds(6)) func `every save is made once, or not at all`(seed: Int) throws {
    var dice = SeededGenerator(seed: UInt64(seed) &+ 77)
    let service = try LosableService()
    let container = try service.fleetContainer()
    func stored() throws -> Fleet {
      let context = ModelContext(container)
      return try Self.fleet(context.fetch(FetchDescriptor<Ship>()))
    }
    var context = ModelContext(container)
    for name in ["Oslo", "Moss"] { context.insert(Haven(name: name)) }
    for name in ["red", "blue", "white"] { context.insert(Pennant(name: name)) }
    try context.save()
    var havens = try context.fetch(FetchDescriptor<Haven>())
    var pennants = try context.fetch(FetchDescriptor<Pennant>())
    var ships: [Ship] = []
    /// What was acknowledged last, and what saves that nobody answered may have stored since.
    var possible: [Fleet] = [[:]]
    for step in 0..<60 {
      switch Int.random(in: 0..<10, using: &dice) {
      case 0...2:
        let ship = Ship(name: "S\(step)", haven: havens.randomElement(using: &dice))
        context.insert(ship)
        ships.append(ship)
      case 3: ships.randomElement(using: &dice)?.length = Double(step)
      case 4: ships.randomElement(using: &dice)?.haven = havens.randomElement(using: &dice)
      case 5:
        guard let ship = ships.randomElement(using: &dice),
          let pennant = pennants.randomElement(using: &dice)
        else { continue }
        if ship.pennants.contains(where: { $0 === pennant }) {
          ship.pennants.removeAll { $0 === pennant }
        } else {
          ship.pennants.append(pennant)
        }
      case 6:
        guard let index = ships.indices.randomElement(using: &dice) else { continue }
        context.delete(ships.remove(at: index))
      case 7, 8:
        let wanted = try Self.fleet(ships)
        let fault = Int.random(in: 0..<3, using: &dice)
        if fault == 0 { service.loseAnswers() }
        if fault == 1 { service.kill() }
        do {
          try context.save()
          possible = [wanted]
        } catch {
          if (error as? SwiftDataError)?.serviceError?.effect == .unknown {
            possible.append(wanted)
          }
        }
        if fault < 2 {
          service.kill()
          try service.start()
        }
        #expect(possible.contains(try stored()))
      default:
        #expect(try context.fetchCount(FetchDescriptor<Ship>()) == ships.count)
        guard step % 3 == 0 else { continue }
        context.rollback()
        let found = try stored()
        #expect(possible.contains(found))
        possible = [found]
        context = ModelContext(container)
        havens = try context.fetch(FetchDescriptor<Haven>())
        pennants = try context.fetch(FetchDescriptor<Pennant>())
        ships = try context.fetch(FetchDescriptor<Ship>())
      }
    }
    let wanted = try Self.fleet(ships)
    try context.save()
    #expect(try stored() == wanted)
  }

  @Test func `a kill at any moment of a save neither loses nor doubles anything`() throws {
    var dice = SeededGenerator(seed: 1)
    let service = try LosableService()
    let container = try ModelContainer(
      for: Haven.self,
      configurations: ModelConfiguration(url: service.store)
    )
    let context = ModelContext(container)
    var wanted: [String] = []
    for _ in 0..<25 {
      let (process, delay) = (service.identifier, UInt32.random(in: 0..<4000, using: &dice))
      let killing = DispatchGroup()
      DispatchQueue.global().async(group: killing) {
        usleep(delay)
        kill(process, SIGKILL)
      }
      repeat {
        let haven = Haven(name: "H\(wanted.count)")
        haven.ships = [Ship(name: "S\(wanted.count)")]
        context.insert(haven)
        wanted.append(haven.name)
      } while (try? context.save()) != nil
      killing.wait()
      service.kill()
      try service.start()
      try context.save()
      #expect(!context.hasChanges)
    }
    let other = ModelContext(container)
    let stored = try other.fetch(FetchDescriptor<Haven>())
    #expect(stored.map(\.name).sorted() == wanted.sorted())
    #expect(stored.allSatisfy { $0.ships.count == 1 })
    #expect(try other.fetchCount(FetchDescriptor<Ship>()) == wanted.count)
  }
}
