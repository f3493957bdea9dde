import TestSupport
import Testing

@testable import SwiftData

/// Steps of several contexts of one process, of actors, and of a second process, held after each step against a
/// plain model with one rule for each policy.
@MainActor @Suite struct `Contexts whose steps come in any order` {
  nonisolated static let policies = MergePolicy.allCases

  private func stocked() throws -> ModelContainer {
    let container = try libraryContainer()
    try ContextWorld.stock(container)
    return container
  }

  @Test(arguments: policies, seeds(6, of: 20))
  func `show what the model shows after each step`(
    _ policy: MergePolicy,
    _ seed: Int
  ) async throws {
    try await play(policy, seed, .pages)
  }

  @Test(arguments: policies, seeds(6, of: 20))
  func `show in lists what the model shows after each step`(
    _ policy: MergePolicy,
    _ seed: Int
  ) async throws {
    try await play(policy, seed, .shelf)
  }

  private func play(_ policy: MergePolicy, _ seed: Int, _ aspect: Aspect) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var world = try ContextWorld(stocked(), aspect, policy)
    world.steps = ["seed \(seed)"]
    for _ in 0..<40 {
      let side = Int.random(in: 0..<2, using: &random)
      guard let step = step(of: side, world.model, aspect, &random) else { continue }
      try await world.perform(step, side)
      // Lists that nobody has read are kept up otherwise than those that are known.
      try world.expect { $0 == 0 || random.once(in: 6) }
    }
  }

  /// Chooses the next step of a context; `nil` if there is none of the kind that chance says.
  private func step(
    of side: Int,
    _ model: ContextsModel,
    _ aspect: Aspect,
    _ random: inout SeededGenerator
  ) -> ContextStep? {
    let row = Int.random(in: model.stored.indices, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0...3:
      guard let value = model.choose(side, row, &random) else { return nil }
      return .edit(row, value, byList: random.once(in: 2))
    case 4...5: return .save
    case 6: return .rollBack
    case 7: return .deleteInBulk(row)
    case 8:
      guard aspect == .pages, let value = model.choose(side, row, &random) else { return nil }
      return .setInBulk(row, value)
    case 9: return model.choose(side, row, &random).map { .autosave(row, $0) }
    case 10:
      let edits = (0..<3).map { _ in
        let row = Int.random(in: model.stored.indices, using: &random)
        return ContextStep.Edit(row: row, value: Int.random(in: 0..<4, using: &random))
      }
      return .transaction(edits, fails: random.once(in: 2))
    default: return model.views[side][row] == .clean ? .delete(row) : nil
    }
  }

  // MARK: - Every order

  /// The sequences of up to three steps with the one row in which each step does something.
  nonisolated private static let shortSequences: [[ContextStep]] = sequences(after: [])

  nonisolated private static func sequences(after steps: [ContextStep]) -> [[ContextStep]] {
    let next = steps.count < 3 ? nextSteps(after: steps) : []
    return next.isEmpty ? [steps] : next.flatMap { sequences(after: steps + [$0]) }
  }

  nonisolated private static func nextSteps(after steps: [ContextStep]) -> [ContextStep] {
    let change = steps.last { $0 != .save }
    let isPending = steps.last.map { $0 != .save && $0 != .rollBack } ?? false
    if change == .delete(0) { return isPending ? [.save, .rollBack] : [] }
    let edits = [ContextStep.edit(0, 1, byList: false), .edit(0, 2, byList: true)]
    return edits.filter { $0 != change } + [.delete(0)] + (isPending ? [.save, .rollBack] : [])
  }

  /// All ways to mix two sequences of three steps: the places of the first one's.
  nonisolated private static let orders: [[Int]] = (0..<64).filter { $0.nonzeroBitCount == 3 }
    .map { mask in (0..<6).map { mask >> $0 & 1 } }

  /// Each seed is a pair of sequences; a hundred times as many seeds are all pairs.
  @Test(arguments: seeds(4))
  func `show what the model shows in every order of short sequences`(_ seed: Int) async throws {
    let all = Self.shortSequences
    let pairs = all.indices.flatMap { first in (0...first).map { (first, $0) } }
    // A prime number of pairs from one seed to the next comes to each of them.
    let pair = pairs[seed * 1013 % pairs.count]
    let container = try libraryContainer()
    try ContextWorld.stock(container, volumes: 0)
    for policy in Self.policies {
      for order in Self.orders {
        let setup = ModelContext(container)
        setup.insert(Volume(title: "0"))
        try setup.save()
        var world = try ContextWorld(container, .both, policy)
        world.steps = ["seed \(seed)", "\(policy)"]
        var rest = [all[pair.0][...], all[pair.1][...]]
        for side in order {
          guard let step = rest[side].popFirst() else { continue }
          try await world.perform(step, side)
          try world.expect(storing: step == .save) { _ in true }
        }
        try setup.delete(model: Volume.self)
      }
    }
  }

  // MARK: - Undoing, beside an actor

  @ModelActor fileprivate actor Clerk {
    func set(_ identifier: PersistentIdentifier, pages: Int) throws {
      self[identifier, as: Volume.self]?.pages = pages
      try modelContext.save()
    }

    func move(_ identifier: PersistentIdentifier, to shelf: PersistentIdentifier?) throws {
      self[identifier, as: Volume.self]?.shelf = shelf.flatMap { self[$0, as: Shelf.self] }
      try modelContext.save()
    }
  }

  @Test(arguments: [Aspect.pages, .shelf], seeds(10, of: 20))
  func `show what the model shows while they undo, beside an actor`(
    _ aspect: Aspect,
    _ seed: Int
  ) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let container = try stocked()
    let clerk = Clerk(modelContainer: container)
    let side = try ContextSide(container.mainContext, aspect)
    let manager = UndoManager()
    side.context.undoManager = manager
    var model = ContextsModel(.mergeByPropertyObjectTrump)
    /// What undoing and doing again restore, the last first.
    var (undone, redone): ([(row: Int, value: Int)], [(row: Int, value: Int)]) = ([], [])
    var steps = ["seed \(seed)"]
    for _ in 0..<40 {
      let row = Int.random(in: 0..<3, using: &random)
      let before = model.shown(0, row) ?? 0
      switch Int.random(in: 0..<10, using: &random) {
      case 0...2:
        guard let value = model.choose(0, row, &random) else { continue }
        steps.append("\(row)=\(value)")
        side.set(row, value, byList: aspect == .shelf && !random.once(in: 2))
        side.context.processPendingChanges()
        model.edit(0, row, value)
        undone.append((row, before))
        redone = []
      case 3:
        steps.append("save")
        try side.context.save()
        _ = model.save(0)
      case 4...5:
        guard let step = undone.popLast() else { continue }
        steps.append("undo \(step)")
        redone.append((step.row, model.shown(0, step.row) ?? 0))
        manager.undo()
        model.restore(0, step.row, step.value)
      case 6:
        guard let step = redone.popLast() else { continue }
        steps.append("redo \(step)")
        undone.append((step.row, model.shown(0, step.row) ?? 0))
        manager.redo()
        model.restore(0, step.row, step.value)
      case 7:
        steps.append("rollback")
        side.context.rollback()
        model.rollBack(0)
        (undone, redone) = ([], [])
      default:
        let value = Int.random(in: 0..<4, using: &random)
        steps.append("clerk \(row)=\(value)")
        let identifier = side.volumes[row].persistentModelID
        if aspect == .pages {
          try await clerk.set(identifier, pages: value)
        } else {
          let shelf = value == 0 ? nil : side.shelves[value - 1].persistentModelID
          try await clerk.move(identifier, to: shelf)
        }
        model.store(row, value)
      }
      side.expect(model, 0, readingLists: random.once(in: 6), steps)
      #expect(manager.canUndo == !undone.isEmpty, "\(steps)")
      #expect(manager.canRedo == !redone.isEmpty, "\(steps)")
      let fresh = try ContextSide(ModelContext(container), aspect)
      #expect(fresh.volumes.map(fresh.value) == model.stored.compactMap(\.self), "\(steps)")
    }
  }

  // MARK: - Beside another process

  @Test(arguments: policies, seeds(3))
  func `show what the model shows beside a thread and another process`(
    _ policy: MergePolicy,
    _ seed: Int
  ) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let aspect = random.pick([Aspect.pages, .shelf])
    let service = try LosableService()
    let container = try ModelContainer(
      for: Shelf.self,
      configurations: ModelConfiguration(url: service.store)
    )
    try ContextWorld.stock(container)
    let user = try LibraryUser(service.store)
    var world = try ContextWorld(container, aspect, policy)
    world.steps = ["seed \(seed)"]
    for _ in 0..<40 {
      let side = Int.random(in: 0..<3, using: &random)
      if side < 2 {
        guard let step = step(of: side, world.model, aspect, &random) else { continue }
        try await world.perform(step, side)
      } else {
        let row = Int.random(in: 0..<3, using: &random)
        guard world.model.stored[row] != nil else { continue }
        let value = random.once(in: 8) ? nil : Int.random(in: 0..<4, using: &random)
        let isThread = random.once(in: 3)
        world.steps.append(
          "\(isThread ? "thread" : "process"): \(row)=\(value.map { "\($0)" } ?? "deleted")"
        )
        if isThread {
          try await onThread { try Self.change(row, value, aspect, in: container) }
        } else {
          let token = try await user.token(after: line(row, value, aspect))
          try await container.waitUntilMerged(through: token)
        }
        world.model.store(row, value)
      }
      try world.expect { $0 == 0 || random.once(in: 6) }
    }
  }

  /// Gives a row a value in a context of the calling thread, or deletes it.
  nonisolated private static func change(
    _ row: Int,
    _ value: Int?,
    _ aspect: Aspect,
    in container: ModelContainer
  ) throws {
    let context = ModelContext(container)
    let (title, name) = ("\(row)", "\(value ?? 0)")
    let volumes = FetchDescriptor<Volume>(predicate: #Predicate { $0.title == title })
    let shelves = FetchDescriptor<Shelf>(predicate: #Predicate { $0.name == name })
    guard let volume = try context.fetch(volumes).first else { throw TestFailure("no \(row)") }
    if value == nil {
      context.delete(volume)
    } else if aspect == .pages {
      volume.pages = value ?? 0
    } else {
      volume.shelf = try context.fetch(shelves).first
    }
    try context.save()
  }

  /// Returns the line by which the other process gives a row a value, or deletes it.
  private func line(_ row: Int, _ value: Int?, _ aspect: Aspect) -> String {
    guard let value else { return "delete \(row)" }
    if aspect == .pages { return "pages \(row) \(value)" }
    return value == 0 ? "remove \(row)" : "move \(row) \(value)"
  }
}
