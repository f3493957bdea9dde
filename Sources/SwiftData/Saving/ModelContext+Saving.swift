/// Saving, and transactions.
extension ModelContext {
  /// Writes all changes to the stores; does nothing if there are none.
  ///
  /// The changes of one store are made together or not at all. Several stores are saved one after
  /// the other, in the order of the configurations: if a later one fails, the earlier ones stay
  /// saved, and the rest stays pending.
  ///
  /// A save whose answer is lost throws ``SwiftDataError/storeFailure`` with the effect `unknown`.
  /// The changes stay pending, and the next call finds out whether they were saved: nothing is
  /// stored twice.
  ///
  /// - Throws: ``SwiftDataError`` `modelValidationFailure` if an object breaks a rule,
  ///   `saveConflict` with ``SwiftDataError/conflicts`` if others have changed the same objects
  ///   and ``mergePolicy`` treats this as an error, and others. Then nothing changes in the
  ///   context.
  public final func save() throws { _ = try saveReporting() }

  /// Saves, and returns the changes that were saved.
  final func saveReporting() throws -> SaveReport {
    let save = ContextSave(self)
    try using { try save.run() }
    return save.report
  }

  /// Applies delete rules, so that the pending changes are complete, as for a save.
  public final func processPendingChanges() {
    using {
      mergeRemoteChanges()
      DeleteRules(self).apply()
      for observer in observers { observer.didProcessChanges() }
    }
  }

  /// Runs a closure and then saves all changes.
  ///
  /// If the closure or the save throws, the closure's changes are rolled back. Changes that were
  /// there before are saved first, so that they stay.
  ///
  /// A transaction inside another one is a part of the outer one: the changes of both are saved
  /// together, or not at all. If the inner one throws, so does the outer one, though its closure
  /// may catch the error.
  ///
  /// - Throws: Any error of the closure or of a save.
  public final func transaction(block: () throws -> Void) throws {
    let isOutermost = transactions.begin()
    defer { transactions.end() }
    if !isOutermost {
      do {
        return try block()
      } catch {
        transactions.fail(error)
        throw error
      }
    }
    try save()
    transactions.failure = nil
    do {
      try block()
      if let failure = transactions.failure { throw failure }
      try save()
    } catch {
      rollback()
      throw error
    }
  }

  /// Finds out the outcome of saves whose answers were lost.
  ///
  /// - Returns: The changes that were saved after all.
  /// - Throws: ``SwiftDataError`` if nothing answers now either.
  @discardableResult
  final func settleSaves() throws -> SaveReport {
    guard stores.isInDoubt else { return SaveReport() }
    let save = ContextSave(self)
    try save.settle()
    return save.report
  }

  /// Does postponed work, before the stores are asked for something.
  ///
  /// - Throws: An earlier error of a call that couldn't throw.
  final func prepare() throws {
    try errors.throwOfRead()
    try settleSaves()
    mergeRemoteChanges()
    try autosaveIfDue()
  }
}
