import TestSupport

@testable import SwiftData

/// A plain model of two contexts and their store, of rows with one value each, as the page of conflicts says.
struct ContextsModel {
  /// What one context has of a row.
  enum View: Equatable {
    case clean
    /// A value that isn't saved, and the stored one that the program saw when it set it.
    case edited(Int, base: Int)
    /// To be deleted; whether others have changed the row since it was read or edited.
    case deleted(isChanged: Bool, wasEdited: Bool)
    case gone
  }

  let policy: MergePolicy
  /// The values that are stored; `nil` where there is no row.
  var stored: [Int?]
  var views: [[View]]

  init(_ policy: MergePolicy, rows count: Int = 3) {
    self.policy = policy
    stored = Array(repeating: 0, count: count)
    views = Array(repeating: Array(repeating: .clean, count: count), count: 2)
  }

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

  /// The value by which a list has a row; `nil` if it is to be deleted, or isn't there.
  func listed(_ side: Int, _ row: Int) -> Int? {
    switch views[side][row] {
    case .clean, .edited: shown(side, row)
    case .deleted: nil
    // The other context may have stored it again, so that there is another object of it.
    case .gone: stored[row]
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

  /// Gives a row a value by undoing something or doing it again, which may be what it was at first.
  mutating func restore(_ side: Int, _ row: Int, _ value: Int) {
    switch views[side][row] {
    case .clean: if stored[row] != value { edit(side, row, value) }
    case .edited(_, let base) where base == value: views[side][row] = .clean
    case .edited: edit(side, row, value)
    case .deleted, .gone: break
    }
  }

  /// Stores a value that somebody else has given a row; `nil` if the row is deleted.
  mutating func store(_ row: Int, _ value: Int?) {
    if stored[row] == value { return }
    stored[row] = value
    for side in views.indices {
      if value == nil { remove(side, row) } else { change(side, row) }
    }
  }

  mutating func delete(_ side: Int, _ row: Int) {
    if case .edited(_, let base) = views[side][row] {
      // Two that delete the same agree.
      let isChanged = stored[row].map { $0 != base } ?? false
      views[side][row] = .deleted(isChanged: isChanged, wasEdited: true)
    } else {
      views[side][row] = .deleted(isChanged: false, wasEdited: false)
    }
  }

  /// Deletes a row by one of the contexts, in the store; one that the context has edited, as others are.
  mutating func deleteInBulk(_ side: Int, _ row: Int) {
    switch views[side][row] {
    case .edited: delete(side, row)
    case .deleted: break
    case .clean, .gone: store(row, nil)
    }
  }

  /// Gives a row a value in the store, though contexts have changes of it that aren't saved.
  mutating func setInBulk(_ row: Int, _ value: Int) {
    if stored[row] != nil { store(row, value) }
  }

  /// Whether the page of conflicts says nothing of the value that the row shows.
  func isOpen(_ side: Int, _ row: Int) -> Bool {
    if case .deleted(_, let wasEdited) = views[side][row] { wasEdited } else { false }
  }

  mutating func rollBack(_ side: Int) {
    for row in stored.indices where views[side][row] != .gone {
      views[side][row] = stored[row] == nil ? .gone : .clean
    }
  }

  /// Saves; returns whether that is a conflict, after which everything is rolled back.
  mutating func save(_ side: Int) -> Bool {
    if policy == .error, stored.indices.contains(where: { isContested(side, $0) }) {
      rollBack(side)
      return true
    }
    for row in stored.indices {
      switch views[side][row] {
      case .edited(let value, _):
        views[side][row] = .clean
        let old = stored[row]
        stored[row] = value
        if old != value { change(1 - side, row) }
      case .deleted(isChanged: true, _) where !letsContextWin:
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

  private var letsContextWin: Bool {
    policy == .mergeByPropertyObjectTrump || policy == .overwrite
  }

  private func isContested(_ side: Int, _ row: Int) -> Bool {
    switch views[side][row] {
    case .edited(_, let base): stored[row] != base
    case .deleted(let isChanged, _): isChanged
    case .clean, .gone: false
    }
  }

  /// Lets a context learn that the other one has changed a row.
  private mutating func change(_ side: Int, _ row: Int) {
    switch views[side][row] {
    case .edited where policy == .mergeByPropertyStoreTrump || policy == .rollback:
      views[side][row] = .clean
    case .deleted(_, let wasEdited):
      views[side][row] = .deleted(isChanged: true, wasEdited: wasEdited)
    default: break
    }
  }

  /// Lets a context learn that the other one has deleted a row.
  private mutating func remove(_ side: Int, _ row: Int) {
    if case .edited = views[side][row], policy == .error || letsContextWin { return }
    views[side][row] = .gone
  }
}
