/// Objects whose rows others have deleted.
///
/// The history tells what the to-one relationships of their rows led to. What leads to them beyond that,
/// in lists of relationships from many to many and by changes of the program, leaves them too.
extension RowMerge {
  /// Registered objects that may lead to deleted ones.
  struct Scan {
    /// The relationship that leads to them.
    let property: PropertyDescription
    /// The entity that has it, and those of its subentities.
    let owner: EntityDescription
    fileprivate(set) var members: [PersistentIdentifier: Member] = [:]
  }

  /// Lets all that leads to an object leave it.
  ///
  /// - Parameters:
  ///   - link: The object.
  ///   - isTold: Whether the members' own rows tell that they lead to nothing now.
  func leave(_ link: Link, isTold: Bool) {
    let storage = link.storage
    let member = Member(identifier: storage.identifier, isOwn: false, isGone: true) { link }
    for property in storage.description.relationships {
      guard let inverse = property.shape.inverse, let type = property.destination else { continue }
      if storage.wasRead(property.slot) {
        for other in storage.knownTargets(everOf: property.slot).compactMap(\.link) {
          edit(other, inverse, member, isAdded: false)
        }
      } else if !property.isToMany || inverse.isToMany || !isTold {
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

  /// Lets the program's own change of a to-one relationship go that leads to an object which is deleted, or
  /// leads elsewhere.
  ///
  /// Its new target is read when it is asked for, if the other side tells it, and else there is none.
  func leave(_ link: Link, _ slot: Int, _ gone: PersistentIdentifier) {
    let storage = link.storage
    guard storage.changed.contains(slot) || storage.phase == .inserted,
      storage.slots[slot].targetIdentifier == gone
    else { return }
    if storage.base[slot]?.targetIdentifier == gone { storage.base[slot] = .nothing }
    let isTold = storage.description.properties[slot].shape.isSaved || storage.phase != .stored
    let value = isTold ? Slot.nothing : .unloaded
    add(Edit(link: link, slot: slot, value: value, leaving: gone, isForced: true))
  }

  private func add(_ member: Member, _ property: PropertyDescription, _ owner: EntityDescription) {
    scans[ObjectIdentifier(property), default: Scan(property: property, owner: owner)]
      .members[member.identifier] = member
  }

  /// Finds what leads to deleted objects which don't know by what.
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
