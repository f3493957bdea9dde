public import Foundation

/// Saving without being asked.
extension ModelContext {
  /// Schedules a save for the end of the current job of the main actor or the model actor.
  ///
  /// A context that belongs to neither saves at the next call that asks the stores for something.
  final func scheduleAutosave() {
    guard !isAutosaveScheduled else { return }
    isAutosaveScheduled = true
    let context = ReturningReference(object: self)
    let executor = mergeQueue.executor.isCaller && MainQueue.isCurrent ? .main : mergeQueue.executor
    executor.perform { context.object?.autosave() }
  }

  /// Makes an actor the owner of a context that has none, and hands it a scheduled save.
  final func settle(on actor: (any Actor)?) {
    guard mergeQueue.executor.isCaller else { return }
    mergeQueue.settle(on: actor)
    guard isAutosaveScheduled, !mergeQueue.executor.isCaller else { return }
    isAutosaveScheduled = false
    scheduleAutosave()
  }

  /// Saves if a save was postponed to the next call.
  ///
  /// - Throws: The errors of ``save()``.
  final func autosaveIfDue() throws {
    guard autosaveEnabled, isAutosaveScheduled, mergeQueue.executor.isCaller, !MainQueue.isCurrent
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
