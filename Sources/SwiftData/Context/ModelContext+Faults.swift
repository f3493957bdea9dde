internal import DepotProtocol

/// Objects and values that are read when the program asks for them.
extension ModelContext {
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
  final func resolve(
    _ identifier: PersistentIdentifier,
    from storage: ModelStorage,
    _ slot: Int
  ) -> ObjectReference? {
    registered(identifier)?.link ?? ObjectReading(self).target(identifier, from: storage, slot)
  }

  /// Returns the objects of identifiers, without deleted ones.
  final func resolve(
    _ identifiers: [PersistentIdentifier],
    from storage: ModelStorage,
    _ slot: Int
  ) -> [ObjectReference] { ObjectReading(self).targets(identifiers, from: storage, slot) }

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
    errors.reading(slot, of: storage, isAsked: isAsked) {
      ObjectReading(self).values(of: storage, slot)
    }
  }

  /// Reads the targets of a to-many relationship, also for objects of the same fetch that lack them.
  final func loadTargets(_ storage: ModelStorage, _ slot: Int) {
    ObjectReading(self).list(of: storage, slot)
  }

  /// Records that the store has a value that doesn't fit the property's type, or the row.
  final func refuse(_ slot: Int, of storage: ModelStorage, _ error: any Error) {
    if (error as? DepotError)?.isOfLength == true {
      return largeValues.insert(slot, of: storage.identifier) { identityMap[$0] != nil }
    }
    errors.refuse(slot, of: storage, error)
  }

  /// Whether the stored value of a property is known to be too large for the row.
  final func isLarge(_ storage: ModelStorage, _ slot: Int) -> Bool {
    largeValues.contains(slot, of: storage.identifier)
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
