import Testing

@testable import SwiftData

@MainActor @Suite struct `Undo managers` {
  /// A number whose changes can be undone.
  private final class Counter {
    let manager: UndoManager
    private(set) var value = 0

    init(_ manager: UndoManager) { self.manager = manager }

    func set(_ newValue: Int) {
      let old = value
      manager.registerUndo(withTarget: self) { $0.set(old) }
      value = newValue
    }
  }

  private let manager = UndoManager()

  @Test func `an action is undone and done again`() {
    let counter = Counter(manager)
    #expect(!manager.canUndo)
    counter.set(1)
    #expect(manager.canUndo)
    manager.undo()
    #expect(counter.value == 0)
    #expect(!manager.canUndo)
    #expect(manager.canRedo)
    manager.redo()
    #expect(counter.value == 1)
    #expect(manager.canUndo)
    #expect(!manager.canRedo)
  }

  @Test func `actions of one event are undone together`() {
    let counter = Counter(manager)
    counter.set(1)
    counter.set(2)
    manager.undo()
    #expect(counter.value == 0)
    manager.redo()
    #expect(counter.value == 2)
  }

  @Test func `the group of an event closes when the main queue has done what it is doing`()
    async
  {
    let counter = Counter(manager)
    counter.set(1)
    #expect(manager.groupingLevel == 1)
    await withCheckedContinuation { done in DispatchQueue.main.async { done.resume() } }
    #expect(manager.groupingLevel == 0)
    counter.set(2)
    manager.undo()
    #expect(counter.value == 1)
    manager.undo()
    #expect(counter.value == 0)
  }

  @Test func `without groups by event every action is a group of its own`() {
    manager.groupsByEvent = false
    let counter = Counter(manager)
    counter.set(1)
    counter.set(2)
    #expect(manager.undoCount == 2)
    manager.undo()
    #expect(counter.value == 1)
  }

  @Test func `groups in groups are undone as one`() {
    let counter = Counter(manager)
    manager.beginUndoGrouping()
    counter.set(1)
    manager.beginUndoGrouping()
    counter.set(2)
    #expect(manager.groupingLevel == 2)
    manager.endUndoGrouping()
    manager.undoNestedGroup()
    #expect(counter.value == 1)
    manager.endUndoGrouping()
    #expect(manager.groupingLevel == 0)
    manager.undo()
    #expect(counter.value == 0)
  }

  @Test func `an empty group leaves nothing to undo`() {
    manager.beginUndoGrouping()
    manager.endUndoGrouping()
    #expect(!manager.canUndo)
  }

  @Test func `something new makes what was undone unavailable`() {
    let counter = Counter(manager)
    counter.set(1)
    manager.undo()
    counter.set(5)
    #expect(!manager.canRedo)
    manager.undo()
    #expect(counter.value == 0)
  }

  @Test func `names go with their groups in both directions`() {
    let counter = Counter(manager)
    counter.set(1)
    manager.setActionName("Count")
    #expect(manager.undoActionName == "Count")
    #expect(manager.undoMenuItemTitle == "Undo Count")
    manager.undo()
    #expect(manager.undoActionName == "")
    #expect(manager.undoMenuItemTitle == "Undo")
    #expect(manager.redoActionName == "Count")
    #expect(manager.redoMenuItemTitle == "Redo Count")
    manager.redo()
    #expect(manager.undoActionName == "Count")
  }

  @Test func `only so many levels are kept`() {
    manager.groupsByEvent = false
    manager.levelsOfUndo = 2
    let counter = Counter(manager)
    for value in 1...5 { counter.set(value) }
    #expect(manager.undoCount == 2)
    while manager.canUndo { manager.undo() }
    #expect(counter.value == 3)
  }

  @Test func `nothing is registered while that is disabled`() {
    let counter = Counter(manager)
    manager.disableUndoRegistration()
    manager.disableUndoRegistration()
    manager.enableUndoRegistration()
    counter.set(1)
    #expect(!manager.isUndoRegistrationEnabled)
    #expect(!manager.canUndo)
    manager.enableUndoRegistration()
    counter.set(2)
    manager.undo()
    #expect(counter.value == 1)
  }

  @Test func `the actions of a target can be forgotten`() {
    manager.groupsByEvent = false
    let first = Counter(manager)
    let second = Counter(manager)
    first.set(1)
    second.set(1)
    manager.removeAllActions(withTarget: second)
    #expect(manager.undoCount == 1)
    manager.undo()
    #expect(first.value == 0)
    #expect(second.value == 1)
    manager.removeAllActions()
    #expect(!manager.canUndo)
    #expect(!manager.canRedo)
  }

  @Test func `a target isn't kept alive`() {
    weak var gone: Counter?
    do {
      let counter = Counter(manager)
      counter.set(1)
      gone = counter
    }
    #expect(gone == nil)
    manager.undo()
  }

  @Test func `it says what it is doing`() {
    final class Witness {
      var sawUndoing = false
      var sawRedoing = false
    }
    let witness = Witness()
    let manager = manager
    manager.registerUndo(withTarget: witness) { witness in
      witness.sawUndoing = manager.isUndoing
      manager.registerUndo(withTarget: witness) { $0.sawRedoing = manager.isRedoing }
    }
    manager.undo()
    manager.redo()
    #expect(witness.sawUndoing)
    #expect(witness.sawRedoing)
    #expect(!manager.isUndoing)
    #expect(!manager.isRedoing)
  }

  @Test func `groups carry what they are given`() {
    let counter = Counter(manager)
    counter.set(1)
    manager.setActionIsDiscardable(true)
    let key = UndoManager.UserInfoKey(rawValue: "reason")
    manager.setActionUserInfoValue("test", forKey: key)
    #expect(manager.undoActionIsDiscardable)
    #expect(manager.undoActionUserInfoValue(forKey: key) as? String == "test")
    manager.undo()
    #expect(manager.redoActionIsDiscardable)
    #expect(manager.redoActionUserInfoValue(forKey: key) as? String == "test")
  }

  @Test func `undoing and doing again are announced`() {
    let log = Log()
    let names: [Notification.Name] = [
      .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange, .NSUndoManagerWillRedoChange,
      .NSUndoManagerDidRedoChange,
    ]
    let observers = names.map { name in
      NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { _ in
        log.add(name)
      }
    }
    let counter = Counter(manager)
    counter.set(1)
    manager.undo()
    manager.redo()
    #expect(log.names == names)
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
  }
}

/// The names of notifications, in their order.
// because the notifications are posted on the thread of the test
private final class Log: @unchecked Sendable {
  private(set) var names: [Notification.Name] = []
  func add(_ name: Notification.Name) { names.append(name) }
}
