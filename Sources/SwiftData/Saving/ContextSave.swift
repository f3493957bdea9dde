internal import DepotProtocol
internal import Foundation

/// One save of a context's changes: its checks, the stores one after the other, and the outcome for the objects.
final class ContextSave {
  let context: ModelContext
  /// The changes that are saved by now.
  var report = SaveReport()

  init(_ context: ModelContext) { self.context = context }

  /// Saves all changes; does nothing if there are none.
  ///
  /// - Throws: ``SwiftDataError`` as ``ModelContext/save()`` does.
  func run() throws {
    try context.errors.throwOfChange()
    try context.errors.throwOfRead()
    guard context.hasChanges || context.pending.hasLeftovers else { return }
    if context.hasChanges {
      context.accessGuard.aside {
        NotificationCenter.default.post(name: ModelContext.willSave, object: context)
      }
    }
    try context.settleSaves()
    try checkAdopted()
    context.processPendingChanges()
    try context.errors.throwOfRead()
    try validate()
    defer { if !report.isEmpty { announce() } }
    do {
      try send()
    } catch {
      // The saves of earlier stores stay.
      refreshStale()
      throw error
    }
    for link in context.pending.removeDiscarded() { unregisterDeleted(link) }
    context.pending.removeConditions()
    refreshStale()
    for observer in context.observers { observer.didSave() }
  }

  /// Reads the rows of objects that were adopted since the last save and aren't changed, which others may
  /// have changed or deleted meanwhile.
  ///
  /// An object that the program has inserted and whose row is deleted is inserted as a new one.
  ///
  /// - Throws: ``SwiftDataError`` if the rows can't be read.
  func checkAdopted() throws {
    let unchanged = context.pending.adopted.filter { link in
      link.storage.context === context && link.storage.phase == .stored && !link.storage.hasChanges
    }
    for links in unchanged.byClass {
      let description = links[0].storage.description
      let found = try context.stores.store(of: description)
        .rows(links.map(\.storage.identifier), of: description, slots: nil, into: context)
      let known = found.identifiers
      for link in links where !known.contains(link.storage.identifier) {
        context.mergeDeletions(of: [link.storage])
        if context.pending.isAskedFor(link) { context.insert(link.storage) }
      }
    }
    context.pending.removeAdopted()
  }

  /// Saves the changes of one store after the other.
  ///
  /// If a store reports a missing target of a relationship, the targets are read again, the merge
  /// policy decides about deleted ones, and the save is tried again, as long as that finds more of
  /// them.
  private func send() throws {
    try checkRowsToMakeAgain()
    let parts = changesByStore()
    try check(parts)
    do {
      for (store, changes) in parts {
        // Errors of a store of the program's own are the program's too.
        let outcome = try store.save(changes)
        take(outcome, of: changes, from: store)
      }
    } catch let error as SwiftDataError where error.serviceError?.isOfReference == true {
      guard noteMissingTargets() else { throw error }
      try send()
    }
  }

  /// Applies the deletions of targets of changed objects; returns whether there were any.
  private func noteMissingTargets() -> Bool {
    var targets: [PersistentIdentifier: ModelStorage] = [:]
    for link in context.pending.inserted.all + context.pending.changed.all {
      for target in link.storage.targetsToSave
      where target.phase == .stored && target.newer?.isGone != true {
        targets[target.identifier] = target
      }
    }
    var missing: [ModelStorage] = []
    for group in targets.values.compactMap(\.link).byClass {
      guard let found = context.readIfPossible(group) else { continue }
      missing += group.storages(without: found)
    }
    // A fault has no values that could be stored again.
    context.mergeDeletions(of: missing.filter { $0.version == 0 })
    context.noteDeletions(of: missing.filter { $0.version != 0 })
    return !missing.isEmpty
  }

  /// Finds changes that no store will save, before the first store is asked.
  ///
  /// - Throws: ``SwiftDataError`` `storeFailure` for a store that may only be read, and
  ///   `modelValidationFailure` for a value that can't be stored.
  private func check(_ parts: [(store: any ContextStore, changes: SaveChanges)]) throws {
    for (store, changes) in parts {
      if !store.allowsSave, let link = changes.first {
        throw context.stores.readOnly(link.storage.description)
      }
    }
    for (store, changes) in parts.dropFirst() { try store.check(changes) }
  }

  /// The changes by store, first the stores that only require unchanged objects.
  ///
  /// Nothing is saved then if a requirement fails.
  private func changesByStore() -> [(store: any ContextStore, changes: SaveChanges)] {
    let parts: [(store: any ContextStore, changes: SaveChanges)] = context.stores.all.compactMap {
      store in
      func isOwn(_ link: ObjectReference) -> Bool {
        context.stores.all.count == 1 || owner(of: link) == ObjectIdentifier(store)
      }
      func own(_ links: [ObjectReference]) -> [ObjectReference] {
        context.stores.all.count == 1 ? links : links.filter(isOwn)
      }
      var changes = SaveChanges(
        policy: context.mergePolicy,
        author: context.author,
        editingState: context.editingState
      )
      changes.inserted = own(context.pending.inserted.all)
      changes.updated = own(context.pending.changed.all).byRow
      changes.deleted = own(context.pending.deleted.all).byRow
      changes.required = context.pending.required.filter { $0.isUnchanged && isOwn($0.link) }
      return changes.isEmpty && changes.required.isEmpty ? nil : (store, changes)
    }
    if parts.allSatisfy(\.changes.isEmpty) { return [] }
    return parts.filter(\.changes.isEmpty) + parts.filter { !$0.changes.isEmpty }
  }

  private func owner(of link: ObjectReference) -> ObjectIdentifier? {
    (try? context.stores.store(of: link.storage.description)).map(ObjectIdentifier.init)
  }
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
}
