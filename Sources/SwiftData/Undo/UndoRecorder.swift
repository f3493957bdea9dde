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
    askForTurn()
    batch.add(link, slot, old)
  }

  func didInsert(_ storage: ModelStorage) {
    guard let link = storage.link else { return }
    askForTurn()
    batch.addInsertion(of: link)
  }

  func didDelete(_ storage: ModelStorage) {
    guard let link = storage.link else { return }
    askForTurn()
    batch.addDeletion(of: link)
  }

  /// Arranges that the changes are registered when the context's actor has done what it is doing.
  private func askForTurn() {
    if batch.isEmpty { context?.inbox.schedule() }
  }

  func didReachTurn() {
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
    context.applyDeleteRules()
    register()
  }

  private func register() {
    guard !batch.isEmpty else { return }
    var batch = batch
    self.batch = UndoBatch()
    batch.close()
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
    for change in batch.changes where !change.isOfList { restore(change) }
    for change in batch.changes where change.isOfList { restoreList(change) }
    for change in batch.changes { change.link.storage.forgetChangeIfNone(change.slot) }
    for link in batch.inserted where [.inserted, .stored].contains(link.storage.phase) {
      context.delete(link)
    }
    // What delete rules would do is among the changes.
    context.undecided.removeAll { link in batch.inserted.contains { $0.storage === link.storage } }
  }

  private func bringBack(_ link: Link, _ context: ModelContext) {
    switch link.storage.phase {
    case .deleted: context.revive(link)
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

  private func restore(_ change: UndoBatch.Change) {
    let storage = change.link.storage
    guard isHere(storage) else { return }
    let old = current(change.old, storage, change.slot)
    let isElsewhere =
      change.property.destination != nil
      && storage.slots[change.slot].targetIdentifier
        != current(change.new, storage, change.slot).targetIdentifier
    change.tell {
      if isElsewhere {
        // What others have let it lead to since has to forget it.
        storage.setTarget(change.slot, old.targetIdentifier.flatMap { context?.fault($0) })
      } else {
        storage.willChange(change.slot)
        storage.slots[change.slot] = old
      }
    }
  }

  /// Makes a list what it was; where others have changed it since, what was added leaves it, and what was
  /// removed enters it.
  private func restoreList(_ change: UndoBatch.Change) {
    let (storage, slot) = (change.link.storage, change.slot)
    guard isHere(storage) else { return }
    let now = storage.targets(slot)
    let (old, new) = (current(change.old, storage, slot), current(change.new, storage, slot))
    change.tell {
      storage.willChange(slot)
      guard let now, case .many(let before?) = old, case .many(let after?) = new,
        now.allIdentifiers != after.allIdentifiers
      else {
        storage.slots[slot] = old
        return
      }
      let (known, done) = (Set(before.allIdentifiers), Set(after.allIdentifiers))
      var links = storage.resolved(now, slot).filter { link in
        known.contains(link.storage.identifier) || !done.contains(link.storage.identifier)
      }
      let present = done.union(links.map(\.storage.identifier))
      links += storage.resolved(before, slot).filter { link in
        !present.contains(link.storage.identifier)
      }
      storage.slots[slot] = .many(LinkList(links))
    }
  }

  private func isHere(_ storage: ModelStorage) -> Bool {
    storage.phase != .gone && storage.phase != .unregistered
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
  private(set) var changes: [Change] = []
  private(set) var inserted: [Link] = []
  private(set) var deleted: [Deletion] = []
  /// The lists among what properties were.
  private(set) var lists: Set<ObjectIdentifier> = []
  private var places: Set<Place> = []

  /// A property that was changed.
  struct Change {
    let link: Link
    let slot: Int
    let old: Slot
    /// What it was changed to.
    fileprivate(set) var new = Slot.unloaded

    fileprivate var property: PropertyDescription { link.storage.description.properties[slot] }
    fileprivate var isOfList: Bool { property.isToMany }

    /// Changes the property, and tells its observers.
    fileprivate func tell(_ body: () -> Void) {
      property.willSet(link.model)
      body()
      property.didSet(link.model)
    }
  }

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

  mutating func addInsertion(of link: Link) {
    // A deletion that is taken back leaves nothing to be undone.
    if let index = deleted.lastIndex(where: { $0.link.storage === link.storage }) {
      deleted.remove(at: index)
    } else {
      inserted.append(link)
    }
  }

  mutating func addDeletion(of link: Link) {
    for case .many(let list?) in link.storage.slots { lists.insert(ObjectIdentifier(list)) }
    deleted.append(Deletion(link: link, slots: link.storage.slots))
  }

  mutating func add(_ link: Link, _ slot: Int, _ old: Slot) {
    places.insert(Place(storage: ObjectIdentifier(link.storage), slot: slot))
    if case .many(let list?) = old { lists.insert(ObjectIdentifier(list)) }
    changes.append(Change(link: link, slot: slot, old: old))
  }

  /// Notes what everything was changed to; a list is copied before it is changed again.
  mutating func close() {
    for index in changes.indices {
      let change = changes[index]
      changes[index].new = change.link.storage.slots[change.slot]
    }
  }
}

extension ModelContext {
  /// What the changes of this context are undone with; nothing is recorded if it is `nil`.
  ///
  /// The changes are registered when the main actor or the model actor of the context has done what it is
  /// doing, when the context processes them, when it saves, and before something is undone. They can be undone after a save too; an object whose deletion was saved is inserted anew,
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
