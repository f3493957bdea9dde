public import Foundation

extension UndoManager {
  /// The group that names are given to: the innermost that is open, else the last one.
  private var named: UndoGroup? { open.last ?? undone.last }

  private var nextUndone: UndoGroup? { open.first ?? undone.last }

  /// Names the actions of the open group, or of the last group if none is open.
  public func setActionName(_ actionName: String) {
    checkpoint()
    named?.name = actionName
  }

  /// The name of the actions that ``undo()`` would undo, as in "Rename Trip"; empty if they have none.
  public var undoActionName: String { nextUndone?.name ?? "" }

  /// The name of the actions that ``redo()`` would do again.
  public var redoActionName: String { redone.last?.name ?? "" }

  /// The title of the menu item for ``undo()``.
  public var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

  /// The title of the menu item for ``redo()``.
  public var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

  /// Returns the title of a menu item that undoes an action of a name.
  public func undoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Undo" : "Undo \(actionName)"
  }

  /// Returns the title of a menu item that does an action of a name again.
  public func redoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Redo" : "Redo \(actionName)"
  }

  /// Says whether the actions of the group may be discarded without a loss to the user.
  public func setActionIsDiscardable(_ discardable: Bool) { named?.isDiscardable = discardable }

  /// Whether the group that ``undo()`` would undo may be discarded.
  public var undoActionIsDiscardable: Bool { nextUndone?.isDiscardable ?? false }

  /// Whether the group that ``redo()`` would redo may be discarded.
  public var redoActionIsDiscardable: Bool { redone.last?.isDiscardable ?? false }

  /// Gives the group a value.
  public func setActionUserInfoValue(_ info: Any?, forKey key: UserInfoKey) {
    named?.userInfo[key] = info
  }

  /// Returns a value of the group that ``undo()`` would undo.
  public func undoActionUserInfoValue(forKey key: UserInfoKey) -> Any? {
    nextUndone?.userInfo[key]
  }

  /// Returns a value of the group that ``redo()`` would redo.
  public func redoActionUserInfoValue(forKey key: UserInfoKey) -> Any? {
    redone.last?.userInfo[key]
  }
}

/// In the notifications about closing groups: whether the group may be discarded.
// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSUndoManagerGroupIsDiscardableKey = "NSUndoManagerGroupIsDiscardableKey"

// swift-format-ignore: AlwaysUseLowerCamelCase
extension Notification.Name {
  /// An undo manager opens or closes a group, or is asked whether it can undo or redo.
  public static let NSUndoManagerCheckpoint = Self("NSUndoManagerCheckpointNotification")
  /// An undo manager has opened a group.
  public static let NSUndoManagerDidOpenUndoGroup = Self(
    "NSUndoManagerDidOpenUndoGroupNotification"
  )
  /// An undo manager closes a group.
  public static let NSUndoManagerWillCloseUndoGroup = Self(
    "NSUndoManagerWillCloseUndoGroupNotification"
  )
  /// An undo manager has closed a group.
  public static let NSUndoManagerDidCloseUndoGroup = Self(
    "NSUndoManagerDidCloseUndoGroupNotification"
  )
  /// An undo manager undoes a group.
  public static let NSUndoManagerWillUndoChange = Self("NSUndoManagerWillUndoChangeNotification")
  /// An undo manager has undone a group.
  public static let NSUndoManagerDidUndoChange = Self("NSUndoManagerDidUndoChangeNotification")
  /// An undo manager does a group again.
  public static let NSUndoManagerWillRedoChange = Self("NSUndoManagerWillRedoChangeNotification")
  /// An undo manager has done a group again.
  public static let NSUndoManagerDidRedoChange = Self("NSUndoManagerDidRedoChangeNotification")
}
