/// Bringing objects up to date with the store.
extension ModelContext {
  /// Updates the other sides of a to-one relationship after a change by the store.
  ///
  /// The program's own changes of the other sides stay.
  final func relink(_ link: ObjectReference, _ slot: Int, to value: Slot) {
    let merge = RowMerge(self)
    merge.follow(link, slot, to: value)
    merge.finish()
  }

  /// Merges the deletion of rows that a read didn't find any more.
  ///
  /// Changed objects stay where the policy lets the program's changes win; the next save decides.
  final func noteDeletions(of storages: [ModelStorage]) {
    RowMerge.recall(storages, of: self)
    let isDisputed = storages.map { storage in
      storage.decision(on: .deletion(version: nil), mergePolicy) == .dispute
    }
    for (storage, isDisputed) in zip(storages, isDisputed) where isDisputed { storage.noteGone() }
    mergeDeletions(of: zip(storages, isDisputed).filter { !$0.1 }.map(\.0))
  }

  /// Invalidates objects whose rows are deleted, and removes all references to them.
  ///
  /// - Parameters:
  ///   - storages: The objects.
  ///   - isOwn: Whether this context has deleted their rows.
  final func mergeDeletions(of storages: [ModelStorage], isOwn: Bool = false) {
    if storages.isEmpty { return }
    let merge = RowMerge(self)
    merge.isByOthers = !isOwn
    for storage in storages {
      if let link = storage.link { merge.invalidate(link) } else { invalidate(storage) }
    }
    merge.finish()
  }

  /// Invalidates an object whose row is deleted: it keeps its values, and leaves its context.
  final func invalidate(_ storage: ModelStorage) {
    pending.remove(storage)
    storage.changed = SlotSet()
    storage.base = SlotValues()
    storage.deltas = [:]
    storage.phase = .gone
    unregister(storage)
    for observer in observers { observer.didRefresh(storage, nil) }
  }

  /// Notifies owners of results of objects that were added or removed, and not by the program.
  final func notifyMembership(of links: [ObjectReference]) {
    var changes = MergedChanges()
    for link in links { changes.noteMembership(link.storage.description) }
    notifyShown(changes)
  }

  /// Notifies owners of results of changes that the program didn't make.
  final func notifyShown(_ changes: MergedChanges) {
    notifyObservers(changes)
    if !changes.isEmpty { mergeQueue.schedule() }
  }

  /// Notifies observers of merged changes.
  final func notifyObservers(_ changes: MergedChanges) {
    if changes.isEmpty { return }
    for observer in observers { observer.didMerge(changes) }
  }

  /// Reads the values again that were read of objects.
  final func refresh(_ links: [ObjectReference]) {
    guard !links.isEmpty else { return }
    let groups = Dictionary(grouping: links) { link in
      ReadShape(
        description: ObjectIdentifier(link.storage.description),
        slots: link.storage.readSlots
      )
    }
    for (shape, group) in groups {
      _ = read(
        group.map(\.storage.identifier),
        of: group[0].storage.description,
        slots: shape.slots
      )
    }
  }

  /// The properties that are read of some objects.
  private struct ReadShape: Hashable {
    let description: ObjectIdentifier
    let slots: [Int]
  }
}

extension ModelStorage {
  /// The registered objects that a relationship leads to, or has led to.
  final func knownTargets(everOf slot: Int) -> [ModelStorage] {
    guard let context else { return [] }
    let known = [slots[slot], base[slot], newer?.slots[slot]].compactMap { $0 }
    return Set(known.flatMap(\.targetIdentifiers)).compactMap(context.registered)
  }
}

extension Slot {
  /// The targets of a relationship.
  var targetIdentifiers: [PersistentIdentifier] {
    if case .many(let list?) = self { return list.allIdentifiers }
    return targetIdentifier.map { [$0] } ?? []
  }
}
