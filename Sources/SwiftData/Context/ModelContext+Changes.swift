/// Inserting and deleting objects, and the pending changes.
extension ModelContext {
  /// Whether there are changes that aren't saved.
  public final var hasChanges: Bool { !pending.isEmpty }

  /// The objects that were inserted and aren't saved.
  public final var insertedModelsArray: [any PersistentModel] { models(pending.inserted) }

  /// The objects that were changed and aren't saved.
  public final var changedModelsArray: [any PersistentModel] { models(pending.changed) }

  /// The objects that are to be deleted at the next save.
  public final var deletedModelsArray: [any PersistentModel] { models(pending.deleted) }

  private func models(_ set: PendingSet) -> [any PersistentModel] {
    set.all.compactMap { $0.model as? any PersistentModel }
  }

  /// Inserts an object, and all objects that its relationships lead to.
  ///
  /// An object that is in the context already stays unchanged. An object of a context that no
  /// longer exists comes into this context with its changes and the objects that its relationships
  /// lead to. An object of another context, of a store of another container, or of a class that the
  /// container doesn't know isn't inserted: the next save throws
  /// ``SwiftDataError/modelValidationFailure`` or ``SwiftDataError/unknownSchema``.
  public final func insert<T: PersistentModel>(_ model: T) {
    guard let storage = model.ownStorage else {
      return refuse("\(T.self) has backing data of its own, which no context can keep.", nil)
    }
    using {
      if storage.isOrphan, let link = storage.link { pending.askFor(link) }
      insert(storage)
    }
  }

  /// Inserts objects, and all objects that their relationships lead to.
  public final func insert<T: PersistentModel>(contentsOf models: some Sequence<T>) {
    for model in models { insert(model) }
  }

  /// Inserts an object with all objects that its relationships lead to.
  final func insert(_ storage: ModelStorage) {
    if storage.description.relationships.isEmpty, !storage.isOrphan {
      _ = insertAlone(storage)
    } else {
      var insertion = ObjectInsertion(self)
      insertion.insert(storage)
    }
  }

  /// Inserts an object without the targets of its relationships; returns whether it is new here.
  final func insertAlone(_ storage: ModelStorage) -> Bool {
    guard let link = storage.link else { return false }
    if let other = storage.ownContext, other !== self {
      refuse(
        "The \(storage.description.name) \(storage.identifier) belongs to another context.",
        storage.description,
        hint: "Find it in this context by its persistentModelID."
      )
      return false
    }
    switch storage.phase {
    case .inserted, .stored: return false
    case .deleted:
      undoDeletion(link)
      storage.enterInverses()
      return false
    case .unregistered: break
    case .gone: storage.makeNew()
    }
    guard stores.knows(storage.description) else {
      errors.refuse(stores.unknownSchema(storage.description))
      return false
    }
    storage.phase = .inserted
    register(storage)
    pending.add(link)
    for observer in observers { observer.didInsert(storage) }
    noteUnsaved()
    return true
  }

  /// Undoes the deletion of an object.
  final func undoDeletion(_ link: ObjectReference) {
    let storage = link.storage
    pending.removeDeletion(of: storage)
    if storage.identifier.isTemporary {
      storage.phase = .inserted
    } else {
      storage.phase = .stored
      storage.raise(to: storage.knownVersion, [:])
      restoreInverses(link)
    }
    if storage.hasChanges { pending.add(link) }
    for observer in observers { observer.didInsert(storage) }
    noteUnsaved()
  }

  /// Deletes an object at the next save, with the objects that delete rules cascade to.
  ///
  /// Its values stay readable, also after the save. Unread values in external storage stay
  /// readable only if there is an ``undoManager``. An object of a context that no longer exists
  /// comes into this context first; any other object without a context stays unchanged.
  public final func delete<T: PersistentModel>(_ model: T) {
    guard let link = model.ownStorage?.link, link.storage.phase != .unregistered else { return }
    using { deleteIfOwn(link) }
  }

  private func deleteIfOwn(_ link: ObjectReference) {
    if link.storage.context === self { return delete(link) }
    if let other = link.storage.ownContext, other !== self {
      return refuse(
        "The \(link.storage.description.name) \(link.storage.identifier) to be deleted belongs to "
          + "another context.",
        link.storage.description
      )
    }
    if link.storage.isOrphan {
      insert(link.storage)
      if link.storage.isOrphan { return }
    }
    delete(link)
  }

  /// Deletes an object, without applying delete rules yet.
  final func delete(_ link: ObjectReference) {
    let storage = link.storage
    guard storage.phase == .inserted || storage.phase == .stored else { return }
    pending.remove(storage)
    storage.phase = .deleted
    pending.add(link)
    for observer in observers { observer.didDelete(storage) }
    noteUnsaved()
  }

  /// Notes that an object is changed that wasn't before.
  final func noteChanged(_ storage: ModelStorage) {
    if !isSuccessor, let link = storage.link { pending.add(link) }
  }

  /// Notes that a property is about to be changed.
  final func willChange(_ storage: ModelStorage, _ slot: Int) {
    for observer in observers { observer.willChange(storage, slot, storage.slots[slot]) }
    noteUnsaved()
  }

  /// Notes that there is something to save.
  final func noteUnsaved() {
    if autosaveEnabled { scheduleAutosave() }
  }

  /// Makes the next save throw that a change can't be made.
  final func refuse(_ message: String, _ description: EntityDescription?, hint: String? = nil) {
    errors.refuse(
      SwiftDataError(.modelValidationFailure, message, hint: hint, entity: description?.name)
    )
  }
}

extension ModelStorage {
  /// Prepares a deleted object for another insertion.
  final func makeNew() {
    identifier = .temporary(description.temporaryKey)
    version = 0
    phase = .unregistered
    isDeletedByOthers = false
    changed = SlotSet()
    base = SlotValues()
    deltas = [:]
    for property in description.properties {
      if case .unloaded = slots[property.slot] {
        slots[property.slot] = description.initialSlots[property.slot]
      }
    }
  }
}
