/// Reading the values and objects that a context lacks, where the program asks for them.
///
/// Objects of the same fetch that lack the same are read together.
struct ObjectReading {
  /// How many objects are read together when one of them needs data.
  private static var objectsAtOnce: Int { 100 }

  private let context: ModelContext

  init(_ context: ModelContext) { self.context = context }

  /// Returns the object that a to-one relationship of `storage` leads to.
  ///
  /// If it has to be read, so are the targets of the next objects of the same fetch.
  func target(
    _ identifier: PersistentIdentifier,
    from storage: ModelStorage,
    _ slot: Int
  ) -> ObjectReference? {
    guard !identifier.isTemporary, let description = context.stores.description(of: identifier)
    else { return nil }
    var wanted = [identifier]
    if let group = storage.group {
      var known: Set = [identifier]
      group.forEach(from: storage) { sibling in
        if sibling.description === storage.description,
          case .reference(let other) = sibling.slots[slot],
          known.insert(other).inserted, context.registered(other) == nil
        {
          wanted.append(other)
        }
        // A successor context would not keep the other objects alive until they are used.
        return wanted.count < Self.objectsAtOnce && !context.isSuccessor
      }
    }
    guard let links = context.readIfPossible(wanted, of: description) else {
      if !storage.changed.contains(slot) { storage.unread.insert(slot) }
      return nil
    }
    for link in links.reversed() { context.recent.add(link.model) }
    return links.first { $0.storage.identifier == identifier }
  }

  /// Returns the objects of identifiers, without deleted ones.
  func targets(
    _ identifiers: [PersistentIdentifier],
    from storage: ModelStorage,
    _ slot: Int
  ) -> [ObjectReference] {
    let missing = identifiers.filter { context.registered($0) == nil }
    var links: [ObjectReference] = []
    if !missing.isEmpty, let type = storage.description.properties[slot].destination {
      if let found = context.readIfPossible(missing, of: EntityDescription.of(type)) {
        links = found
      } else {
        storage.unread.insert(slot)
      }
      for link in links { context.recent.add(link.model) }
    }
    return withExtendedLifetime(links) { identifiers.compactMap { context.registered($0)?.link } }
  }

  /// Reads the missing values of an object's row, also for objects of the same fetch that lack them.
  func values(of storage: ModelStorage, _ slot: Int) {
    guard storage.identifier.storeIdentifier != nil, storage.phase != .gone else { return }
    let isAlone = storage.description.properties[slot].isExternal || context.isLarge(storage, slot)
    var isKnown = read(storage, slot, isAlone: isAlone)
    if isKnown == true, !isAlone, storage.isUnloaded(slot), context.isLarge(storage, slot) {
      isKnown = read(storage, slot, isAlone: true)
    }
    if isKnown == false { context.noteDeletions(of: [storage]) }
  }

  /// Reads one value, or else whole rows; returns whether the row exists, `nil` if that is unknown.
  private func read(_ storage: ModelStorage, _ slot: Int, isAlone: Bool) -> Bool? {
    let others = isAlone ? [] : siblings(of: storage, lacking: slot)
    let wanted = [storage.identifier] + others.map(\.storage.identifier)
    return withExtendedLifetime(others) {
      context.readIfPossible(wanted, of: storage.description, slots: isAlone ? [slot] : nil)?
        .contains { $0.storage === storage }
    }
  }

  /// Returns the next objects of the same fetch that lack a property too.
  private func siblings(of storage: ModelStorage, lacking slot: Int) -> [ObjectReference] {
    var found: [ObjectReference] = []
    storage.group?.forEach(from: storage) { sibling in
      if sibling !== storage, sibling.description === storage.description,
        sibling.isUnloaded(slot), let link = sibling.link
      {
        found.append(link)
      }
      return found.count + 1 < Self.objectsAtOnce
    }
    return found
  }

  /// Reads the targets of a to-many relationship, also for objects of the same fetch that lack
  /// them.
  func list(of storage: ModelStorage, _ slot: Int) {
    guard storage.identifier.storeIdentifier != nil, storage.phase != .gone else { return }
    let own = storage.link.map { [$0] } ?? []
    lists(of: own + siblings(of: storage, lacking: slot), slot)
  }

  /// Reads the unknown targets of a to-many relationship of objects of one class.
  func lists(of sources: [ObjectReference], _ slot: Int) {
    guard let description = sources.first?.storage.description else { return }
    let lists = context.errors.noting {
      try context.stores.store(of: description)
        .targets(of: sources.map(\.storage.identifier), description, slot: slot, into: context)
    }
    let moved = context.moved(along: description.properties[slot])
    for (source, links) in zip(sources, lists ?? []) { source.storage.take(links, slot, moved) }
  }
}

extension ModelStorage {
  /// Takes the stored targets of a to-many relationship, and applies the changes since.
  ///
  /// - Parameters:
  ///   - links: The objects.
  ///   - slot: The relationship.
  ///   - moved: The objects that the program gave another target than others have done since.
  final func take(_ links: [ObjectReference], _ slot: Int, _ moved: [ObjectReference]) {
    guard case .unloaded = slots[slot] else { return }
    takeStored(links, slot)
    if !moved.isEmpty { settle(moved, slot) }
    guard phase == .stored, description.properties[slot].isLeftByDeleted else { return }
    let deleted = links.filter { $0.storage.phase == .deleted }
    if !deleted.isEmpty { forget(deleted, deleted.identifiers, slot) }
  }

  /// Adds moved objects that refer to this one to a list, and removes other moved ones.
  private final func settle(_ moved: [ObjectReference], _ slot: Int) {
    guard let inverse = description.properties[slot].shape.inverse,
      case .many(let list?) = slots[slot]
    else { return }
    let settled = list.copy()
    var isEdited = false
    for link in moved {
      let isHere = link.storage.slots[inverse.slot].targetIdentifier == identifier
      if isHere == settled.contains(link.storage.identifier) { continue }
      if isHere { settled.append(link) } else { settled.remove(link.storage) }
      if link.storage.changed.contains(inverse.slot) { isEdited = true }
    }
    guard settled.allIdentifiers != list.allIdentifiers else { return }
    if isEdited, !changed.contains(slot) { noteChange(slot, since: .many(list)) }
    slots[slot] = .many(settled)
  }

  private final func takeStored(_ links: [ObjectReference], _ slot: Int) {
    let property = description.properties[slot]
    let stored = ObjectReferenceList(links)
    if !property.shape.isStrong {
      stored.forgetObjects()
      for link in links { modelContext?.recent.add(link.model) }
    }
    if changed.contains(slot) { base[slot] = .many(stored) }
    guard let delta = deltas.removeValue(forKey: slot), !delta.isEmpty else {
      slots[slot] = .many(changed.contains(slot) ? stored.copy() : stored)
      return
    }
    slots[slot] = .many(delta.applied(to: ObjectReferenceList(links)))
  }

  /// Replaces references to objects that the other side keeps alive by identifiers.
  final func settle() {
    for property in description.relationships where !property.shape.isStrong {
      switch slots[property.slot] {
      case .link(let link) where !link.storage.identifier.isTemporary:
        slots[property.slot] = .reference(link.storage.identifier)
      case .weak(let weak):
        if let link = weak.link { slots[property.slot] = .reference(link.storage.identifier) }
      case .many(let list?) where !list.isInitial: list.forgetObjects()
      default: break
      }
    }
  }

  /// Replaces missing collections by empty ones, as they will be read.
  final func fillMissingLists() {
    for slot in description.optionalLists {
      if case .many(nil) = slots[slot] { mutate(slot, to: .many(ObjectReferenceList())) }
    }
  }

  /// Releases objects that the other side keeps alive, for an object without a context.
  final func loosen() {
    for property in description.relationships where !property.shape.isStrong {
      switch slots[property.slot] {
      case .link(let link): slots[property.slot] = .weak(WeakObjectReference(link))
      case .many: slots[property.slot] = .many(ObjectReferenceList())
      default: break
      }
    }
    if !base.isEmpty { base = SlotValues() }
    if !deltas.isEmpty { deltas = [:] }
  }
}
