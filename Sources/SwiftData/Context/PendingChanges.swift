/// The changes of a context that aren't saved.
struct PendingChanges {
  private(set) var inserted = PendingSet()
  private(set) var changed = PendingSet()
  private(set) var deleted = PendingSet()
  /// The deleted objects that were never saved.
  private(set) var discarded = PendingSet()
  /// The deleted objects whose delete rules weren't applied yet.
  private var undecided: [ObjectReference] = []
  /// Whether some of these may be there twice.
  private var hasRepetitions = false
  /// The relationships of deleted objects that must be empty at the save.
  private(set) var denials: [(link: ObjectReference, slot: Int)] = []
  /// The objects that must be as they were read when this is saved.
  private(set) var required: [RequiredObject] = []
  /// The objects of contexts that no longer exist, whose rows weren't checked since.
  var adopted: [ObjectReference] = []
  /// The adopted objects that the program itself has inserted.
  private var askedFor: Set<ObjectIdentifier> = []

  var isEmpty: Bool { inserted.isEmpty && changed.isEmpty && deleted.isEmpty }

  /// Whether a save has something to do though there may be no changes.
  var hasLeftovers: Bool { !discarded.isEmpty || !adopted.isEmpty }

  /// Whether there are deleted objects whose delete rules weren't applied yet.
  var hasUndecided: Bool { !undecided.isEmpty }

  /// Adds an object, as its phase says: inserted, changed, or deleted.
  mutating func add(_ link: ObjectReference) {
    switch link.storage.phase {
    case .inserted: inserted.append(link)
    case .stored: changed.append(link)
    case .deleted:
      undecided.append(link)
      if link.storage.identifier.isTemporary {
        discarded.append(link)
      } else {
        deleted.append(link)
      }
    case .unregistered, .gone: break
    }
  }

  /// Removes an object that has nothing more to save.
  mutating func remove(_ storage: ModelStorage) {
    if storage.pendingIndex < 0 { return }
    inserted.remove(storage)
    changed.remove(storage)
    deleted.remove(storage)
    discarded.remove(storage)
  }

  /// Removes a saved change of an object that was sent in some phase; a change that was made since stays.
  mutating func removeSaved(_ storage: ModelStorage, _ phase: ModelStorage.Phase) {
    switch phase {
    case .inserted: inserted.remove(storage)
    case .stored: changed.remove(storage)
    case .deleted: deleted.remove(storage)
    case .unregistered, .gone: break
    }
  }

  /// Removes an object whose deletion is taken back.
  mutating func removeDeletion(of storage: ModelStorage) {
    remove(storage)
    undecided.removeAll { $0.storage === storage }
  }

  /// Removes the deleted objects that were never saved; returns them.
  mutating func removeDiscarded() -> [ObjectReference] { discarded.removeAll() }

  /// Removes all changes; returns the new, the changed, and the deleted objects.
  mutating func removeAll() -> (
    new: [ObjectReference], changed: [ObjectReference], deleted: [ObjectReference]
  ) {
    undecided = []
    removeConditions()
    removeAdopted()
    return (inserted.removeAll() + discarded.removeAll(), changed.removeAll(), deleted.removeAll())
  }

  /// Makes the next save fail if an object's row has changed since it was read.
  mutating func require(_ link: ObjectReference) {
    removeRequirements(of: [link])
    required.append(RequiredObject(link))
  }

  /// Ends the requirements of objects that a save has met.
  mutating func removeRequirements(of links: @autoclosure () -> [ObjectReference]) {
    if required.isEmpty { return }
    let met = Set(links().map { ObjectIdentifier($0.storage) })
    required.removeAll { met.contains(ObjectIdentifier($0.link.storage)) }
  }

  /// Records that the program has inserted an object of a context that no longer exists.
  mutating func askFor(_ link: ObjectReference) { askedFor.insert(ObjectIdentifier(link.storage)) }

  /// Whether the program has inserted an object of a context that no longer existed.
  func isAskedFor(_ link: ObjectReference) -> Bool {
    askedFor.contains(ObjectIdentifier(link.storage))
  }

  /// Forgets which objects came from contexts that no longer exist.
  mutating func removeAdopted() {
    adopted = []
    askedFor = []
  }

  /// Ends the conditions of a save that was made.
  mutating func removeConditions() {
    denials = []
    required = []
  }

  // MARK: - Delete rules

  /// Makes the delete rules of deleted objects apply, maybe again.
  mutating func decide(_ links: [ObjectReference]) {
    if links.isEmpty { return }
    undecided += links
    hasRepetitions = true
  }

  /// Removes the deleted objects whose delete rules are to be applied now; returns each once.
  mutating func removeUndecided() -> [ObjectReference] {
    defer { (undecided, hasRepetitions) = ([], false) }
    // An object may have been inserted again meanwhile.
    let deleted = undecided.filter { $0.storage.phase == .deleted }
    guard hasRepetitions else { return deleted }
    // The rules of an object may be to be applied for two reasons.
    var known: Set<ObjectIdentifier> = []
    return deleted.filter { known.insert(ObjectIdentifier($0.storage)).inserted }
  }

  /// Makes the next save fail if a relationship of deleted objects isn't empty then.
  mutating func deny(_ links: [ObjectReference], _ slot: Int) {
    denials += links.map { ($0, slot) }
  }
}

/// An object whose row must equal an earlier read, regardless of later reads.
struct RequiredObject {
  let link: ObjectReference
  let version: Int64
  /// The values of its properties then.
  let slots: [Slot]

  init(_ link: ObjectReference) {
    self.link = link
    version = link.storage.version
    slots = link.storage.slots.all
  }

  /// Whether the program hasn't changed the object, so that no policy decides about it.
  var isUnchanged: Bool {
    switch link.storage.phase {
    case .stored: link.storage.changedColumns().isEmpty
    case .gone: true
    case .unregistered, .inserted, .deleted: false
    }
  }
}
