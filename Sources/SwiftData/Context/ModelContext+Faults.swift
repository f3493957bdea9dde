internal import DepotProtocol

/// Objects and values that are read when the program asks for them.
extension ModelContext {
  /// How many objects are read together when one of them needs data.
  private static var siblings: Int { 100 }

  /// Returns the object of an identifier, perhaps unread; `nil` if it can't exist.
  final func fault(_ identifier: PersistentIdentifier) -> ObjectReference? {
    if let link = registered(identifier)?.link { return link }
    guard !identifier.isTemporary, let description = stores.description(of: identifier),
      let store = try? stores.store(of: description), store.identifier == identifier.storeIdentifier
    else { return nil }
    // Only the store knows the class of the object.
    if stores.hasSubclasses(description) { return read([identifier], of: description).first }
    let link = description.makeObject(identifier)
    register(link.storage)
    recent.add(link.model)
    return link
  }

  /// Returns the object that a to-one relationship of `storage` leads to.
  ///
  /// If it has to be read, so are the targets of the next objects of the same fetch.
  final func resolve(
    _ identifier: PersistentIdentifier,
    from storage: ModelStorage,
    _ slot: Int
  ) -> ObjectReference? {
    if let link = registered(identifier)?.link { return link }
    guard !identifier.isTemporary, let description = stores.description(of: identifier) else {
      return nil
    }
    var wanted = [identifier]
    if let group = storage.group {
      var known: Set = [identifier]
      group.forEach(from: storage) { sibling in
        if sibling.description === storage.description,
          case .reference(let other) = sibling.slots[slot],
          known.insert(other).inserted, registered(other) == nil
        {
          wanted.append(other)
        }
        // A successor context would not keep the other objects alive until they are used.
        return wanted.count < Self.siblings && !isSuccessor
      }
    }
    guard let links = readIfPossible(wanted, of: description) else {
      if !storage.changed.contains(slot) { storage.unread.insert(slot) }
      return nil
    }
    for link in links.reversed() { recent.add(link.model) }
    return links.first { $0.storage.identifier == identifier }
  }

  /// Returns the objects of identifiers, without deleted ones.
  final func resolve(
    _ identifiers: [PersistentIdentifier],
    from storage: ModelStorage,
    _ slot: Int
  ) -> [ObjectReference] {
    let missing = identifiers.filter { registered($0) == nil }
    var links: [ObjectReference] = []
    if !missing.isEmpty, let type = storage.description.properties[slot].destination {
      if let found = readIfPossible(missing, of: EntityDescription.of(type)) {
        links = found
      } else {
        storage.unread.insert(slot)
      }
      for link in links { recent.add(link.model) }
    }
    return withExtendedLifetime(links) { identifiers.compactMap { registered($0)?.link } }
  }

  /// Reads the rows of identifiers of one hierarchy; keeps an error for later.
  final func read(
    _ identifiers: [PersistentIdentifier],
    of description: EntityDescription,
    slots: [Int]? = nil
  ) -> [ObjectReference] {
    readIfPossible(identifiers, of: description, slots: slots) ?? []
  }

  /// Reads the rows of identifiers of one hierarchy; keeps an error for later and then returns
  /// `nil`.
  final func readIfPossible(
    _ identifiers: [PersistentIdentifier],
    of description: EntityDescription,
    slots: [Int]? = nil
  ) -> [ObjectReference]? {
    errors.noting {
      try stores.store(of: description).rows(identifiers, of: description, slots: slots, into: self)
    }
  }

  /// Reads the rows of objects of one class; keeps an error for later and then returns `nil`.
  final func readIfPossible(_ links: [ObjectReference]) -> [ObjectReference]? {
    guard let first = links.first else { return [] }
    return readIfPossible(links.map(\.storage.identifier), of: first.storage.description)
  }

  /// Reads the missing values of an object's row, also for objects of the same fetch that lack
  /// them.
  ///
  /// If the program asks for a value that doesn't have the property's type, the next save or fetch
  /// throws.
  final func load(_ storage: ModelStorage, _ slot: Int, isAsked: Bool = true) {
    errors.reading(slot, of: storage, isAsked: isAsked) { read(storage, slot) }
  }

  /// Records that the store has a value that doesn't fit the property's type, or the row.
  final func refuse(_ slot: Int, of storage: ModelStorage, _ error: any Error) {
    if (error as? DepotError)?.isOfLength == true {
      return largeValues.insert(slot, of: storage.identifier) { identityMap[$0] != nil }
    }
    errors.refuse(slot, of: storage, error)
  }

  private final func read(_ storage: ModelStorage, _ slot: Int) {
    guard storage.identifier.storeIdentifier != nil, storage.phase != .gone else { return }
    let isAlone = storage.description.properties[slot].isExternal || isLarge(storage, slot)
    var isKnown = read(storage, slot, isAlone: isAlone)
    if isKnown == true, !isAlone, storage.isUnloaded(slot), isLarge(storage, slot) {
      isKnown = read(storage, slot, isAlone: true)
    }
    if isKnown == false { noteDeletions(of: [storage]) }
  }

  /// Whether the stored value of a property is known to be too large for the row.
  final func isLarge(_ storage: ModelStorage, _ slot: Int) -> Bool {
    largeValues.contains(slot, of: storage.identifier)
  }

  /// Reads one value, or else whole rows; returns whether the row exists, `nil` if that is unknown.
  private func read(_ storage: ModelStorage, _ slot: Int, isAlone: Bool) -> Bool? {
    let others = isAlone ? [] : siblings(of: storage, lacking: slot)
    let wanted = [storage.identifier] + others.map(\.storage.identifier)
    return withExtendedLifetime(others) {
      readIfPossible(wanted, of: storage.description, slots: isAlone ? [slot] : nil)?
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
      return found.count + 1 < Self.siblings
    }
    return found
  }

  /// Reads the targets of a to-many relationship, also for objects of the same fetch that lack
  /// them.
  final func loadTargets(_ storage: ModelStorage, _ slot: Int) {
    guard storage.identifier.storeIdentifier != nil, storage.phase != .gone else { return }
    let own = storage.link.map { [$0] } ?? []
    loadTargets(of: own + siblings(of: storage, lacking: slot), slot)
  }

  /// Reads the unknown targets of a to-many relationship of objects of one class.
  final func loadTargets(of sources: [ObjectReference], _ slot: Int) {
    guard let description = sources.first?.storage.description else { return }
    let lists = errors.noting {
      try stores.store(of: description)
        .targets(of: sources.map(\.storage.identifier), description, slot: slot, into: self)
    }
    let moved = moved(along: description.properties[slot])
    for (source, links) in zip(sources, lists ?? []) { source.storage.take(links, slot, moved) }
  }

  /// The members of a relationship's lists that the store's lists lack or have elsewhere.
  ///
  /// They are objects that this context links to another object than the stored one, and objects that it keeps though
  /// their rows are gone.
  final func moved(along property: PropertyDescription) -> [ObjectReference] {
    guard !pending.changed.isEmpty, let inverse = property.shape.inverse, !inverse.isToMany,
      let type = property.destination
    else { return [] }
    let description = EntityDescription.of(type)
    return pending.changed.all.filter { link in
      guard let newer = link.storage.newer, link.storage.description.isKind(of: description) else {
        return false
      }
      return newer.isGone || link.storage.changed.contains(inverse.slot)
    }
  }

  /// Runs a function that sees objects as after the pending deletions.
  final func seeingDeletions<Result>(_ body: () throws -> Result) rethrows -> Result {
    let before = hidesDeleted
    hidesDeleted = !pending.deleted.isEmpty
    defer { hidesDeleted = before }
    return try body()
  }
}

extension [ObjectReference] {
  /// Returns the storages of the objects that aren't among others.
  func storages(without others: [ObjectReference]) -> [ModelStorage] {
    let known = Set(others.map { ObjectIdentifier($0.storage) })
    return map(\.storage).filter { !known.contains(ObjectIdentifier($0)) }
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
