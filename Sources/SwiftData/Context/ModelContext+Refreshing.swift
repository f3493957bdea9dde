/// Reading objects anew, and forgetting them.
extension ModelContext {
  /// Reads an object anew.
  ///
  /// - Parameters:
  ///   - model: The object; one that isn't saved stays what it is.
  ///   - mergeChanges: Whether changes that aren't saved are kept. If not, they are lost, and the values
  ///     are read when they are asked for.
  public final func refresh<T: PersistentModel>(_ model: T, mergeChanges: Bool = true) {
    guard let link = model.ownStorage?.link, link.storage.context === self,
      link.storage.phase == .stored
    else { return }
    if mergeChanges {
      reread([link])
    } else {
      var changes = MergedChanges()
      for slot in link.storage.changed { changes.note(link.storage.description, slot) }
      changed.remove(link.storage)
      link.storage.becomeFault()
      tellShown(changes)
    }
  }

  /// Reads all objects of the context anew; changes that aren't saved are kept.
  public final func refreshAllObjects() {
    for table in allTables {
      reread(table.all.filter { $0.phase == .stored && !$0.isFault }.compactMap(\.link))
    }
  }

  /// Reads the objects of an entity anew, none of whose relationships has changed.
  final func refreshValues(of description: EntityDescription) {
    for table in allTables {
      let stored = table.all.filter { $0.phase == .stored && !$0.isFault }
      let links = stored.filter { $0.description.isKind(of: description) }.compactMap(\.link)
      reread(links, keepsLists: true)
    }
  }

  /// Forgets all objects and all changes.
  ///
  /// The objects that the program still has keep their values, and belong to no context.
  public final func reset() {
    rollback()
    for table in allTables {
      for storage in table.all { vanish(storage) }
    }
    recent.removeAll()
    prefetched = []
    required = []
  }

  /// Makes the next save fail if others have changed or deleted an object meanwhile, though it isn't
  /// changed here.
  ///
  /// Changed and deleted objects are looked at anyway, as ``mergePolicy`` says; this goes for every policy.
  public final func detectConflicts<T: PersistentModel>(for model: T) {
    guard let link = model.ownStorage?.link, link.storage.context === self,
      link.storage.phase == .stored, !required.contains(where: { $0.storage === link.storage })
    else { return }
    if link.storage.isFault { _ = read([link.storage.identifier], of: link.storage.description) }
    required.append(link)
  }

  /// Reads rows anew, and lets what to-many relationships lead to be read when it is asked for.
  private func reread(_ links: [Link], keepsLists: Bool = false) {
    for group in Dictionary(grouping: links, by: { ObjectIdentifier($0.storage.description) })
      .values
    {
      let description = group[0].storage.description
      let versions = group.map(\.storage.version)
      for link in group where link.storage.changed.isEmpty {
        link.storage.version = ModelStorage.staleVersion
      }
      let identifiers = group.map(\.storage.identifier)
      guard let links = readIfPossible(identifiers, of: description) else {
        for (link, version) in zip(group, versions) { link.storage.version = version }
        continue
      }
      let found = Set(links.map { ObjectIdentifier($0.storage) })
      for link in group {
        if !found.contains(ObjectIdentifier(link.storage)) { vanish(link.storage) }
        if !keepsLists { link.storage.unloadLists() }
      }
    }
  }
}

extension ModelStorage {
  /// Forgets what unchanged to-many relationships lead to.
  final func unloadLists() {
    for property in description.relationships where property.isToMany { unloadList(property.slot) }
  }

  /// Forgets what a to-many relationship leads to, unless it is changed.
  final func unloadList(_ slot: Int) {
    guard let model, phase == .stored, !changed.contains(slot), !isUnloaded(slot) else { return }
    let property = description.properties[slot]
    property.willSet(model)
    slots[slot] = .unloaded
    property.didSet(model)
  }

  /// Forgets all values and changes.
  fileprivate final func becomeFault() {
    guard let model else { return }
    for property in description.properties { property.willSet(model) }
    becomeClean()
    slots = description.unloadedSlots
    version = 0
    for property in description.properties { property.didSet(model) }
  }
}
