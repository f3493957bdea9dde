/// Reading objects of a context anew.
struct ObjectRefresh {
  private let context: ModelContext

  init(_ context: ModelContext) { self.context = context }

  /// Reads an object anew, or makes it forget its values and changes.
  func refresh(_ link: ObjectReference, _ mergeChanges: Bool) {
    guard link.storage.context === context, link.storage.phase == .stored else { return }
    if mergeChanges {
      reread([link])
    } else {
      var changes = MergedChanges()
      for slot in link.storage.changed { changes.note(link.storage.description, slot) }
      let edits = link.storage.relationshipEdits
      context.pending.remove(link.storage)
      link.storage.becomeFault()
      for edit in edits { link.storage.takeBackElsewhere(edit, &changes) }
      context.notifyShown(changes)
    }
    renewRequirements { $0.storage === link.storage }
  }

  /// Reads the unchanged objects of an entity anew; the objects of all entities if `nil`.
  ///
  /// After a bulk deletion by the context, `deleting`, its changes of deleted rows are dropped
  /// too.
  func refreshObjects(of description: EntityDescription?, deleting: Bool = false) {
    let links = context.registered(of: description).filter {
      $0.storage.phase == .stored && !$0.storage.isFault
    }
    reread(links, keepsLists: description != nil, deleting: deleting)
  }

  /// Makes the next save fail if others change an object from now on.
  func require(_ link: ObjectReference) {
    if link.storage.isFault {
      _ = context.read([link.storage.identifier], of: link.storage.description)
    }
    context.pending.require(link)
  }

  /// Makes the values that the program has just read the required ones.
  func renewRequirements(_ isWanted: (ObjectReference) -> Bool = { _ in true }) {
    for link in context.pending.required.map(\.link) where isWanted(link) { require(link) }
  }

  /// Reads rows anew, and unloads to-many relationships until they are used.
  private func reread(_ links: [ObjectReference], keepsLists: Bool = false, deleting: Bool = false)
  {
    for group in links.byClass {
      let versions = group.map(\.storage.version)
      for link in group where link.storage.changed.isEmpty {
        link.storage.version = ModelStorage.staleVersion
      }
      guard let links = context.readIfPossible(group) else {
        for (link, version) in zip(group, versions) { link.storage.version = version }
        continue
      }
      let missing = group.storages(without: links)
      if deleting {
        // Objects that are kept though others have deleted their rows before are none of the deleted ones.
        context.mergeDeletions(of: missing.filter { $0.newer?.isGone != true }, isOwn: true)
      } else {
        context.noteDeletions(of: missing)
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

  /// Unloads the ordered relationships, which others may have changed together with the row.
  final func unloadOrderedLists() {
    for property in description.relationships where property.isOrderedList {
      unloadList(property.slot)
    }
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
