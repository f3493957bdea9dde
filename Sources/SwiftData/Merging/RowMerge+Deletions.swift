/// Deletions of rows by others.
///
/// The history has the targets of the deleted rows' to-one relationships. Other references to the
/// deleted objects, in many-to-many lists and by changes of the program, are searched and removed
/// too.
extension RowMerge {
  /// A search of registered objects for references to deleted ones.
  struct Scan {
    /// The relationship that leads to them.
    let property: PropertyDescription
    /// The entity that has it, including its subentities.
    let owner: EntityDescription
    fileprivate(set) var members: [PersistentIdentifier: Member] = [:]
  }

  /// Removes all references to an object.
  ///
  /// - Parameters:
  ///   - link: The object.
  ///   - isReported: Whether the history has the members' own changes to no target.
  func leave(_ link: ObjectReference, isReported: Bool) {
    let storage = link.storage
    let member = Member(identifier: storage.identifier, isOwn: false, isGone: true) { link }
    for property in storage.description.relationships {
      guard let inverse = property.shape.inverse, let type = property.destination else { continue }
      if storage.wasRead(property.slot) {
        for other in storage.knownTargets(everOf: property.slot).compactMap(\.link) {
          edit(other, inverse, member, isAdded: false)
        }
      } else if !property.isToMany || inverse.isToMany || !isReported {
        let owner = EntityDescription.of(type)
        add(member, owner.properties[inverse.slot], owner)
      }
    }
    for owner in context.core.descriptions.values {
      for property in owner.ownProperties where property.isToMany {
        if property.leadsOneWay(to: storage.description) { add(member, property, owner) }
      }
    }
  }

  /// Removes the program's own reference to an object that is deleted, or refers to another one.
  ///
  /// The new target is read when it is used, if the other side stores it; else there is none.
  func leave(_ link: ObjectReference, _ slot: Int, _ gone: PersistentIdentifier) {
    let storage = link.storage
    guard storage.changed.contains(slot) || storage.phase == .inserted,
      storage.slots[slot].targetIdentifier == gone
    else { return }
    if storage.base[slot]?.targetIdentifier == gone { storage.base[slot] = .nothing }
    let isReported = storage.description.properties[slot].shape.isSaved || storage.phase != .stored
    let value = isReported ? Slot.nothing : .unloaded
    add(Edit(link: link, slot: slot, value: value, leaving: gone, isForced: true))
  }

  /// Lets objects with unsaved changes leave the objects that are deleted.
  ///
  /// No row tells that they lead to nothing now: the program has linked them to a deleted object, whose list
  /// may not be read, or their own rows are gone. Their next rows would lead to missing ones.
  func leaveByPending() {
    guard !goneIdentifiers.isEmpty else { return }
    let pending = [context.pending.inserted, context.pending.changed].flatMap(\.all)
    for link in pending {
      let isKept = link.storage.newer?.isGone == true
      for property in link.storage.description.relationships where !property.isToMany {
        let side = RelationshipShape.Inverse(property)
        let targets = [link.storage.slots[side.slot], isKept ? link.storage.base[side.slot] : nil]
        for target in Set(targets.compactMap { $0?.targetIdentifier })
        where goneIdentifiers.contains(target) {
          let member = Member(identifier: target, isOwn: false, isGone: true) { nil }
          edit(link, side, member, isAdded: false)
        }
      }
    }
  }

  private func add(_ member: Member, _ property: PropertyDescription, _ owner: EntityDescription) {
    scans[ObjectIdentifier(property), default: Scan(property: property, owner: owner)]
      .members[member.identifier] = member
  }

  /// Finds references to deleted objects whose own relationships are unknown.
  func scan() {
    for scan in scans.values {
      let side = RelationshipShape.Inverse(scan.property)
      for link in context.registered(of: scan.owner) {
        for value in [link.storage.slots[side.slot], link.storage.base[side.slot]] {
          for member in value?.targetIdentifiers.compactMap({ scan.members[$0] }) ?? [] {
            edit(link, side, member, isAdded: false)
          }
        }
      }
    }
    scans = [:]
  }
}
