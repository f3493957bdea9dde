/// Saves whose answers were lost.
///
/// Such a save is sent again with its key before anything else is asked of the stores, saved, or merged.
/// Changes that the program has made since stay pending. A rollback gives the save up.
extension ModelContext {
  /// Finds out the outcome of saves whose answers were lost.
  ///
  /// If a store refuses a save after all, its changes stay pending.
  ///
  /// - Returns: The changes that were saved after all.
  /// - Throws: ``SwiftDataError`` if nothing answers now either.
  @discardableResult
  final func settleSaves() throws -> SaveReport {
    var report = SaveReport()
    guard stores.isInDoubt else { return report }
    defer { if !report.isEmpty { announce(report) } }
    for store in stores.all {
      guard let (save, outcome) = try store.settle() else { continue }
      take(outcome, of: save, from: store, &report)
    }
    guard !report.isEmpty else { return report }
    refreshStale(report)
    for observer in observers { observer.didSave() }
    return report
  }

  private func take(
    _ outcome: SaveOutcome,
    of save: SentChanges,
    from store: any ContextStore,
    _ report: inout SaveReport
  ) {
    let changes = save.changes
    let later = save.laterEdits()
    let deletedSince = changes.inserted.filter { $0.storage.phase == .deleted }
    let revived = changes.deleted.filter { $0.storage.phase != .deleted }
    for link in deletedSince { pending.remove(link.storage) }
    take(outcome, of: changes, from: store, &report)
    for (link, edits) in later { link.storage.edit(again: edits) }
    for (link, _) in later where link.storage.phase == .stored { pending.add(link) }
    for link in deletedSince { delete(link) }
    for link in revived { insert(link.storage) }
  }
}

extension ModelStorage {
  /// Records the changes of properties that differ from the saved values.
  fileprivate final func edit(again edits: [LaterEdit]) {
    guard phase == .stored || phase == .deleted else { return }
    for edit in edits {
      changed.insert(edit.slot)
      base[edit.slot] = edit.base
      if let delta = edit.delta { deltas[edit.slot] = delta }
    }
  }
}
