/// Bringing objects up to date with the store.
extension ModelContext {
  /// Lets the other sides of a to-one relationship follow when the store has changed it.
  ///
  /// What the program has changed of the other sides stays.
  final func relink(_ link: Link, _ slot: Int, to value: Slot) {
    let storage = link.storage
    guard let inverse = storage.description.properties[slot].shape.inverse else { return }
    let (old, new) = (storage.slots[slot].targetIdentifier, value.targetIdentifier)
    if old != new, let other = old.flatMap(registered) {
      if inverse.isToMany {
        other.editStored(inverse.slot) { $0.remove(storage) }
      } else {
        other.setStored(inverse.slot, storage.identifier, isAdded: false)
      }
    }
    if let other = new.flatMap(registered) {
      if inverse.isToMany {
        other.editStored(inverse.slot) { list in
          if !list.contains(storage) { list.append(link) }
        }
      } else {
        other.setStored(inverse.slot, storage.identifier, isAdded: true)
      }
    }
  }

  /// Lets an object go whose row is gone, and what leads to it in the store forget it.
  final func lose(_ storage: ModelStorage) {
    let places = storage.description.relationships.flatMap { property in
      storage.storedTargets(property).map { ($0, property) }
    }
    vanish(storage)
    for (other, property) in places {
      guard let inverse = property.shape.inverse else { continue }
      if inverse.isToMany {
        other.editStored(inverse.slot) { $0.remove(storage) }
      } else {
        other.setStored(inverse.slot, storage.identifier, isAdded: false)
      }
    }
  }

  /// Reads all again that was read of objects.
  final func readAnew(_ links: [Link]) {
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

  /// What is read of some objects.
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
    // Who leads here isn't known from this side.
    let target = EntityDescription.of(type)
    let key = EntityKey.of(
      store: store,
      entity: target.name,
      root: target.root.name
    )
    return context.table(of: key).all.filter { $0.description.isKind(of: target) }
  }

  /// Changes a list as the store did, if it is loaded, and what it was before the program's changes.
  fileprivate final func editStored(_ slot: Int, _ edit: (LinkList) -> Void) {
    guard let model else { return }
    if changed.contains(slot), case .many(let old?)? = base[slot] {
      let copy = old.copy()
      edit(copy)
      base[slot] = .many(copy)
    }
    guard case .many(let list?) = slots[slot] else { return }
    let copy = list.copy()
    edit(copy)
    guard copy.count != list.count else { return }
    let property = description.properties[slot]
    property.willSet(model)
    slots[slot] = .many(copy)
    property.didSet(model)
    forgetChangeIfNone(slot)
  }

  /// Lets a to-one relationship lead to an object, or not any more, as it does in the store; if the
  /// program has changed it, that is what a rollback brings.
  fileprivate final func setStored(
    _ slot: Int,
    _ identifier: PersistentIdentifier,
    isAdded: Bool
  ) {
    guard let model, wasRead(slot) else { return }
    let property = description.properties[slot]
    let isChanged = changed.contains(slot)
    let known = isChanged ? base[slot] : slots[slot]
    let isOther = (known?.targetIdentifier == identifier) != isAdded
    let value: Slot = isAdded ? .reference(identifier) : .nothing
    if isChanged, isOther { base[slot] = value }
    let isLeft = isChanged && !isAdded && slots[slot].targetIdentifier == identifier
    if isLeft || isOther && !isChanged {
      property.willSet(model)
      slots[slot] = isLeft ? leadBack(slot) : value
      property.didSet(model)
    }
    forgetChangeIfNone(slot)
  }

  /// Returns what a to-one relationship leads to in the store, if that leads back; else nothing.
  private func leadBack(_ slot: Int) -> Slot {
    guard let known = base[slot], let identifier = known.targetIdentifier,
      let inverse = description.properties[slot].shape.inverse
    else { return .nothing }
    guard let other = context?.registered(identifier) else { return known }
    return other.leads(to: self, inverse) ? known : .nothing
  }
}

extension Slot {
  /// What a relationship leads to.
  fileprivate var targetIdentifiers: [PersistentIdentifier] {
    if case .many(let list?) = self { return list.allIdentifiers }
    return targetIdentifier.map { [$0] } ?? []
  }
}
