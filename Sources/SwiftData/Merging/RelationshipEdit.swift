/// The program's change of a relationship that isn't saved.
struct RelationshipEdit {
  let slot: Int
  /// The registered objects that were removed from the relationship.
  var removed: [ObjectReference] = []
  /// The registered objects that were added to the relationship.
  var added: [ObjectReference] = []
}

extension ModelStorage {
  /// The changes of relationships.
  final var relationshipEdits: [RelationshipEdit] {
    changed.filter { description.properties[$0].destination != nil }.map(relationshipEdit)
  }

  private final func relationshipEdit(_ slot: Int) -> RelationshipEdit {
    if let delta = deltas[slot] {
      return RelationshipEdit(slot: slot, removed: delta.removed, added: delta.added)
    }
    let (old, new) = (base[slot]?.targetIdentifiers ?? [], slots[slot].targetIdentifiers)
    let (before, after) = (Set(old), Set(new))
    func links(_ identifiers: [PersistentIdentifier]) -> [ObjectReference] {
      identifiers.compactMap { context?.registered($0)?.link }
    }
    return RelationshipEdit(
      slot: slot,
      removed: links(old.filter { !after.contains($0) }),
      added: links(new.filter { !before.contains($0) })
    )
  }

  /// Undoes a change of a relationship on the other sides, and adds them to `changes`.
  final func takeBackElsewhere(_ edit: RelationshipEdit, _ changes: inout MergedChanges) {
    guard let inverse = description.properties[edit.slot].shape.inverse, let link else { return }
    for (others, isAdded) in [(edit.removed, false), (edit.added, true)] {
      for other in others { other.storage.takeBack(link, at: inverse, isAdded, &changes) }
    }
  }

  /// Undoes the change that added an object to a relationship, or removed it.
  private final func takeBack(
    _ link: ObjectReference,
    at side: RelationshipShape.Inverse,
    _ isAdded: Bool,
    _ changes: inout MergedChanges
  ) {
    let slot = side.slot
    guard phase == .inserted || changed.contains(slot) else { return }
    changes.note(description, slot)
    if side.isToMany {
      takeBack(link, slot, isAdded)
    } else if phase == .inserted {
      if leads(to: link.storage, side) { mutate(slot, to: .nothing) }
    } else {
      let (edit, theirs) = (relationshipEdit(slot), newer?.slots[slot])
      mutate(slot, to: base[slot] ?? .unloaded)
      forgetChange(slot)
      // An object that was moved here from another list is in that list again.
      takeBackElsewhere(edit, &changes)
      guard let theirs, let own = self.link else { return }
      modelContext?.relink(own, slot, to: theirs)
      mutate(slot, to: theirs)
    }
  }

  /// Forgets that the program has moved an object to or from a list that isn't loaded.
  ///
  /// The object has the target that is stored now.
  final func forgetMove(of identifier: PersistentIdentifier, _ slot: Int) {
    guard description.properties[slot].shape.inverse?.isToMany == false,
      var delta = deltas[slot]
    else { return }
    delta.added.removeAll { $0.storage.identifier == identifier }
    delta.removed.removeAll { $0.storage.identifier == identifier }
    deltas[slot] = delta.isEmpty ? nil : delta
    if delta.isEmpty, phase == .stored { forgetChange(slot) }
  }

  /// Undoes the change that added an object to a list, or removed it.
  private final func takeBack(_ link: ObjectReference, _ slot: Int, _ isAdded: Bool) {
    guard phase == .inserted || hasEdited(slot, link.storage) else { return }
    if case .many(let list?) = slots[slot] {
      guard list.contains(link.storage) == isAdded else { return }
      let restored = isAdded ? list.without([link.storage.identifier]) : list.copy()
      if !isAdded { restored.append(link) }
      mutate(slot, to: .many(restored))
      forgetChangeIfNone(slot)
    } else {
      deltas[slot]?.change(link, isAdded: !isAdded)
      guard deltas[slot]?.isEmpty == true else { return }
      deltas[slot] = nil
      forgetChange(slot)
    }
  }
}
