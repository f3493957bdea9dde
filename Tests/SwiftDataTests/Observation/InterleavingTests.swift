import TestSupport
import Testing

@testable import SwiftData

/// Steps of two contexts of one process in random orders, held after each step against a plain model with one
/// rule for each policy.
@MainActor @Suite struct `Contexts whose steps come in any order` {
  nonisolated static let policies: [MergePolicy] = [
    .error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .rollback,
  ]

  @Test(arguments: policies, seeds(20))
  func `show what the model shows after each step`(_ policy: MergePolicy, _ seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let container = try libraryContainer()
    let setup = ModelContext(container)
    for number in 0..<3 { setup.insert(Volume(title: "\(number)")) }
    try setup.save()
    // Each has a main context of its own, so that all steps are on one actor.
    let containers = [container, ModelContainer(container.core)]
    let all = FetchDescriptor<Volume>(sortBy: [SortDescriptor(\.title)])
    var model = Model(policy)
    var sides: [Side] = []
    for container in containers {
      let context = container.mainContext
      context.autosaveEnabled = false
      context.mergePolicy = policy
      sides.append(Side(context: context, volumes: try context.fetch(all)))
    }
    var steps: [String] = []
    for _ in 0..<40 {
      let (side, row) = (
        Int.random(in: 0..<2, using: &random), Int.random(in: 0..<3, using: &random)
      )
      steps.append("\(side).\(row)")
      let volume = sides[side].volumes[row]
      switch Int.random(in: 0..<8, using: &random) {
      case 0...3:
        guard let value = model.choose(side, row, &random) else { continue }
        steps.append("=\(value)")
        volume.pages = value
        model.edit(side, row, value)
      case 4...5:
        steps.append("save")
        let isConflict = model.save(side)
        do {
          try sides[side].context.save()
          #expect(!isConflict, "no error: \(steps)")
        } catch let error as SwiftDataError where error == .saveConflict {
          #expect(isConflict, "\(error): \(steps)")
          sides[side].context.rollback()
        }
      case 6:
        steps.append("rollback")
        model.rollBack(side)
        sides[side].context.rollback()
      default:
        guard model.views[side][row] == .clean else { continue }
        steps.append("delete")
        sides[side].context.delete(volume)
        model.delete(side, row)
      }
      for (side, known) in sides.enumerated() {
        for (row, volume) in known.volumes.enumerated() {
          let shown = model.shown(side, row)
          #expect(shown == nil || volume.pages == shown, "\(side).\(row): \(steps)")
          #expect((volume.modelContext == nil) == (shown == nil), "\(side).\(row): \(steps)")
        }
      }
      let stored = try ModelContext(container).fetch(all)
      #expect(stored.map(\.pages) == model.stored.compactMap(\.self), "\(steps)")
    }
  }

  private struct Side {
    let context: ModelContext
    let volumes: [Volume]
  }

  /// What contexts and store have, as the page of conflicts says.
  private struct Model {
    /// What one context has of a row.
    enum View: Equatable {
      case clean
      /// A value that isn't saved, and the stored one that the program saw when it set it.
      case edited(Int, base: Int)
      /// To be deleted; whether others have changed the row since.
      case deleted(isChanged: Bool)
      case gone
    }

    let policy: MergePolicy
    /// The values that are stored; `nil` where there is no row.
    var stored: [Int?] = [0, 0, 0]
    var views: [[View]] = [[.clean, .clean, .clean], [.clean, .clean, .clean]]

    init(_ policy: MergePolicy) { self.policy = policy }

    func isHere(_ side: Int, _ row: Int) -> Bool {
      switch views[side][row] {
      case .clean, .edited: true
      case .deleted, .gone: false
      }
    }

    func shown(_ side: Int, _ row: Int) -> Int? {
      switch views[side][row] {
      case .clean, .deleted: stored[row]
      case .edited(let value, _): value
      case .gone: nil
      }
    }

    /// Chooses one of few values, so that both contexts often set the same, which is a change.
    func choose(
      _ side: Int,
      _ row: Int,
      _ random: inout some RandomNumberGenerator
    ) -> Int? {
      guard isHere(side, row) else { return nil }
      var others = Set(0..<4)
      if case .edited(let value, let base) = views[side][row] { others.subtract([value, base]) }
      if let value = stored[row] { others.remove(value) }
      return others.sorted().randomElement(using: &random)
    }

    mutating func edit(_ side: Int, _ row: Int, _ value: Int) {
      if case .edited(_, let base) = views[side][row] {
        views[side][row] = .edited(value, base: base)
      } else if let old = stored[row] {
        views[side][row] = .edited(value, base: old)
      }
    }

    mutating func delete(_ side: Int, _ row: Int) { views[side][row] = .deleted(isChanged: false) }

    mutating func rollBack(_ side: Int) {
      for row in 0..<3 where views[side][row] != .gone {
        views[side][row] = stored[row] == nil ? .gone : .clean
      }
    }

    /// Saves; returns whether that is a conflict, after which everything is rolled back.
    mutating func save(_ side: Int) -> Bool {
      if policy == .error, (0..<3).contains(where: { isContested(side, $0) }) {
        rollBack(side)
        return true
      }
      for row in 0..<3 {
        switch views[side][row] {
        case .edited(let value, _):
          views[side][row] = .clean
          let old = stored[row]
          stored[row] = value
          if old != value { change(1 - side, row) }
        case .deleted(isChanged: true) where policy != .mergeByPropertyObjectTrump:
          views[side][row] = .clean
        case .deleted:
          stored[row] = nil
          views[side][row] = .gone
          remove(1 - side, row)
        case .clean, .gone: break
        }
      }
      return false
    }

    private func isContested(_ side: Int, _ row: Int) -> Bool {
      switch views[side][row] {
      case .edited(_, let base): stored[row] != base
      case .deleted(let isChanged): isChanged
      case .clean, .gone: false
      }
    }

    /// Lets a context learn that the other one has changed a row.
    private mutating func change(_ side: Int, _ row: Int) {
      switch views[side][row] {
      case .edited where policy == .mergeByPropertyStoreTrump || policy == .rollback:
        views[side][row] = .clean
      case .deleted: views[side][row] = .deleted(isChanged: true)
      default: break
      }
    }

    /// Lets a context learn that the other one has deleted a row.
    private mutating func remove(_ side: Int, _ row: Int) {
      if case .edited = views[side][row],
        policy == .error || policy == .mergeByPropertyObjectTrump
      {
        return
      }
      views[side][row] = .gone
    }
  }
}
