import Dispatch
import TestSupport
import Testing

@testable import SwiftData

/// A step of one of several contexts with shelves, their volumes, and new ones of both.
enum LibraryStep: CaseIterable {
  case add, addByList, addShelf, edit, move, deleteVolume, deleteShelf
  case deleteVolumesInBulk, deleteShelfInBulk, transaction, failingTransaction, autosave
  case save, rollBack
}

/// The stored values of a volume.
struct VolumeFacts: Hashable, CustomStringConvertible {
  var title: String
  var pages: Int
  var shelf: String?

  var description: String { "\(title):\(pages)@\(shelf ?? "-")" }
}

/// Two contexts that merge, with shelves whose deletion takes their volumes along.
@MainActor struct LibraryWorld {
  let container: ModelContainer
  let contexts: [ModelContext]
  let policy: MergePolicy
  private(set) var steps: [String]
  private var lastTitle = 0
  private var lastShelf = 2

  init(_ container: ModelContainer, _ policy: MergePolicy, _ seed: Int) throws {
    self.container = container
    self.policy = policy
    steps = ["seed \(seed)"]
    contexts = (0..<2).map { _ in
      let context = ModelContainer(container.core).mainContext
      context.autosaveEnabled = false
      context.mergePolicy = policy
      return context
    }
    let setup = ModelContext(container)
    for name in ["s1", "s2"] {
      let shelf = Shelf(name: name)
      setup.insert(shelf)
      for _ in 0..<2 {
        lastTitle += 1
        shelf.volumes.append(Volume(title: "v\(lastTitle)"))
      }
    }
    try setup.save()
  }

  private func volumes(_ side: Int) throws -> [Volume] {
    try contexts[side].fetch(FetchDescriptor<Volume>(sortBy: [SortDescriptor(\.title)]))
  }

  private func shelves(_ side: Int) throws -> [Shelf] {
    try contexts[side].fetch(FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.name)]))
  }

  /// Lets a context make a step, if it has the objects for that.
  mutating func perform(
    _ step: LibraryStep,
    _ side: Int,
    _ random: inout SeededGenerator
  ) async throws {
    do {
      try await attempt(step, side, &random)
    } catch {
      throw TestFailure("\(error): \(steps)")
    }
  }

  private mutating func attempt(
    _ step: LibraryStep,
    _ side: Int,
    _ random: inout SeededGenerator
  ) async throws {
    let context = contexts[side]
    let volume = try volumes(side).randomElement(using: &random)
    let shelf = try shelves(side).randomElement(using: &random)
    steps.append("\(side): \(step) \(volume?.title ?? "-") \(shelf?.name ?? "-")")
    switch step {
    case .add:
      let new = newVolume()
      context.insert(new)
      new.shelf = shelf
    case .addByList:
      let new = newVolume()
      if let shelf { shelf.volumes.append(new) } else { context.insert(new) }
    case .addShelf:
      lastShelf += 1
      let new = Shelf(name: "s\(lastShelf)")
      context.insert(new)
      lastTitle += 1
      // The link in the initializer brings the volume into the context.
      _ = Volume(title: "v\(lastTitle)", shelf: new)
    case .edit: volume?.pages = Int.random(in: 1...99, using: &random)
    case .move: volume?.shelf = random.once(in: 4) ? nil : shelf
    case .deleteVolume: volume.map(context.delete)
    case .deleteShelf: shelf.map(context.delete)
    case .deleteVolumesInBulk:
      let pages = volume?.pages ?? 0
      try context.delete(model: Volume.self, where: #Predicate { $0.pages == pages })
    case .deleteShelfInBulk:
      let name = shelf?.name ?? ""
      try context.delete(model: Shelf.self, where: #Predicate { $0.name == name })
    case .transaction, .failingTransaction:
      try transact(side, volume, shelf, fails: step == .failingTransaction)
    case .autosave:
      context.autosaveEnabled = true
      volume?.pages += 1
      await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
      context.autosaveEnabled = false
      if context.autosaveFailure == .saveConflict {
        #expect(policy == .error, "\(steps)")
        context.rollback()
      }
    case .save: try save(side)
    case .rollBack: context.rollback()
    }
  }

  private mutating func newVolume() -> Volume {
    lastTitle += 1
    return Volume(title: "v\(lastTitle)")
  }

  private mutating func transact(
    _ side: Int,
    _ volume: Volume?,
    _ shelf: Shelf?,
    fails: Bool
  ) throws {
    let context = contexts[side]
    try save(side)
    let before = try Self.facts(of: container)
    let new = newVolume()
    do {
      try context.transaction {
        if let volume, volume.modelContext != nil { volume.pages += 1 }
        try context.transaction {
          context.insert(new)
          if let shelf, shelf.modelContext != nil { shelf.volumes.append(new) }
        }
        if fails { throw TestFailure("the end") }
      }
      #expect(!fails, "\(steps)")
      #expect(try Self.facts(of: container).contains { $0.title == new.title }, "\(steps)")
    } catch is TestFailure {
      #expect(try Self.facts(of: container) == before, "\(steps)")
    }
    #expect(!context.hasChanges, "\(steps)")
  }

  /// Saves, and expects that what the context has shown is what is stored.
  private func save(_ side: Int) throws {
    let context = contexts[side]
    let shown = try facts(side)
    do {
      try context.save()
    } catch let error as SwiftDataError where error == .saveConflict {
      #expect(policy == .error, "\(error): \(steps)")
      context.rollback()
      return
    }
    #expect(!context.hasChanges, "\(steps)")
    // Where the store wins, it may keep what was to be deleted.
    if policy == .mergeByPropertyStoreTrump || policy == .rollback {
      #expect(try Self.facts(of: container).isSuperset(of: shown), "\(steps)")
    } else {
      #expect(try Self.facts(of: container) == shown, "\(steps)")
    }
  }

  // MARK: - Expectations

  private func facts(_ side: Int) throws -> Set<VolumeFacts> {
    Set(try volumes(side).map(\.facts))
  }

  private static func facts(of container: ModelContainer) throws -> Set<VolumeFacts> {
    Set(try ModelContext(container).fetch(FetchDescriptor<Volume>()).map(\.facts))
  }

  /// Expects that each context agrees with itself, and with the store if it has no changes.
  func expect(readingLists: (_ side: Int) -> Bool) throws {
    let stored = try Self.facts(of: container)
    for (side, context) in contexts.enumerated() {
      let (volumes, shelves) = try (volumes(side), shelves(side))
      #expect(
        try context.fetchCount(FetchDescriptor<Volume>()) == volumes.count,
        "\(side): \(steps)"
      )
      #expect(
        try context.fetchCount(FetchDescriptor<Shelf>()) == shelves.count,
        "\(side): \(steps)"
      )
      for volume in volumes {
        #expect(volume.modelContext === context, "\(side), \(volume.title): \(steps)")
        let shelf = volume.shelf
        #expect(
          shelf == nil || shelves.contains { $0 === shelf },
          "\(side), \(volume.title) leads to \(shelf?.name ?? ""): \(steps)"
        )
      }
      if !context.hasChanges {
        #expect(Set(volumes.map(\.facts)) == stored, "\(side): \(steps)")
      }
      guard readingLists(side) else { continue }
      for shelf in shelves {
        #expect(
          shelf.volumes.map(\.title).sorted()
            == volumes.filter { $0.shelf === shelf }.map(\.title).sorted(),
          "\(side), \(shelf.name): \(steps)"
        )
      }
    }
  }
}

extension Volume {
  fileprivate var facts: VolumeFacts {
    VolumeFacts(title: title, pages: pages, shelf: shelf?.name)
  }
}

extension `Contexts whose steps come in any order` {
  @Test(arguments: policies, seeds(4, of: 12))
  func `agree with themselves and the store through cascades and new objects`(
    _ policy: MergePolicy,
    _ seed: Int
  ) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var world = try LibraryWorld(libraryContainer(), policy, seed)
    for _ in 0..<40 {
      let step = random.pick(LibraryStep.allCases + [.save, .save])
      try await world.perform(step, Int.random(in: 0..<2, using: &random), &random)
      try world.expect { $0 == 0 || random.once(in: 6) }
    }
    for _ in 0..<2 {
      for side in 0..<2 { try await world.perform(.save, side, &random) }
    }
    try world.expect { _ in true }
  }
}
