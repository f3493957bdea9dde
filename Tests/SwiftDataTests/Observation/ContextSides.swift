import Dispatch
import TestSupport
import Testing

@testable import SwiftData

/// The properties that steps of contexts change.
enum Aspect: CaseIterable { case pages, shelf, both }

/// A step of one of several contexts.
enum ContextStep: Hashable, CustomStringConvertible {
  /// Gives a row a value; the relationship on the side of its list if asked for.
  case edit(Int, Int, byList: Bool)
  case delete(Int)
  /// Deletes a row in the store at once.
  case deleteInBulk(Int)
  /// Gives a row a value in the store at once.
  case setInBulk(Int, Int)
  /// Gives a row a value, which the context saves without being asked.
  case autosave(Int, Int)
  /// Gives rows values in a transaction with one inside, which may throw at its end.
  case transaction([Edit], fails: Bool)
  case save
  case rollBack

  struct Edit: Hashable {
    var row: Int
    var value: Int
  }

  var description: String {
    switch self {
    case .edit(let row, let value, let byList): "\(row)=\(value)\(byList ? " by list" : "")"
    case .delete(let row): "delete \(row)"
    case .deleteInBulk(let row): "delete \(row) in bulk"
    case .setInBulk(let row, let value): "\(row)=\(value) in bulk"
    case .autosave(let row, let value): "\(row)=\(value) by autosave"
    case .transaction(let edits, let fails):
      "transaction {\(edits.map { "\($0.row)=\($0.value)" })}\(fails ? " that throws" : "")"
    case .save: "save"
    case .rollBack: "rollback"
    }
  }
}

/// A context, and its objects of the rows.
@MainActor struct ContextSide {
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

  /// The value of a row; -1 if its two properties have different ones.
  func value(of volume: Volume) -> Int {
    let shelf = aspect == .pages ? 0 : volume.shelf.flatMap { Int($0.name) } ?? 0
    return switch aspect {
    case .pages: volume.pages
    case .shelf: shelf
    case .both: volume.pages == shelf ? shelf : -1
    }
  }

  /// Gives a row a value; a shelf from either side of the relationship.
  func set(_ row: Int, _ value: Int, byList: Bool) {
    let volume = volumes[row]
    if aspect != .shelf { volume.pages = value }
    if aspect == .pages { return }
    if !byList {
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
      if shown != nil, !model.isOpen(side, row) {
        #expect(value(of: volume) == shown, "\(side).\(row): \(steps)")
      }
      // An object that was edited, and whose row others have deleted, stays for its deletion to be saved.
      let isHere = shown != nil || model.isOpen(side, row)
      #expect((volume.modelContext != nil) == isHere, "\(side).\(row): \(steps)")
    }
    guard aspect != .pages, readingLists else { return }
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

/// Several contexts of a process, and the model of all that they have to show.
@MainActor struct ContextWorld {
  let container: ModelContainer
  let sides: [ContextSide]
  var model: ContextsModel
  var steps: [String] = []

  /// Creates the world of as many contexts as there are sides of the model, each with a policy.
  init(_ container: ModelContainer, _ aspect: Aspect, _ policy: MergePolicy) throws {
    self.container = container
    // Each has a main context of its own, so that all steps are on one actor.
    sides = try (0..<2).map { _ in
      try ContextSide(ModelContainer(container.core).mainContext, aspect)
    }
    for side in sides { side.context.mergePolicy = policy }
    model = ContextsModel(policy, rows: sides[0].volumes.count)
  }

  /// Makes a container with volumes and three shelves.
  static func stock(_ container: ModelContainer, volumes count: Int = 3) throws {
    let setup = ModelContext(container)
    for number in 0..<count { setup.insert(Volume(title: "\(number)")) }
    for number in 1...3 { setup.insert(Shelf(name: "\(number)")) }
    try setup.save()
  }

  /// Lets a context make a step, if it makes sense there, and the model likewise.
  mutating func perform(_ step: ContextStep, _ number: Int) async throws {
    steps.append("\(number): \(step)")
    let side = sides[number]
    switch step {
    case .edit(let row, let value, let byList):
      guard model.isHere(number, row), model.shown(number, row) != value else { return }
      side.set(row, value, byList: byList)
      model.edit(number, row, value)
    case .delete(let row):
      guard model.isHere(number, row) else { return }
      side.context.delete(side.volumes[row])
      model.delete(number, row)
    case .deleteInBulk(let row):
      let title = "\(row)"
      try side.context.delete(model: Volume.self, where: #Predicate { $0.title == title })
      model.deleteInBulk(number, row)
    case .setInBulk(let row, let value):
      let title = "\(row)"
      let predicate = #Predicate<Volume> { $0.title == title }
      try side.context.update(Volume.self, where: predicate, set: \.pages, to: value)
      model.setInBulk(row, value)
    case .autosave(let row, let value):
      guard model.isHere(number, row), model.shown(number, row) != value else { return }
      side.context.autosaveEnabled = true
      side.set(row, value, byList: false)
      model.edit(number, row, value)
      await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
      side.context.autosaveEnabled = false
      if model.save(number) {
        #expect(side.context.autosaveFailure == .saveConflict, "\(steps)")
        side.context.rollback()
      } else {
        #expect(!side.context.hasChanges, "\(steps)")
      }
    case .transaction(let edits, let fails):
      try perform(edits, fails, number)
    case .save:
      try expectSave(model.save(number), number) { try side.context.save() }
    case .rollBack:
      model.rollBack(number)
      side.context.rollback()
    }
  }

  private mutating func perform(
    _ edits: [ContextStep.Edit],
    _ fails: Bool,
    _ number: Int
  ) throws {
    let side = sides[number]
    // Changes from before are saved first.
    let isConflict = model.save(number)
    let possible = edits.filter { model.isHere(number, $0.row) }
    var hasFailed = false
    func run() throws {
      do {
        try side.context.transaction {
          for edit in possible.dropLast() { side.set(edit.row, edit.value, byList: false) }
          try side.context.transaction {
            for edit in possible.suffix(1) { side.set(edit.row, edit.value, byList: true) }
          }
          if fails { throw TestFailure("the end") }
        }
      } catch is TestFailure {
        hasFailed = true
      }
    }
    try expectSave(isConflict, number, run)
    #expect(hasFailed == (fails && !isConflict), "\(steps)")
    if isConflict || fails { return }
    for edit in possible where model.shown(number, edit.row) != edit.value {
      model.edit(number, edit.row, edit.value)
    }
    _ = model.save(number)
  }

  /// Expects that a save throws just in a conflict, after which everything is rolled back.
  private func expectSave(_ isConflict: Bool, _ number: Int, _ save: () throws -> Void) throws {
    do {
      try save()
      #expect(!isConflict, "no error: \(steps)")
    } catch let error as SwiftDataError where error == .saveConflict {
      #expect(isConflict, "\(error): \(steps)")
      sides[number].context.rollback()
    }
  }

  /// Expects that all contexts are as the model has them, and the store where something may be stored.
  func expect(storing: Bool = true, readingLists: (_ side: Int) -> Bool) throws {
    for (number, side) in sides.enumerated() {
      side.expect(model, number, readingLists: readingLists(number), steps)
    }
    guard storing else { return }
    let fresh = try ContextSide(ModelContext(container), sides[0].aspect)
    #expect(fresh.volumes.map(fresh.value) == model.stored.compactMap(\.self), "\(steps)")
  }
}
