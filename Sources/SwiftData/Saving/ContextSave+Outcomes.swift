internal import DepotProtocol

/// The objects after a save, as the stores have answered.
extension ContextSave {
  /// Takes the outcome of the save of one store.
  func take(_ outcome: SaveOutcome, of changes: SaveChanges, from store: any ContextStore) {
    for (link, result) in zip(changes.inserted, outcome.inserted) {
      report.inserted.append(result.identifier)
      if let other = adopt(link, result.identifier, result.version) {
        report.replaced.append(other)
        // Its changes are in the row too.
        if other.storage.hasChanges { report.stale.append(link) }
        context.invalidate(other.storage)
        other.storage.isDeletedByOthers = true
      }
    }
    if outcome.hasAdopted {
      report.adopted += changes.inserted.filter { !$0.storage.description.relationships.isEmpty }
    }
    for (link, version) in zip(changes.updated, outcome.updated) {
      let storage = link.storage
      context.pending.removeSaved(storage, .stored)
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
      context.pending.removeSaved(link.storage, .deleted)
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
    context.pending.removeRequirements(
      of: changes.required.map(\.link) + changes.updated + changes.deleted
    )
    report.stale += outcome.stale
    report.kept += outcome.kept
    report.conflicts += outcome.wonConflicts
    if let token = outcome.ownToken { report.tokens[store.identifier] = token }
    if let token = outcome.token {
      report.tokens[store.identifier] = DefaultHistoryToken(store: store.identifier, token)
      context.noteOwn(token, store: store.identifier)
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
    context.pending.removeSaved(storage, .inserted)
    context.unregister(storage)
    storage.identifier = identifier
    storage.version = version
    storage.phase = .stored
    storage.becomeClean()
    return context.register(storage)?.link
  }

  /// Removes an object whose row is deleted from the context; its values stay.
  func unregisterDeleted(_ link: ObjectReference) {
    context.unregister(link.storage)
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
  func refreshStale() {
    leaveReplaced(report.replaced)
    readStale(report.stale + report.kept + report.adopted)
    // Other objects may refer to a row that existed before.
    for link in report.adopted { link.storage.unloadLists() }
    for link in report.stale { link.storage.unloadOrderedLists() }
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
    context.notifyMembership(of: report.replaced + report.kept)
  }

  private func readStale(_ links: [ObjectReference]) {
    let alive = links.filter { $0.storage.phase == .stored }
    for group in alive.byClass {
      for link in group { link.storage.version = ModelStorage.staleVersion }
      guard let found = context.readIfPossible(group) else { continue }
      context.mergeDeletions(of: group.storages(without: found))
    }
  }
}

extension ModelStorage {
  /// Whether the program has changed a relationship.
  fileprivate final var hasChangedRelationships: Bool {
    changed.contains { description.properties[$0].destination != nil }
  }
}
