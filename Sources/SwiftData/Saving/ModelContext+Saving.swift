internal import DepotProtocol
internal import Foundation

/// Saving, rolling back, and transactions.
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
  final func saveReporting() throws -> SaveReport { try using { try saveAlone() } }

  private final func saveAlone() throws -> SaveReport {
    var report = SaveReport()
    try errors.throwOfChange()
    try errors.throwOfRead()
    guard hasChanges || pending.hasLeftovers else { return report }
    if hasChanges {
      accessGuard.aside { NotificationCenter.default.post(name: Self.willSave, object: self) }
    }
    try settleSaves()
    try checkAdopted()
    processPendingChanges()
    try errors.throwOfRead()
    try validate()
    defer { if !report.isEmpty { announce(report) } }
    do {
      try send(&report)
    } catch {
      // The saves of earlier stores stay.
      refreshStale(report)
      throw error
    }
    for link in pending.removeDiscarded() { unregisterDeleted(link) }
    pending.removeConditions()
    refreshStale(report)
    for observer in observers { observer.didSave() }
    return report
  }

  /// Saves the changes of one store after the other.
  ///
  /// If a store reports a missing target of a relationship, the targets are read again, the merge
  /// policy decides about deleted ones, and the save is tried again, as long as that finds more of
  /// them.
  private func send(_ report: inout SaveReport) throws {
    try checkRowsToMakeAgain()
    let parts = changesByStore()
    try check(parts)
    do {
      for (store, changes) in parts {
        // Errors of a store of the program's own are the program's too.
        let outcome = try store.save(changes)
        take(outcome, of: changes, from: store, &report)
      }
    } catch let error as SwiftDataError where error.serviceError?.isOfReference == true {
      guard noteMissingTargets() else { throw error }
      try send(&report)
    }
  }

  /// Applies the deletions of targets of changed objects; returns whether there were any.
  private func noteMissingTargets() -> Bool {
    var targets: [PersistentIdentifier: ModelStorage] = [:]
    for link in pending.inserted.all + pending.changed.all {
      for target in link.storage.targetsToSave
      where target.phase == .stored && target.newer?.isGone != true {
        targets[target.identifier] = target
      }
    }
    var missing: [ModelStorage] = []
    for group in targets.values.compactMap(\.link).byClass {
      guard let found = readIfPossible(group) else { continue }
      missing += group.storages(without: found)
    }
    // A fault has no values that could be stored again.
    mergeDeletions(of: missing.filter { $0.version == 0 })
    noteDeletions(of: missing.filter { $0.version != 0 })
    return !missing.isEmpty
  }

  /// Finds changes that no store will save, before the first store is asked.
  ///
  /// - Throws: ``SwiftDataError`` `storeFailure` for a store that may only be read, and
  ///   `modelValidationFailure` for a value that can't be stored.
  private func check(_ parts: [(store: any ContextStore, changes: SaveChanges)]) throws {
    for (store, changes) in parts {
      if !store.allowsSave, let link = changes.first {
        throw stores.readOnly(link.storage.description)
      }
    }
    for (store, changes) in parts.dropFirst() { try store.check(changes) }
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
    transactionDepth += 1
    defer { transactionDepth -= 1 }
    if transactionDepth > 1 {
      do {
        return try block()
      } catch {
        transactionFailure = transactionFailure ?? error
        throw error
      }
    }
    try save()
    transactionFailure = nil
    defer { transactionFailure = nil }
    do {
      try block()
      if let transactionFailure { throw transactionFailure }
      try save()
    } catch {
      rollback()
      throw error
    }
  }

  /// The changes by store, first the stores that only require unchanged objects.
  ///
  /// Nothing is saved then if a requirement fails.
  private func changesByStore() -> [(store: any ContextStore, changes: SaveChanges)] {
    let parts: [(store: any ContextStore, changes: SaveChanges)] = stores.all.compactMap { store in
      func isOwn(_ link: ObjectReference) -> Bool {
        stores.all.count == 1 || owner(of: link) == ObjectIdentifier(store)
      }
      func own(_ links: [ObjectReference]) -> [ObjectReference] {
        stores.all.count == 1 ? links : links.filter(isOwn)
      }
      var changes = SaveChanges(policy: mergePolicy, author: author, editingState: editingState)
      changes.inserted = own(pending.inserted.all)
      changes.updated = own(pending.changed.all).byRow
      changes.deleted = own(pending.deleted.all).byRow
      changes.required = pending.required.filter { $0.isUnchanged && isOwn($0.link) }
      return changes.isEmpty && changes.required.isEmpty ? nil : (store, changes)
    }
    if parts.allSatisfy(\.changes.isEmpty) { return [] }
    return parts.filter(\.changes.isEmpty) + parts.filter { !$0.changes.isEmpty }
  }

  private func owner(of link: ObjectReference) -> ObjectIdentifier? {
    (try? stores.store(of: link.storage.description)).map(ObjectIdentifier.init)
  }

  // MARK: - Outcomes

  final func take(
    _ outcome: SaveOutcome,
    of changes: SaveChanges,
    from store: any ContextStore,
    _ report: inout SaveReport
  ) {
    for (link, result) in zip(changes.inserted, outcome.inserted) {
      report.inserted.append(result.identifier)
      if let other = adopt(link, result.identifier, result.version) {
        report.replaced.append(other)
        // Its changes are in the row too.
        if other.storage.hasChanges { report.stale.append(link) }
        invalidate(other.storage)
      }
    }
    if outcome.hasAdopted {
      report.adopted += changes.inserted.filter { !$0.storage.description.relationships.isEmpty }
    }
    for (link, version) in zip(changes.updated, outcome.updated) {
      let storage = link.storage
      pending.removeSaved(storage, .stored)
      if let version {
        storage.version = version
      } else if storage.newer != nil {
        report.stale.append(link)
      }
      // Attributes that were set back to their stored values are no change.
      let isChange = version != nil || storage.hasChangedRelationships
      storage.becomeClean()
      if isChange { report.updated.append(storage.identifier) }
    }
    let kept = Set(outcome.kept.map { ObjectIdentifier($0.storage) })
    for link in changes.deleted {
      pending.removeSaved(link.storage, .deleted)
      if kept.contains(ObjectIdentifier(link.storage)) {
        keep(link)
      } else {
        report.deleted.append(link.storage.identifier)
        unregisterDeleted(link)
      }
    }
    // Only now have all objects their identifiers.
    let related = (changes.inserted + changes.updated).filter {
      !$0.storage.description.relationships.isEmpty
    }
    for link in related { link.storage.settle() }
    if !store.keepsMissingLists {
      for link in related { link.storage.fillMissingLists() }
    }
    pending.removeRequirements(
      of: changes.required.map(\.link) + changes.updated + changes.deleted
    )
    report.stale += outcome.stale
    report.kept += outcome.kept
    report.conflicts += outcome.wonConflicts
    if let token = outcome.ownToken { report.tokens[store.identifier] = token }
    if let token = outcome.token {
      report.tokens[store.identifier] = DefaultHistoryToken(store: store.identifier, token)
      noteOwn(token, store: store.identifier)
    }
  }

  /// Gives an object that was inserted its permanent identifier.
  ///
  /// - Returns: The object whose row it has taken over, as it has the same unique values.
  private func adopt(
    _ link: ObjectReference,
    _ identifier: PersistentIdentifier,
    _ version: Int64
  ) -> ObjectReference? {
    let storage = link.storage
    pending.removeSaved(storage, .inserted)
    unregister(storage)
    storage.identifier = identifier
    storage.version = version
    storage.phase = .stored
    storage.becomeClean()
    return register(storage)?.link
  }

  /// Removes an object whose row is deleted from the context; its values stay.
  private func unregisterDeleted(_ link: ObjectReference) {
    unregister(link.storage)
    link.storage.phase = .gone
    link.storage.changed = SlotSet()
    link.storage.loosen()
  }

  /// Takes back the deletion of an object whose row the store keeps.
  private func keep(_ link: ObjectReference) {
    link.storage.phase = .stored
    link.storage.restore()
  }

  /// Reads objects anew whose rows differ from the context's values.
  final func refreshStale(_ report: SaveReport) {
    leaveReplaced(report.replaced)
    readStale(report.stale + report.kept + report.adopted)
    // Other objects may refer to a row that existed before.
    for link in report.adopted { link.storage.unloadLists() }
    // The lists on both sides still lack the objects, as after the deletion.
    for link in report.kept where link.storage.phase == .stored {
      link.storage.unloadLists()
      for property in link.storage.description.relationships {
        guard let inverse = property.shape.inverse, inverse.isToMany else { continue }
        for target in link.storage.knownTargets(property.slot) {
          target.storage.unloadList(inverse.slot)
        }
      }
    }
    notifyMembership(of: report.replaced + report.kept)
  }

  private func readStale(_ links: [ObjectReference]) {
    let alive = links.filter { $0.storage.phase == .stored }
    for group in alive.byClass {
      for link in group { link.storage.version = ModelStorage.staleVersion }
      guard let found = readIfPossible(group) else { continue }
      mergeDeletions(of: group.storages(without: found))
    }
  }
}

/// The changes that a save has made.
struct SaveReport {
  var inserted: [PersistentIdentifier] = []
  var updated: [PersistentIdentifier] = []
  var deleted: [PersistentIdentifier] = []
  /// The objects whose rows differ from the context's values.
  var stale: [ObjectReference] = []
  /// The objects whose rows others have taken over.
  var replaced: [ObjectReference] = []
  /// The new objects of a save; some have existing rows, as their unique values are the same.
  var adopted: [ObjectReference] = []
  /// The objects that were to be deleted and that the stores keep.
  var kept: [ObjectReference] = []
  /// The conflicts that the context has won.
  var conflicts: [SaveConflict] = []
  var tokens: [String: any HistoryToken] = [:]

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && kept.isEmpty }
}

extension SaveChanges {
  /// One of the objects.
  var first: ObjectReference? { inserted.first ?? updated.first ?? deleted.first }
}

extension DepotError {
  /// Whether it reports, perhaps with other violations, a reference to a missing row.
  fileprivate var isOfReference: Bool {
    code == .reference
      || details?["violations"]?.array?.contains { $0["code"]?.string == Code.reference.rawValue }
        == true
  }
}

extension ModelStorage {
  /// The registered objects that a save of this one refers to.
  fileprivate final var targetsToSave: [ModelStorage] {
    let added = phase == .inserted ? [] : relationshipEdits.flatMap(\.added).map(\.storage)
    return added
      + description.relationships.filter { !$0.isToMany || phase == .inserted }
      .flatMap { knownTargets($0.slot).map(\.storage) }
  }

  /// Whether the program has changed a relationship.
  fileprivate final var hasChangedRelationships: Bool {
    changed.contains { description.properties[$0].destination != nil }
  }
}
