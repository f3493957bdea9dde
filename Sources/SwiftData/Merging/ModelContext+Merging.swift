/// Bringing objects up to date with the store.
extension ModelContext {
  /// Lets the other sides of a to-one relationship follow when the store has changed it.
  ///
  /// The program's own changes of the other sides stay.
  final func relink(_ link: Link, _ slot: Int, to value: Slot) {
    let merge = RowMerge(self)
    merge.follow(link, slot, to: value)
    merge.finish()
  }

  /// Invalidates an object whose row is gone, and lets all that leads to it in the store leave it.
  final func mergeDeletion(of storage: ModelStorage) {
    guard let link = storage.link else { return invalidate(storage) }
    let merge = RowMerge(self)
    merge.invalidate(link)
    merge.finish()
  }

  /// Invalidates an object whose row is gone: it keeps its values, and belongs to no context any more.
  final func invalidate(_ storage: ModelStorage) {
    pending.remove(storage)
    storage.changed = SlotSet()
    storage.base = [:]
    storage.deltas = [:]
    storage.phase = .gone
    unregister(storage)
    for observer in observers { observer.didRefresh(storage, nil) }
  }

  /// Reads all again that was read of objects.
  final func refresh(_ links: [Link]) {
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

  /// Keeps the objects of the last few fetches alive that came along with others.
  final func keepPrefetched(_ links: [Link]) {
    guard !links.isEmpty, !isSuccessor else { return }
    prefetched.append(links.map(\.model))
    if prefetched.count > 4 { prefetched.removeFirst() }
  }
}

extension ModelStorage {
  /// The registered objects that may lead to this one as the other side of a relationship.
  final func storedTargets(_ property: PropertyDescription) -> [ModelStorage] {
    guard let context, property.shape.inverse != nil, let type = property.destination else {
      return []
    }
    let slot = property.slot
    guard let store = identifier.storeIdentifier, !wasRead(slot) else {
      let known = [slots[slot], base[slot], newer?.slots[slot]].compactMap { $0 }
      return Set(known.flatMap(\.targetIdentifiers)).compactMap(context.registered)
    }
    // This side doesn't know the objects that lead here.
    let target = EntityDescription.of(type)
    return context.identityMap.table(of: target.key(in: store)).all
      .filter { $0.description.isKind(of: target) }
  }
}

extension Slot {
  /// The targets of a relationship.
  var targetIdentifiers: [PersistentIdentifier] {
    if case .many(let list?) = self { return list.allIdentifiers }
    return targetIdentifier.map { [$0] } ?? []
  }
}
