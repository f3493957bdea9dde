/// A recorder of a context's changes, until they are registered with an undo manager.
final class UndoRecorder: ContextObserver, UndoSource {
  let manager: UndoManager
  private(set) weak var context: ModelContext?
  private var batch = UndoBatch()
  private var isRegistering = false
  /// The objects whose saved deletion was undone, by the identifiers that they had.
  var reinserted: [PersistentIdentifier: ObjectReference] = [:]

  init(_ context: ModelContext, _ manager: UndoManager) {
    self.context = context
    self.manager = manager
    manager.addSource(self)
  }

  /// Whether a list is the old value of a recorded change.
  func keeps(_ list: ObjectReferenceList) -> Bool { batch.lists.contains(ObjectIdentifier(list)) }

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
    scheduleRegistration()
    batch.add(link, slot, old)
  }

  func didInsert(_ storage: ModelStorage) {
    guard let link = storage.link else { return }
    scheduleRegistration()
    batch.addInsertion(of: link)
  }

  func didDelete(_ storage: ModelStorage) {
    guard let link = storage.link else { return }
    scheduleRegistration()
    batch.addDeletion(of: link)
  }

  /// Schedules the registration of the changes for when the context's actor finishes its current
  /// work.
  private func scheduleRegistration() {
    if batch.isEmpty { context?.mergeQueue.schedule() }
  }

  func didBecomeIdle() {
    guard !batch.isEmpty else { return }
    registerChanges()
    manager.closeAutomaticGroup()
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
    DeleteRules(context).apply()
    register()
  }

  private func register() {
    guard !batch.isEmpty else { return }
    var batch = batch
    self.batch = UndoBatch()
    batch.close()
    manager.registerUndo(withTarget: self) { $0.revert(batch) }
  }
}

/// Changes that are undone together.
struct UndoBatch {
  private(set) var changes: [Change] = []
  private(set) var inserted: [ObjectReference] = []
  private(set) var deleted: [Deletion] = []
  /// The lists among the old values.
  private(set) var lists: Set<ObjectIdentifier> = []
  private var places: Set<PropertyOfObject> = []

  /// A property that was changed.
  struct Change {
    let link: ObjectReference
    let slot: Int
    let old: Slot
    /// The new value.
    fileprivate(set) var new = Slot.unloaded

    var property: PropertyDescription { link.storage.description.properties[slot] }
  }

  /// An object that was deleted, with its values.
  struct Deletion {
    let link: ObjectReference
    let slots: [Slot]
  }

  var isEmpty: Bool { changes.isEmpty && inserted.isEmpty && deleted.isEmpty }

  /// Whether the old value of a property is recorded.
  func knows(_ storage: ModelStorage, _ slot: Int) -> Bool {
    places.contains(PropertyOfObject(storage, slot))
  }

  mutating func addInsertion(of link: ObjectReference) {
    // A deletion that is taken back leaves nothing to be undone.
    if let index = deleted.lastIndex(where: { $0.link.storage === link.storage }) {
      deleted.remove(at: index)
    } else {
      inserted.append(link)
    }
  }

  mutating func addDeletion(of link: ObjectReference) {
    for case .many(let list?) in link.storage.slots.all { lists.insert(ObjectIdentifier(list)) }
    deleted.append(Deletion(link: link, slots: link.storage.slots.all))
  }

  mutating func add(_ link: ObjectReference, _ slot: Int, _ old: Slot) {
    places.insert(PropertyOfObject(link.storage, slot))
    if case .many(let list?) = old { lists.insert(ObjectIdentifier(list)) }
    changes.append(Change(link: link, slot: slot, old: old))
  }

  /// Records the new values of all changes; a list is copied before it is changed again.
  mutating func close() {
    for index in changes.indices {
      let change = changes[index]
      changes[index].new = change.link.storage.slots[change.slot]
    }
  }
}

extension ModelContext {
  /// The undo manager of this context; nothing is recorded if it is `nil`.
  ///
  /// The changes are registered when the main actor or the context's model actor has finished its
  /// current work, when the context processes them, when it saves, and before something is undone.
  /// They can be undone after a save too; an object whose deletion was saved is inserted anew, with
  /// another identifier. ``rollback()`` discards the recorded changes.
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
