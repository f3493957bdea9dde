/// The undoing of changes, even of objects that others have changed since.
///
/// To-one relationships are set as a program would set them, so that both sides stay equal. The
/// lists on their other sides follow them; only the order of these lists is restored. A
/// many-to-many list loses the objects that were added, and regains the objects that were removed.
extension UndoRecorder {
  /// Undoes changes, and records the reversal as changes of its own.
  func revert(_ batch: UndoBatch) {
    guard let context else { return }
    if context.accessGuard.hasPendingEvents { context.mergePendingEvents() }
    let saved = batch.deleted.filter { $0.link.storage.phase == .gone }
    for deletion in batch.deleted { bringBack(deletion.link, context) }
    // Only now do all objects exist that these refer to.
    for deletion in saved { restore(deletion) }
    for change in batch.changes where !change.property.isToMany { restore(change) }
    let lists = batch.changes.filter(\.property.isToMany)
    for change in lists where !change.property.isLed { restoreList(change) }
    for deletion in batch.deleted where isHere(deletion.link.storage) {
      deletion.link.storage.enterInverses()
    }
    for change in lists where change.property.isLed { restoreList(change) }
    for deletion in batch.deleted where isHere(deletion.link.storage) { restoreLists(of: deletion) }
    for change in batch.changes { change.link.storage.forgetChangeIfNone(change.slot) }
    for link in batch.inserted where [.inserted, .stored].contains(link.storage.phase) {
      context.delete(link)
    }
  }

  private func bringBack(_ link: ObjectReference, _ context: ModelContext) {
    switch link.storage.phase {
    case .deleted:
      context.undoDeletion(link)
      dropLeft(link)
    case .gone:
      let identifier = link.storage.identifier
      context.insert(link.storage)
      reinserted[identifier] = link
    default: break
    }
  }

  /// Removes objects from an object's lists that don't refer to it any more.
  private func dropLeft(_ link: ObjectReference) {
    let storage = link.storage
    for property in storage.description.relationships where property.isToMany && property.isLed {
      guard let inverse = property.shape.inverse else { continue }
      let slot = property.slot
      func leadsBack(_ other: ObjectReference) -> Bool { other.storage.leads(to: storage, inverse) }
      storage.deltas[slot]?.added.removeAll { !leadsBack($0) }
      guard case .many(let list?) = storage.slots[slot], let links = list.links else { continue }
      let rest = links.filter(leadsBack)
      if rest.count < links.count { storage.change(slot, to: .many(ObjectReferenceList(rest))) }
    }
  }

  /// Restores the values that an object, now inserted anew, had when it was deleted.
  ///
  /// References to objects that others have since deleted or given to another object are left out.
  private func restore(_ deletion: UndoBatch.Deletion) {
    let storage = deletion.link.storage
    for (slot, old) in deletion.slots.enumerated() where slot < storage.slots.count {
      let property = storage.description.properties[slot]
      switch old {
      case .unloaded: break
      case .many(let list?):
        let links = property.isLed ? [] : links(of: list, storage, slot)
        storage.slots[slot] = .many(ObjectReferenceList(links))
      case .link, .reference, .weak:
        let target = target(of: old, storage, slot).flatMap { link in
          property.isLed && link.storage.leadsElsewhere(property, storage) ? nil : link
        }
        storage.slots[slot] = target.map(Slot.link) ?? .nothing
      default: storage.slots[slot] = old
      }
    }
  }

  /// Restores the order of the lists of an object that was inserted again.
  private func restoreLists(of deletion: UndoBatch.Deletion) {
    let storage = deletion.link.storage
    for property in storage.description.relationships where property.isToMany && property.isLed {
      let slot = property.slot
      guard slot < deletion.slots.count, case .many = deletion.slots[slot] else { continue }
      let old = deletion.slots[slot]
      restoreList(
        UndoBatch.Change(
          link: deletion.link,
          slot: slot,
          old: old,
          new: .many(ObjectReferenceList())
        )
      )
    }
  }

  private func restore(_ change: UndoBatch.Change) {
    let (storage, slot) = (change.link.storage, change.slot)
    guard isHere(storage) else { return }
    if change.isUnread {
      // The old value is unknown, unless the store still has it.
      guard storage.phase == .stored, storage.changed.contains(slot) else { return }
      storage.change(slot, to: .unloaded)
      storage.forgetChange(slot)
    } else if change.property.destination != nil {
      let target = target(of: change.old, storage, slot)
      // A change that changes nothing can be done again too.
      guard storage.slots[slot].targetIdentifier != target?.storage.identifier else {
        return storage.willChange(slot)
      }
      storage.withMutation(slot) { storage.setTarget(slot, target) }
    } else {
      storage.change(slot, to: change.old)
    }
  }

  private func restoreList(_ change: UndoBatch.Change) {
    let (storage, slot, property) = (change.link.storage, change.slot, change.property)
    guard isHere(storage) else { return }
    let list = storage.targets(slot)
    guard let list, case .many(let before?) = change.old else {
      return storage.change(slot, to: change.old)
    }
    let (now, old) = (storage.resolved(list, slot), links(of: before, storage, slot))
    var after: Set<ObjectIdentifier> = []
    if case .many(let list?) = change.new {
      after = Set(links(of: list, storage, slot).map { ObjectIdentifier($0.storage) })
    }
    let (known, present) = (Set(old.map(\.place)), Set(now.map(\.place)))
    let kept = old.filter { link in
      present.contains(link.place) || !property.isLed && !after.contains(link.place)
    }
    let others = now.filter { link in
      !known.contains(link.place) && (property.isLed || !after.contains(link.place))
    }
    let links = kept + others
    guard links.map(\.place) != now.map(\.place) else { return storage.willChange(slot) }
    storage.change(slot, to: .many(ObjectReferenceList(links)))
  }

  private func isHere(_ storage: ModelStorage) -> Bool {
    storage.phase != .gone && storage.phase != .unregistered
  }

  /// Returns the object that a to-one relationship led to, if it is still there.
  private func target(of old: Slot, _ storage: ModelStorage, _ slot: Int) -> ObjectReference? {
    guard let identifier = old.targetIdentifier else { return nil }
    var link = reinserted[identifier]
    if link == nil, case .link(let own) = old, own.storage.context === context { link = own }
    link = link ?? context?.resolve(identifier, from: storage, slot)
    return link.flatMap { isLeft($0) ? nil : $0 }
  }

  /// Returns the objects of a list that are still there.
  private func links(
    of list: ObjectReferenceList,
    _ storage: ModelStorage,
    _ slot: Int
  ) -> [ObjectReference] {
    let links =
      list.links?.map { reinserted[$0.storage.identifier] ?? $0 }
      ?? list.identifiers.compactMap { reinserted[$0] ?? context?.fault($0) }
    return links.filter { !isLeft($0) }
  }

  private func isLeft(_ link: ObjectReference) -> Bool {
    link.storage.phase == .gone || link.storage.phase == .deleted
  }
}

extension ObjectReference {
  fileprivate var place: ObjectIdentifier { ObjectIdentifier(storage) }
}

extension UndoBatch.Change {
  fileprivate var isUnread: Bool { if case .unloaded = old { true } else { false } }
}

extension PropertyDescription {
  /// Whether the other side is a to-one relationship, which then determines this side.
  fileprivate var isLed: Bool { shape.inverse.map { !$0.isToMany } ?? false }
}

extension ModelStorage {
  /// Whether the other side of a to-one relationship has another target than it should.
  fileprivate final func leadsElsewhere(
    _ property: PropertyDescription,
    _ other: ModelStorage
  ) -> Bool {
    guard let inverse = property.shape.inverse,
      let identifier = slots[inverse.slot].targetIdentifier
    else { return false }
    return identifier != other.identifier
  }
}
