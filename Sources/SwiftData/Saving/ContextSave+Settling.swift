/// Saves whose answers were lost.
///
/// Such a save is sent again with its key before anything else is asked of the stores, saved, or merged.
/// Changes that the program has made since stay pending. A rollback gives the save up.
extension ContextSave {
  /// Finds out the outcome of saves whose answers were lost.
  ///
  /// If a store refuses a save after all, its changes stay pending.
  ///
  /// - Throws: ``SwiftDataError`` if nothing answers now either.
  func settle() throws {
    defer { if !report.isEmpty { announce() } }
    for store in context.stores.all {
      guard let (save, outcome) = try store.settle() else { continue }
      take(outcome, of: save, from: store)
    }
    guard !report.isEmpty else { return }
    refreshStale()
    for observer in context.observers { observer.didSave() }
  }

  private func take(_ outcome: SaveOutcome, of save: SentChanges, from store: any ContextStore) {
    let changes = save.changes
    let later = save.laterEdits()
    let deletedSince = changes.inserted.filter { $0.storage.phase == .deleted }
    let revived = changes.deleted.filter { $0.storage.phase != .deleted }
    for link in deletedSince { context.pending.remove(link.storage) }
    take(outcome, of: changes, from: store)
    for (link, edits) in later { link.storage.edit(again: edits) }
    for (link, _) in later where link.storage.phase == .stored { context.pending.add(link) }
    for link in deletedSince { context.delete(link) }
    for link in revived { context.insert(link.storage) }
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
