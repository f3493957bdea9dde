/// Actions that are undone together, the last first.
final class UndoGroup {
  private(set) var items: [Item] = []
  /// The name of the actions, as in "Rename Trip".
  var name = ""
  var isDiscardable = false
  var userInfo: [UndoManager.UserInfoKey: Any] = [:]

  enum Item {
    case action(UndoAction)
    case group(UndoGroup)
  }

  /// Whether nothing would be done.
  var isEmpty: Bool {
    items.allSatisfy { item in
      switch item {
      case .action: false
      case .group(let group): group.isEmpty
      }
    }
  }

  func append(_ item: Item) { items.append(item) }

  func removeLast() { items.removeLast() }

  /// Performs the actions, the last first.
  func perform() {
    for item in items.reversed() {
      switch item {
      case .action(let action): action.perform()
      case .group(let group): group.perform()
      }
    }
  }

  /// Forgets the actions of a target.
  func removeActions(of target: AnyObject) {
    items.removeAll { item in
      switch item {
      case .action(let action): return action.isOf(target)
      case .group(let group):
        group.removeActions(of: target)
        return group.isEmpty
      }
    }
  }
}

/// One action that undoes a change.
struct UndoAction {
  private weak var target: AnyObject?
  private let body: (AnyObject) -> Void

  init(_ target: AnyObject, _ body: @escaping (AnyObject) -> Void) {
    self.target = target
    self.body = body
  }

  /// Performs the action, if its target is still there.
  func perform() { if let target { body(target) } }

  /// Whether it is an action of a target, or of one that has ended.
  func isOf(_ other: AnyObject) -> Bool { target == nil || target === other }
}
