/// The targets of relationships, whose two sides are kept equal.
extension ModelStorage {
  /// Returns the object that a to-one relationship leads to.
  final func target(_ slot: Int) -> ObjectReference? {
    guard let link = anyTarget(slot) else { return nil }
    return context?.hidesDeleted == true && link.storage.phase == .deleted ? nil : link
  }

  private final func anyTarget(_ slot: Int) -> ObjectReference? {
    forgetUnread(slot)
    if case .unloaded = slots[slot] { load(slot) }
    switch slots[slot] {
    case .link(let link): return link
    case .weak(let weak): return weak.link
    case .reference(let identifier):
      guard let link = reader?.resolve(identifier, from: self, slot) else { return nil }
      if !changed.contains(slot), description.properties[slot].shape.isStrong {
        slots[slot] = .link(link)
      }
      return link
    default:
      noteUnread(slot)
      return nil
    }
  }

  /// Returns the targets of a to-many relationship; `nil` if there is no collection.
  final func targets(_ slot: Int) -> ObjectReferenceList? {
    forgetUnread(slot)
    if case .unloaded = slots[slot] { reader?.loadTargets(self, slot) }
    if case .many(let list) = slots[slot] { return list }
    noteUnread(slot)
    return ObjectReferenceList()
  }

  /// Returns the objects of a list.
  final func resolved(_ list: ObjectReferenceList, _ slot: Int) -> [ObjectReference] {
    if let links = list.links { return links }
    return reader?.resolve(list.identifiers, from: self, slot) ?? []
  }

  /// Returns the objects of a list, without objects to be deleted if the context hides these.
  final func visible(_ links: [ObjectReference]) -> [ObjectReference] {
    guard context?.hidesDeleted == true else { return links }
    return links.filter { $0.storage.phase != .deleted }
  }

  /// Sets the target of a to-one relationship, and updates the other side.
  final func setTarget(_ slot: Int, _ link: ObjectReference?) {
    guard model != nil else {
      slots[slot] = link.map(Slot.link) ?? .nothing
      return postponeInverse(slot)
    }
    if let link, !shareContext(link.storage) { return }
    willChange(slot)
    let isSame = slots[slot].targetIdentifier == link?.storage.identifier
    if isSame, case .link = slots[slot] { return }
    if !isSame { leaveTarget(slot) }
    slots[slot] = link.map(Slot.link) ?? .nothing
    if !isSame, let link { updateOtherSide(link, slot, isAdded: true) }
  }

  /// Sets the targets of a to-many relationship, and updates the other sides.
  ///
  /// If it couldn't be read, its other targets stay.
  final func setTargets(_ slot: Int, _ newLinks: [ObjectReference]?) {
    guard model != nil else {
      slots[slot] = .many(newLinks.map { ObjectReferenceList(Self.unique($0)) })
      return postponeInverse(slot)
    }
    var links = newLinks.map { Self.unique($0).filter { shareContext($0.storage) } }
    let wasUnread = unread.remove(slot)
    let old = targets(slot).map { resolved($0, slot) } ?? []
    let isUnread = unread.remove(slot)
    if isUnread, !changed.contains(slot) { slots[slot] = .unloaded }
    willChange(slot)
    if case .unloaded = slots[slot], phase == .stored { return addTargets(slot, links ?? []) }
    if wasUnread || isUnread { links = Self.unique(old + (links ?? [])) }
    slots[slot] = .many(links.map { ObjectReferenceList($0) })
    guard description.properties[slot].shape.inverse != nil else { return }
    let (removed, added) = Self.difference(old, links ?? [])
    for link in removed { updateOtherSide(link, slot, isAdded: false) }
    for link in added { updateOtherSide(link, slot, isAdded: true) }
  }

  /// Adds targets to a to-many relationship that can't be read; its other targets stay.
  private final func addTargets(_ slot: Int, _ links: [ObjectReference]) {
    for link in links {
      deltas[slot, default: RelationshipDelta()].change(link, isAdded: true)
      updateOtherSide(link, slot, isAdded: true)
    }
  }

  /// Adds or removes objects of a to-many relationship with known targets, in one range.
  ///
  /// - Returns: Whether that is the whole change; otherwise nothing was done.
  final func changeTargets(_ slot: Int, _ range: Range<Int>, _ links: [ObjectReference]) -> Bool {
    if links.isEmpty {
      if range.isEmpty, phase == .stored, !changed.contains(slot) { return true }
      willChange(slot)
      if range.isEmpty { return true }
      for link in ownList(slot).remove(range) { updateOtherSide(link, slot, isAdded: false) }
      return true
    }
    guard range.isEmpty, Self.unique(links).count == links.count,
      !links.contains(where: { leads(slot, to: $0.storage) })
    else { return false }
    guard links.allSatisfy({ shareContext($0.storage) }), knowsObjects(slot) else { return false }
    willChange(slot)
    ownList(slot).insert(links, at: range.lowerBound)
    for link in links { updateOtherSide(link, slot, isAdded: true) }
    return true
  }

  /// Makes a change of a relationship again that was made while the object had no context.
  ///
  /// `value` is the relationship's value after it, if that is known.
  final func edit(
    _ slot: Int,
    to value: Slot?,
    removed: [ObjectReference],
    added: [ObjectReference]
  ) {
    let added = added.filter { shareContext($0.storage) }
    willChange(slot)
    if let value { slots[slot] = value }
    for (links, isAdded) in [(removed, false), (added, true)] {
      for link in links {
        if value == nil {
          deltas[slot, default: RelationshipDelta()].change(link, isAdded: isAdded)
        }
        if !knows(link, slot, isAdded: isAdded) { updateOtherSide(link, slot, isAdded: isAdded) }
      }
    }
  }

  /// Whether the list on the other side of a relationship has this object already, or hasn't.
  private func knows(_ link: ObjectReference, _ slot: Int, isAdded: Bool) -> Bool {
    guard let inverse = description.properties[slot].shape.inverse?.slot else { return true }
    switch link.storage.slots[inverse] {
    case .many(let list?): return list.contains(self) == isAdded
    case .unloaded:
      let delta = link.storage.deltas[inverse] ?? RelationshipDelta()
      return (isAdded ? delta.added : delta.removed).contains { $0.storage === self }
    default: return false
    }
  }

  /// Whether the objects that a to-many relationship leads to are known.
  private func knowsObjects(_ slot: Int) -> Bool {
    guard case .many(let list?) = slots[slot] else { return false }
    return list.links != nil
  }

  /// Whether a to-many relationship contains an object; the other side often shows it faster.
  private final func leads(_ slot: Int, to other: ModelStorage) -> Bool {
    guard case .many(let list?) = slots[slot] else { return false }
    if let inverse = description.properties[slot].shape.inverse {
      let back = other.slots[inverse.slot]
      switch back {
      case .nothing: return false
      case .link, .reference, .weak:
        if back.targetIdentifier != identifier { return false }
      case .many(let back?) where back.count < list.count:
        if !back.contains(self) { return false }
      default: break
      }
    }
    return list.contains(other)
  }

  /// Updates the other sides of a relationship that was set in the object's initializer.
  final func linkInverse(_ slot: Int) {
    switch slots[slot] {
    case .link(let link):
      guard shareContext(link.storage) else {
        slots[slot] = .nothing
        return
      }
      if !knows(link, slot, isAdded: true) { updateOtherSide(link, slot, isAdded: true) }
    case .many(let list?):
      let own = (list.links ?? []).filter { shareContext($0.storage) }
      if own.count < list.count { slots[slot] = .many(ObjectReferenceList(own)) }
      // The context that took the object may have updated some of them.
      for link in own where !knows(link, slot, isAdded: true) {
        updateOtherSide(link, slot, isAdded: true)
      }
    default: break
    }
  }

  /// Inserts an object without a context into the other object's context.
  ///
  /// Returns whether one may refer to the other then; if not, the next save throws.
  private final func shareContext(_ other: ModelStorage) -> Bool {
    if let context = ownContext, other.isAdoptable {
      context.insert(other)
    } else if isAdoptable, let context = other.ownContext {
      context.insert(self)
    }
    if isOrphan != other.isOrphan, ownContext != nil || other.ownContext != nil { return false }
    guard let context = ownContext, let theirs = other.ownContext, theirs !== context else {
      return true
    }
    context.refuse(
      "The \(description.name) \(identifier) can't lead to the \(other.description.name) "
        + "\(other.identifier), which belongs to another context.",
      description,
      hint: nil
    )
    return false
  }

  /// Removes this object from the target of a to-one relationship.
  private final func leaveTarget(_ slot: Int) {
    guard description.properties[slot].shape.inverse != nil else { return }
    let target: ObjectReference? =
      switch slots[slot] {
      case .link(let link): link
      case .weak(let weak): weak.link
      case .reference(let identifier):
        // An object that may have gone would be saved as a changed one.
        description.properties[slot].isLeftByDeleted
          ? reader?.fault(identifier) : reader?.resolve(identifier, from: self, slot)
      default: nil
      }
    if let target { updateOtherSide(target, slot, isAdded: false) }
  }

  /// Updates the other side after an object was added to a relationship or removed from it.
  private final func updateOtherSide(_ link: ObjectReference, _ slot: Int, isAdded: Bool) {
    guard let inverse = description.properties[slot].shape.inverse,
      link.storage !== self || inverse.slot != slot
    else { return }
    link.storage.updateInverse(self, at: inverse, isAdded: isAdded)
  }

  /// Adds an object that refers to this one to a relationship, or removes one that no longer does.
  final func updateInverse(_ other: ModelStorage, at side: RelationshipShape.Inverse, isAdded: Bool)
  {
    guard let link = other.link else { return }
    let slot = side.slot
    guard side.isToMany else {
      if case .unloaded = slots[slot] { load(slot) }
      let isThere = slots[slot].targetIdentifier == other.identifier
      if isThere, isAdded { forceSave(slot) }
      guard isThere != isAdded else { return }
      return withMutation(slot) {
        willChange(slot)
        if isAdded { leaveTarget(slot) }
        slots[slot] = isAdded ? .link(link) : .nothing
      }
    }
    withMutation(slot) {
      willChange(slot)
      if case .unloaded = slots[slot] {
        deltas[slot, default: RelationshipDelta()].change(link, isAdded: isAdded)
      } else if isAdded {
        add(link, to: slot)
      } else if !ownList(slot).remove(other) {
        forceSave(slot, link, isAdded: false)
      }
    }
  }

  /// Adds an object to a list that is loaded.
  private final func add(_ link: ObjectReference, to slot: Int) {
    let list = ownList(slot)
    if phase == .stored, link.storage.phase == .stored, list.contains(link.storage) {
      // One side may have been read before others saved this, and the other after it.
      forceSave(slot, link, isAdded: true)
    } else if list.links == nil, link.storage.identifier.isTemporary {
      // The identifier changes with the next save.
      slots[slot] = .many(ObjectReferenceList(resolved(list, slot) + [link]))
    } else {
      list.append(link)
    }
  }

  /// Makes the next save send a to-one relationship though its value seems unchanged.
  ///
  /// The state of the other side shows that others have changed it since.
  private final func forceSave(_ slot: Int) {
    guard phase == .stored, !changed.contains(slot) else { return }
    willChange(slot)
    base[slot] = .unloaded
  }

  /// Makes the next save send the membership of an object in a list though it seems unchanged.
  ///
  /// The state of the other side shows that others have changed it since.
  private final func forceSave(_ slot: Int, _ link: ObjectReference, isAdded: Bool) {
    guard phase == .stored, link.storage.phase == .stored,
      description.properties[slot].shape.inverse?.isToMany == true,
      case .many(let old?)? = base[slot], old.contains(link.storage) == isAdded
    else { return }
    let copy = old.copy()
    if isAdded { copy.remove(link.storage) } else { copy.append(link) }
    base[slot] = .many(copy)
  }

  /// Whether the program has added an object to a to-many relationship, or removed it.
  final func hasEdited(_ slot: Int, _ other: ModelStorage) -> Bool {
    guard changed.contains(slot) else { return false }
    if let delta = deltas[slot] {
      return (delta.added + delta.removed).contains { $0.storage === other }
    }
    guard case .many(let list?) = slots[slot], case .many(let old?)? = base[slot] else {
      return false
    }
    return list.contains(other) != old.contains(other)
  }

  /// Adds this object to the other sides of its relationships again, after its deletion was
  /// undone.
  final func enterInverses() {
    for property in description.relationships {
      guard let inverse = property.shape.inverse else { continue }
      for link in knownTargets(property.slot) {
        let other = link.storage
        // An object that has another target now keeps it.
        guard other.phase == .stored || other.phase == .inserted,
          inverse.isToMany || other.slots[inverse.slot].targetIdentifier == nil,
          !other.leads(to: self, inverse)
        else { continue }
        other.updateInverse(self, at: inverse, isAdded: true)
      }
    }
  }

  /// Whether a relationship leads to an object, as far as that was changed.
  final func leads(to other: ModelStorage, _ side: RelationshipShape.Inverse) -> Bool {
    switch slots[side.slot] {
    case .unloaded:
      !(deltas[side.slot]?.removed.contains { $0.storage === other } ?? false)
    case .many(let list?): list.contains(other)
    case let slot: slot.targetIdentifier == other.identifier
    }
  }

  /// Returns the list of a relationship that is loaded, as one that may be changed.
  private final func ownList(_ slot: Int) -> ObjectReferenceList {
    guard case .many(let list?) = slots[slot] else {
      let list = ObjectReferenceList()
      slots[slot] = .many(list)
      return list
    }
    var isShared = context?.keeps(list) ?? false
    if case .many(let old?)? = base[slot], old === list { isShared = true }
    // The initial list belongs to all objects of the class.
    if list.isInitial { isShared = true }
    guard isShared else { return list }
    let copy = list.copy()
    slots[slot] = .many(copy)
    return copy
  }

  private static func unique(_ links: [ObjectReference]) -> [ObjectReference] {
    guard links.count > 1 else { return links }
    var known: Set<ObjectIdentifier> = []
    known.reserveCapacity(links.count)
    return links.filter { known.insert(ObjectIdentifier($0.storage)).inserted }
  }

  /// Returns the members of only one of two lists.
  private static func difference(
    _ old: [ObjectReference],
    _ new: [ObjectReference]
  ) -> (removed: [ObjectReference], added: [ObjectReference]) {
    var start = 0
    while start < old.count, start < new.count, old[start].storage === new[start].storage {
      start += 1
    }
    if start == old.count { return ([], Array(new[start...])) }
    let before = Set(old[start...].map { ObjectIdentifier($0.storage) })
    let after = Set(new[start...].map { ObjectIdentifier($0.storage) })
    return (
      old[start...].filter { !after.contains(ObjectIdentifier($0.storage)) },
      new[start...].filter { !before.contains(ObjectIdentifier($0.storage)) }
    )
  }
}

extension Slot {
  /// The target of a to-one relationship.
  var targetIdentifier: PersistentIdentifier? {
    switch self {
    case .link(let link): link.storage.identifier
    case .reference(let identifier): identifier
    case .weak(let weak): weak.link?.storage.identifier
    default: nil
    }
  }
}
