import TestSupport
import Testing

@testable import SwiftData

/// Steps of several contexts of one process in random orders, held after each step against a plain model with
/// one rule for each policy.
@MainActor @Suite struct `Contexts whose steps come in any order` {
  nonisolated static let policies: [MergePolicy] = [
    .error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .rollback,
  ]

  @Test(arguments: policies, seeds(20))
  func `show what the model shows after each step`(_ policy: MergePolicy, _ seed: Int) throws {
    try play(policy, seed, .pages)
  }

  @Test(arguments: policies, seeds(20))
  func `show in lists what the model shows after each step`(
    _ policy: MergePolicy,
    _ seed: Int
  ) throws {
    try play(policy, seed, .shelf)
  }

  /// The property that is changed.
  enum Aspect: CaseIterable { case pages, shelf }

  /// A context, and its objects of the rows.
  private struct Side {
    let context: ModelContext
    let volumes: [Volume]
    let shelves: [Shelf]
    let aspect: Aspect

    init(_ context: ModelContext, _ aspect: Aspect) throws {
      context.autosaveEnabled = false
      self.context = context
      self.aspect = aspect
      volumes = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.title)]))
      shelves = try context.fetch(FetchDescriptor(sortBy: [SortDescriptor(\.name)]))
    }

    /// The values of all rows that the context knows.
    func value(of volume: Volume) -> Int {
      switch aspect {
      case .pages: volume.pages
      case .shelf: volume.shelf.flatMap { Int($0.name) } ?? 0
      }
    }

    /// Gives a row a value; a shelf from either side of the relationship.
    func set(_ row: Int, _ value: Int, _ random: inout SeededGenerator) {
      let volume = volumes[row]
      if aspect == .pages {
        volume.pages = value
      } else if random.once(in: 2) {
        volume.shelf = value == 0 ? nil : shelves[value - 1]
      } else if value == 0 {
        volume.shelf?.volumes.removeAll { $0 === volume }
      } else {
        shelves[value - 1].volumes.append(volume)
      }
    }

    /// Expects that the objects and the lists are as the model has them.
    func expect(_ model: ContextsModel, _ side: Int, readingLists: Bool, _ steps: [String]) {
      for (row, volume) in volumes.enumerated() {
        let shown = model.shown(side, row)
        #expect(shown == nil || value(of: volume) == shown, "\(side).\(row): \(steps)")
        #expect((volume.modelContext == nil) == (shown == nil), "\(side).\(row): \(steps)")
      }
      guard aspect == .shelf, readingLists else { return }
      for (index, shelf) in shelves.enumerated() {
        let rows = volumes.indices.filter { model.listed(side, $0) == index + 1 }
        let members = shelf.volumes.filter { $0.modelContext == nil || !$0.isDeleted }
        #expect(members.allSatisfy { $0.modelContext === context }, "\(side): \(steps)")
        #expect(
          members.map(\.title).sorted() == rows.map { "\($0)" },
          "\(side), shelf \(index + 1): \(steps)"
        )
      }
    }
  }

  /// Creates a container with three volumes and three shelves.
  private func stocked() throws -> ModelContainer {
    let container = try libraryContainer()
    let setup = ModelContext(container)
    for number in 0..<3 {
      setup.insert(Volume(title: "\(number)"))
      setup.insert(Shelf(name: "\(number + 1)"))
    }
    try setup.save()
    return container
  }

  private func expectStored(
    _ container: ModelContainer,
    _ aspect: Aspect,
    _ model: ContextsModel,
    _ steps: [String]
  ) throws {
    let fresh = try Side(ModelContext(container), aspect)
    #expect(fresh.volumes.map(fresh.value) == model.stored.compactMap(\.self), "\(steps)")
  }

  private func play(_ policy: MergePolicy, _ seed: Int, _ aspect: Aspect) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let container = try stocked()
    // Each has a main context of its own, so that all steps are on one actor.
    let containers = [container, ModelContainer(container.core)]
    let sides = try containers.map { try Side($0.mainContext, aspect) }
    for side in sides { side.context.mergePolicy = policy }
    var model = ContextsModel(policy)
    var steps = ["seed \(seed)"]
    for _ in 0..<40 {
      let (side, row) = (
        Int.random(in: 0..<2, using: &random), Int.random(in: 0..<3, using: &random)
      )
      steps.append("\(side).\(row)")
      let context = sides[side].context
      switch Int.random(in: 0..<8, using: &random) {
      case 0...3:
        guard let value = model.choose(side, row, &random) else { continue }
        steps.append("=\(value)")
        sides[side].set(row, value, &random)
        model.edit(side, row, value)
      case 4...5:
        steps.append("save")
        let isConflict = model.save(side)
        do {
          try context.save()
          #expect(!isConflict, "no error: \(steps)")
        } catch let error as SwiftDataError where error == .saveConflict {
          #expect(isConflict, "\(error): \(steps)")
          context.rollback()
        }
      case 6:
        steps.append("rollback")
        model.rollBack(side)
        context.rollback()
      default:
        guard model.views[side][row] == .clean else { continue }
        steps.append("delete")
        context.delete(sides[side].volumes[row])
        model.delete(side, row)
      }
      for (number, side) in sides.enumerated() {
        // Lists that nobody has read are kept up otherwise than those that are known.
        let readsLists = number == 0 || random.once(in: 6)
        side.expect(model, number, readingLists: readsLists, steps)
      }
      try expectStored(container, aspect, model, steps)
    }
  }

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

  @Test(arguments: Aspect.allCases, seeds(20))
  func `show what the model shows while they undo, beside an actor`(
    _ aspect: Aspect,
    _ seed: Int
  ) async throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let container = try stocked()
    let clerk = Clerk(modelContainer: container)
    let side = try Side(container.mainContext, aspect)
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
        side.set(row, value, &random)
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
        switch aspect {
        case .pages: try await clerk.set(identifier, pages: value)
        case .shelf:
          let shelf = value == 0 ? nil : side.shelves[value - 1].persistentModelID
          try await clerk.move(identifier, to: shelf)
        }
        if model.stored[row] != value { model.store(row, value) }
      }
      side.expect(model, 0, readingLists: random.once(in: 6), steps)
      #expect(manager.canUndo == !undone.isEmpty, "\(steps)")
      #expect(manager.canRedo == !redone.isEmpty, "\(steps)")
      try expectStored(container, aspect, model, steps)
    }
  }
}
