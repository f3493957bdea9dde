/// Reading objects anew, and forgetting them.
extension ModelContext {
  /// Reads an object anew.
  ///
  /// - Parameters:
  ///   - model: The object; an unsaved one stays unchanged.
  ///   - mergeChanges: Whether unsaved changes are kept. If not, they are lost, also on the other
  ///     sides of relationships, and the values are read when they are used.
  public final func refresh<T: PersistentModel>(_ model: T, mergeChanges: Bool = true) {
    guard let link = model.ownStorage?.link else { return }
    using { refresh(link, mergeChanges) }
  }

  private func refresh(_ link: ObjectReference, _ mergeChanges: Bool) {
    guard link.storage.context === self, link.storage.phase == .stored else { return }
    if mergeChanges {
      reread([link])
    } else {
      var changes = MergedChanges()
      for slot in link.storage.changed { changes.note(link.storage.description, slot) }
      let edits = link.storage.relationshipEdits
      pending.remove(link.storage)
      link.storage.becomeFault()
      for edit in edits { link.storage.takeBackElsewhere(edit, &changes) }
      notifyShown(changes)
    }
    renewRequirements { $0.storage === link.storage }
  }

  /// Reads all objects of the context anew; changes that aren't saved are kept.
  public final func refreshAllObjects() {
    using {
      refreshObjects(of: nil)
      renewRequirements()
    }
  }

  /// Reads the unchanged objects of an entity anew; the objects of all entities if `nil`.
  ///
  /// After a bulk deletion by this context, `deleting`, its changes of deleted rows are dropped
  /// too.
  final func refreshObjects(of description: EntityDescription?, deleting: Bool = false) {
    let links = registered(of: description).filter {
      $0.storage.phase == .stored && !$0.storage.isFault
    }
    reread(links, keepsLists: description != nil, deleting: deleting)
  }

  /// Forgets all objects and all changes.
  ///
  /// The objects that the program still has keep their values, and belong to no context.
  public final func reset() { using { resetAlone() } }

  private func resetAlone() {
    rollback()
    for table in identityMap.tables {
      for storage in table.all { invalidate(storage) }
    }
    recent.removeAll()
  }

  /// Makes the next save fail if others have changed or deleted an object since this call.
  ///
  /// It is meant for objects that aren't changed here: changed and deleted ones are checked anyway,
  /// as ``mergePolicy`` says. This check applies with every policy. A change counts also if it was
  /// merged meanwhile, or made by ``update(_:where:includeSubclasses:set:)`` of this context.
  /// Reading the object anew with ``refresh(_:mergeChanges:)`` or ``refreshAllObjects()`` accepts
  /// the changes so far; ``rollback()`` ends the requirement.
  public final func detectConflicts<T: PersistentModel>(for model: T) {
    guard let link = model.ownStorage?.link else { return }
    using {
      if link.storage.context === self, link.storage.phase == .stored { require(link) }
    }
  }

  private func require(_ link: ObjectReference) {
    if link.storage.isFault { _ = read([link.storage.identifier], of: link.storage.description) }
    pending.require(link)
  }

  /// Makes the values that the program has just read the required ones.
  private func renewRequirements(_ isWanted: (ObjectReference) -> Bool = { _ in true }) {
    for link in pending.required.map(\.link) where isWanted(link) { require(link) }
  }

  /// Reads rows anew, and unloads to-many relationships until they are used.
  private func reread(_ links: [ObjectReference], keepsLists: Bool = false, deleting: Bool = false)
  {
    for group in links.byClass {
      let versions = group.map(\.storage.version)
      for link in group where link.storage.changed.isEmpty {
        link.storage.version = ModelStorage.staleVersion
      }
      guard let links = readIfPossible(group) else {
        for (link, version) in zip(group, versions) { link.storage.version = version }
        continue
      }
      let missing = group.storages(without: links)
      if deleting {
        // Objects that are kept though others have deleted their rows before are none of the deleted ones.
        mergeDeletions(of: missing.filter { $0.newer?.isGone != true }, isOwn: true)
      } else {
        noteDeletions(of: missing)
      }
      if !keepsLists { for link in links { link.storage.unloadLists() } }
    }
  }
}

extension ModelStorage {
  /// Unloads unchanged to-many relationships.
  final func unloadLists() {
    for property in description.relationships where property.isToMany { unloadList(property.slot) }
  }

  /// Unloads a to-many relationship, unless it is changed.
  final func unloadList(_ slot: Int) {
    guard phase == .stored, !changed.contains(slot), !isUnloaded(slot) else { return }
    mutate(slot, to: .unloaded)
  }

  /// Forgets all values and changes.
  fileprivate final func becomeFault() {
    guard let model else { return }
    for property in description.properties { property.willSet(model) }
    becomeClean()
    slots = ObjectSlots(unloaded: description.properties.count)
    version = 0
    for property in description.properties { property.didSet(model) }
  }
}
