public import Foundation

/// Saving without being asked.
extension ModelContext {
  /// Arranges a save for the end of this turn of the main actor or of the model actor; of a context that
  /// belongs to neither, for the next call that asks the stores for something.
  final func scheduleAutosave() {
    guard !isAutosaveScheduled else { return }
    isAutosaveScheduled = true
    let context = TravellingContext(context: self)
    let home = mergeQueue.home.isCaller && MainQueue.isCurrent ? .main : mergeQueue.home
    home.perform { context.autosave() }
  }

  /// Makes an actor the home of a context that has none, and leaves a save to it that waits for a call.
  final func settle(on actor: (any Actor)?) {
    guard mergeQueue.home.isCaller else { return }
    mergeQueue.settle(on: actor)
    guard isAutosaveScheduled, !mergeQueue.home.isCaller else { return }
    isAutosaveScheduled = false
    scheduleAutosave()
  }

  /// Saves if that was left to the next call.
  ///
  /// - Throws: The errors of ``save()``.
  final func autosaveIfDue() throws {
    guard autosaveEnabled, isAutosaveScheduled, mergeQueue.home.isCaller, !MainQueue.isCurrent
    else { return }
    isAutosaveScheduled = false
    try save()
  }

  fileprivate final func autosave() {
    isAutosaveScheduled = false
    guard autosaveEnabled, hasChanges else { return }
    do {
      try save()
      autosaveFailure = nil
    } catch {
      autosaveFailure = SwiftDataError(any: error)
      NotificationCenter.default.post(
        name: Self.autosaveFailed,
        object: self,
        userInfo: ["error": error]
      )
    }
  }

  /// The name of the notification that a save without being asked has failed; its object is the context,
  /// and its user info has the `error`.
  public static let autosaveFailed = Notification.Name("ModelContext.autosaveFailed")
}

/// A context on its way to a later turn of the queue that it belongs to.
// because it is used on that queue only
private struct TravellingContext: @unchecked Sendable {
  weak var context: ModelContext?

  func autosave() { context?.autosave() }
}
