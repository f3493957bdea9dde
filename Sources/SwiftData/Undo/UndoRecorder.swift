/// What was changed in a context, until an undo manager is told of it.
final class UndoRecorder: ContextObserver, UndoSource {
  let manager: UndoManager
  private weak var context: ModelContext?
  private var batch = UndoBatch()
  private var isRegistering = false
  /// The objects whose saved deletion was undone, by the identifiers that they had.
  private var reborn: [PersistentIdentifier: Link] = [:]

  init(_ context: ModelContext, _ manager: UndoManager) {
    self.context = context
    self.manager = manager
    manager.addSource(self)
  }

  /// Whether a list is what something is to be undone to.
  func keeps(_ list: LinkList) -> Bool { batch.lists.contains(ObjectIdentifier(list)) }

  /// Ends the recording.
  func end() {
    manager.removeSource(self)
    manager.removeAllActions(withTarget: self)
  }

  // MARK: - Recording

  func willChange(_ storage: ModelStorage, _ slot: Int, _ old: Slot) {
    guard let link = storage.link, !batch.knows(storage, slot) else { return }
    var old = old
    if case .unloaded = old, storage.description.properties[slot].isToMany {
      context?.loadTargets(storage, slot)
      old = storage.slots[slot]
    }
    batch.add(link, slot, old)
  }

  func didInsert(_ storage: ModelStorage) {
    if let link = storage.link { batch.inserted.append(link) }
  }

  func didDelete(_ storage: ModelStorage) {
    guard let link = storage.link else { return }
    batch.addDeletion(of: link)
  }

  func didProcessChanges() {
    register()
    manager.closeAutomaticGroup()
  }

  func didRollBack() {
    batch = UndoBatch()
    manager.removeAllActions(withTarget: self)
  }

  func registerChanges() {
    guard !isRegistering, let context else { return }
    isRegistering = true
    defer { isRegistering = false }
    context.applyDeleteRules()
    register()
  }

  private func register() {
    guard !batch.isEmpty else { return }
    let batch = batch
    self.batch = UndoBatch()
    manager.registerUndo(withTarget: self) { $0.revert(batch) }
  }

  // MARK: - Undoing

  /// Undoes changes; what that changes is recorded in its turn.
  private func revert(_ batch: UndoBatch) {
    guard let context else { return }
    let saved = batch.deleted.filter { $0.link.storage.phase == .gone }
    for deletion in batch.deleted { bringBack(deletion.link, context) }
    // Only now are all objects there to which these lead.
    for deletion in saved { restore(deletion) }
    for change in batch.changes.reversed() { restore(change.link, change.slot, change.old) }
    for link in batch.inserted where [.inserted, .stored].contains(link.storage.phase) {
      context.delete(link)
    }
    // What delete rules would do is among the changes.
    context.undecided.removeAll { link in batch.inserted.contains { $0.storage === link.storage } }
  }

  private func bringBack(_ link: Link, _ context: ModelContext) {
    switch link.storage.phase {
    case .deleted:
      context.revive(link)
      didInsert(link.storage)
    case .gone:
      let identifier = link.storage.identifier
      context.insert(link.storage)
      reborn[identifier] = link
    default: break
    }
  }

  /// Gives an object that was inserted anew what it had when it was deleted.
  private func restore(_ deletion: UndoBatch.Deletion) {
    let storage = deletion.link.storage
    for (slot, old) in deletion.slots.enumerated() where slot < storage.slots.count {
      if case .unloaded = old { continue }
      storage.slots[slot] = current(old, storage, slot)
    }
  }

  private func restore(_ link: Link, _ slot: Int, _ old: Slot) {
    let storage = link.storage
    guard storage.phase != .gone, storage.phase != .unregistered else { return }
    let property = storage.description.properties[slot]
    property.willSet(link.model)
    storage.willChange(slot)
    storage.slots[slot] = current(old, storage, slot)
    property.didSet(link.model)
    storage.forgetChangeIfNone(slot)
  }

  /// Returns what a property was, with the objects that have other identifiers now.
  private func current(_ old: Slot, _ storage: ModelStorage, _ slot: Int) -> Slot {
    switch old {
    case .reference(let identifier):
      return reborn[identifier].map(Slot.link) ?? old
    case .many(let list?):
      guard list.links == nil, list.identifiers.contains(where: { reborn[$0] != nil }) else {
        return old
      }
      let links = list.identifiers.compactMap { reborn[$0] ?? context?.fault($0) }
      return .many(LinkList(links))
    default: return old
    }
  }
}

/// Changes that are undone together.
struct UndoBatch {
  private(set) var changes: [(link: Link, slot: Int, old: Slot)] = []
  var inserted: [Link] = []
  private(set) var deleted: [Deletion] = []
  /// The lists among what properties were.
  private(set) var lists: Set<ObjectIdentifier> = []
  private var places: Set<Place> = []

  /// An object that was deleted, and what it was.
  struct Deletion {
    let link: Link
    let slots: [Slot]
  }

  private struct Place: Hashable {
    let storage: ObjectIdentifier
    let slot: Int
  }

  var isEmpty: Bool { changes.isEmpty && inserted.isEmpty && deleted.isEmpty }

  /// Whether it is known what a property was.
  func knows(_ storage: ModelStorage, _ slot: Int) -> Bool {
    places.contains(Place(storage: ObjectIdentifier(storage), slot: slot))
  }

  mutating func addDeletion(of link: Link) {
    for case .many(let list?) in link.storage.slots { lists.insert(ObjectIdentifier(list)) }
    deleted.append(Deletion(link: link, slots: link.storage.slots))
  }

  mutating func add(_ link: Link, _ slot: Int, _ old: Slot) {
    places.insert(Place(storage: ObjectIdentifier(link.storage), slot: slot))
    if case .many(let list?) = old { lists.insert(ObjectIdentifier(list)) }
    changes.append((link, slot, old))
  }
}

extension ModelContext {
  /// What the changes of this context are undone with; nothing is recorded if it is `nil`.
  ///
  /// The changes are registered when the context processes them, when it saves, and before something is
  /// undone. They can be undone after a save too; an object whose deletion was saved is inserted anew,
  /// with another identifier. ``rollback()`` takes what was recorded away.
  public final var undoManager: UndoManager? {
    get { undoRecorder?.manager }
    set {
      if let undoRecorder {
        undoRecorder.end()
        observers.removeAll { $0 === undoRecorder }
      }
      undoRecorder = newValue.map { UndoRecorder(self, $0) }
      if let undoRecorder { observers.append(undoRecorder) }
    }
  }
}
