internal import Dispatch
public import Foundation

/// The history of actions that can be undone and done again.
///
/// It has the interface of the class of this name in Apple's Foundation, which Foundation on Linux
/// lacks. An action that undoes a change is registered with the open group. ``undo()`` performs the
/// actions of the last group. Actions that are registered meanwhile can be redone with ``redo()``.
///
/// With ``groupsByEvent`` the first action opens a group automatically. The group closes at the
/// first of these events: the main queue or a context's actor finishes its current work; a context
/// registers the changes of a save or of `processPendingChanges()`; something is about to be
/// undone. An action that is registered while no group is open, and none opens automatically, is a
/// group of its own.
///
/// An undo manager belongs to one thread or actor, like the context that it is given to.
open class UndoManager {
  /// The name of a value that an action carries.
  public struct UserInfoKey: RawRepresentable, Hashable, Sendable {
    /// The name.
    public let rawValue: String

    /// Creates a name.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  /// The groups that can be undone, the last one last.
  var undone: [UndoGroup] = []
  /// The groups that can be done again, the last one last.
  var redone: [UndoGroup] = []
  /// The groups that are open, the innermost last.
  var open: [UndoGroup] = []
  private var disabled = 0
  /// Whether the outermost group opened by itself.
  private var isAutomatic = false
  private var sources: [WeakSource] = []

  private struct WeakSource {
    weak var source: (any UndoSource)?
  }

  /// Creates an undo manager with nothing to undo.
  public init() {}

  // MARK: - Settings

  /// Whether actions are registered.
  open var isUndoRegistrationEnabled: Bool { disabled == 0 }

  /// Ignores registrations until ``enableUndoRegistration()`` has been called as often.
  open func disableUndoRegistration() {
    checkpoint()
    disabled += 1
  }

  /// Ends the effect of one ``disableUndoRegistration()``.
  open func enableUndoRegistration() {
    checkpoint()
    disabled = max(0, disabled - 1)
  }

  /// Whether the first action opens a group by itself.
  open var groupsByEvent = true {
    didSet { if !groupsByEvent { closeAutomaticGroup() } }
  }

  /// How many groups are kept; 0 means all.
  open var levelsOfUndo = 0 {
    didSet { trim() }
  }

  /// The run loop modes that close groups; they have no effect here.
  open var runLoopModes: [RunLoop.Mode] = [.default]

  /// Whether actions are being undone.
  open private(set) var isUndoing = false

  /// Whether actions are being done again.
  open private(set) var isRedoing = false

  // MARK: - Groups

  /// How many groups are open, one in another.
  open var groupingLevel: Int { open.count }

  /// Opens a group, inside the one that is open.
  open func beginUndoGrouping() {
    if open.isEmpty {
      for case let source? in sources.map(\.source) { source.registerChanges() }
    } else {
      checkpoint()
    }
    openGroup()
  }

  /// Closes the innermost group.
  open func endUndoGrouping() {
    guard !open.isEmpty else { return }
    checkpoint()
    if open.count == 1 { isAutomatic = false }
    closeGroup()
  }

  // MARK: - Registering

  /// Registers an action that undoes a change.
  ///
  /// - Parameters:
  ///   - target: The subject of the change, which isn't kept alive; once it has ended nothing is
  ///     done.
  ///   - handler: The function that undoes the change. Actions that it registers do the change again.
  open func registerUndo<TargetType: AnyObject>(
    withTarget target: TargetType,
    handler: @escaping (TargetType) -> Void
  ) {
    guard isUndoRegistrationEnabled else { return }
    if !isReversing { redone.removeAll() }
    let action = UndoAction(target) { if let target = $0 as? TargetType { handler(target) } }
    let isAlone = open.isEmpty
    if isAlone {
      openGroup()
      isAutomatic = groupsByEvent
    }
    open.last?.append(.action(action))
    if isAlone {
      if groupsByEvent { closeAfterCurrentWork() } else { closeGroup() }
    }
  }

  /// Forgets everything.
  open func removeAllActions() {
    undone.removeAll()
    redone.removeAll()
    open = open.map { _ in UndoGroup() }
    disabled = 0
  }

  /// Forgets the actions of a target.
  open func removeAllActions(withTarget target: Any) {
    let target = target as AnyObject
    for group in undone + redone + open { group.removeActions(of: target) }
    undone.removeAll(where: \.isEmpty)
    redone.removeAll(where: \.isEmpty)
  }

  // MARK: - Undoing

  /// Whether there is something to undo.
  open var canUndo: Bool {
    checkpoint()
    return !undone.isEmpty || open.contains { !$0.isEmpty }
  }

  /// Whether there is something to do again.
  open var canRedo: Bool {
    checkpoint()
    return !redone.isEmpty
  }

  /// How many groups can be undone.
  open var undoCount: Int { undone.count + (open.first.map { $0.isEmpty ? 0 : 1 } ?? 0) }

  /// How many groups can be done again.
  open var redoCount: Int { redone.count }

  /// Closes the groups that are open, and undoes the last one.
  open func undo() {
    checkpoint()
    closeAll()
    undoNestedGroup()
  }

  /// Undoes the last group that is closed.
  open func undoNestedGroup() {
    if isReversing { return }
    checkpoint()
    if let outer = open.last, case .group(let inner)? = outer.items.last {
      outer.removeLast()
      reverse(inner, \.isUndoing, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange)
    } else if open.isEmpty, let group = undone.popLast() {
      reverse(group, \.isUndoing, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange)
    }
  }

  /// Does the last group again that was undone.
  open func redo() {
    if isReversing { return }
    checkpoint()
    closeAll()
    guard let group = redone.popLast() else { return }
    reverse(group, \.isRedoing, .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange)
  }

  /// Performs the actions of a group; actions registered meanwhile form a group of the other
  /// stack.
  private func reverse(
    _ group: UndoGroup,
    _ flag: ReferenceWritableKeyPath<UndoManager, Bool>,
    _ before: Notification.Name,
    _ after: Notification.Name
  ) {
    NotificationCenter.default.post(name: before, object: self)
    let outer = (open, isAutomatic)
    let inverse = UndoGroup()
    inverse.name = group.name
    inverse.isDiscardable = group.isDiscardable
    inverse.userInfo = group.userInfo
    open = [inverse]
    isAutomatic = false
    self[keyPath: flag] = true
    group.perform()
    for case let source? in sources.map(\.source) { source.registerChanges() }
    closeAll()
    self[keyPath: flag] = false
    (open, isAutomatic) = outer
    NotificationCenter.default.post(name: after, object: self)
  }

  // MARK: - Inside

  /// Adds a source of changes, which registers them by itself.
  func addSource(_ source: any UndoSource) {
    sources.removeAll { $0.source == nil || $0.source === source }
    sources.append(WeakSource(source: source))
  }

  /// Removes a source of changes.
  func removeSource(_ source: any UndoSource) {
    sources.removeAll { $0.source == nil || $0.source === source }
  }

  /// Whether actions are being undone or done again.
  private var isReversing: Bool { isUndoing || isRedoing }

  /// Posts a notification about a group of the program.
  private func post(_ name: Notification.Name, _ information: [AnyHashable: Any]? = nil) {
    if isReversing { return }
    NotificationCenter.default.post(name: name, object: self, userInfo: information)
  }

  /// Registers the pending changes of all contexts, and posts `NSUndoManagerCheckpoint`.
  func checkpoint() {
    if !isReversing {
      for case let source? in sources.map(\.source) { source.registerChanges() }
    }
    NotificationCenter.default.post(name: .NSUndoManagerCheckpoint, object: self)
  }

  /// Closes the automatic group, with all open groups in it.
  func closeAutomaticGroup() {
    if isAutomatic, !isReversing { closeAll() }
  }

  private func openGroup() {
    open.append(UndoGroup())
    post(.NSUndoManagerDidOpenUndoGroup)
  }

  private func closeAll() {
    while !open.isEmpty { closeGroup() }
    isAutomatic = false
  }

  private func closeGroup() {
    let isTop = open.count == 1
    let information = [NSUndoManagerGroupIsDiscardableKey: open.last?.isDiscardable ?? false]
    post(.NSUndoManagerWillCloseUndoGroup, information)
    guard let group = open.popLast() else { return }
    if !group.isEmpty {
      if !isTop {
        open.last?.append(.group(group))
      } else if isUndoing {
        redone.append(group)
      } else {
        undone.append(group)
        trim()
      }
    }
    post(.NSUndoManagerDidCloseUndoGroup, information)
  }

  /// Forgets the oldest groups beyond the limit.
  private func trim() {
    guard levelsOfUndo > 0 else { return }
    undone.removeFirst(max(0, undone.count - levelsOfUndo))
    redone.removeFirst(max(0, redone.count - levelsOfUndo))
  }

  /// Closes the automatic group once the main queue has finished its current work.
  private func closeAfterCurrentWork() {
    guard MainQueue.isCurrent else { return }
    let manager = ReturningReference(object: self)
    DispatchQueue.main.async { manager.object?.finishCurrentWork() }
  }

  /// Closes the automatic group, including the changes that contexts made meanwhile.
  private func finishCurrentWork() {
    guard isAutomatic, !isReversing else { return }
    for case let source? in sources.map(\.source) { source.registerChanges() }
    closeAll()
  }
}

/// A source of changes that registers them by itself, before something is undone.
protocol UndoSource: AnyObject {
  /// Registers the changes that aren't registered yet.
  func registerChanges()
}
