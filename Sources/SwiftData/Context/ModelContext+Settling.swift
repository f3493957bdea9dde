/// Saves whose answers were lost.
///
/// Such a save is sent again with its key before anything else is asked of the stores, saved, or merged.
/// What the program has changed since stays pending. A rollback gives it up.
extension ModelContext {
  /// Whether there is a save of which nobody knows whether it was made.
  final var isInDoubt: Bool { stores.contains { $0.isInDoubt } }

  /// Learns what became of saves whose answers were lost.
  ///
  /// One that a store refuses after all leaves its changes pending.
  ///
  /// - Throws: ``SwiftDataError`` if nothing answers now either.
  final func settleSaves() throws {
    guard isInDoubt else { return }
    var report = SaveReport()
    defer { if !report.isEmpty { post(report) } }
    for store in stores {
      guard let (save, outcome) = try store.settle() else { continue }
      take(outcome, of: save, from: store, &report)
    }
    guard !report.isEmpty else { return }
    refreshStale(report)
    for observer in observers { observer.didSave() }
  }

  private func take(
    _ outcome: SaveOutcome,
    of save: DoubtfulSave,
    from store: any ContextStore,
    _ report: inout SaveReport
  ) {
    let changes = save.changes
    let later = save.laterEdits()
    let deletedSince = changes.inserted.filter { $0.storage.phase == .deleted }
    let revived = changes.deleted.filter { $0.storage.phase != .deleted }
    for link in deletedSince { discarded.remove(link.storage) }
    take(outcome, of: changes, from: store, &report)
    for (link, edits) in later { link.storage.edit(again: edits) }
    for (link, _) in later where link.storage.phase == .stored { changed.append(link) }
    for link in deletedSince { delete(link) }
    for link in revived { insert(link.storage) }
    let sent = Set(changes.required.map { ObjectIdentifier($0.storage) })
    required.removeAll { sent.contains(ObjectIdentifier($0.storage)) }
  }
}

extension ModelStorage {
  /// Notes the changes of properties that differ from what was saved.
  fileprivate final func edit(again edits: [LaterEdit]) {
    guard phase == .stored || phase == .deleted else { return }
    for edit in edits {
      changed.insert(edit.slot)
      base[edit.slot] = edit.base
      if let delta = edit.delta { deltas[edit.slot] = delta }
    }
  }
}
