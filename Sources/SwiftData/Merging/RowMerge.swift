internal import DepotClient
internal import DepotProtocol

/// The merge of newer rows into the objects of a context.
///
/// The rows come from transactions, from reads, and from changes that are given up. Changes are
/// gathered first and then made together, so that an observer that reads at once sees all of them.
/// An object that has the row's version already, or a later one, stays unchanged, and so does its
/// membership in lists: a known object determines its lists itself.
final class RowMerge {
  let context: ModelContext
  private let store: String
  /// The relation of the changes to the context.
  let origin: MergeQueue.EventOrigin
  let policy: MergePolicy
  private var keys: [String: (description: EntityDescription, key: EntityKey)] = [:]
  private var edits: [Edit] = []
  /// The edits of lists, by their objects and slots.
  private var lists: [PropertyOfObject: ListEdit] = [:]
  /// The objects whose rows are deleted, and which are invalidated.
  private var deleted: [ObjectReference] = []
  /// The deleted rows, but for those whose objects are kept.
  private(set) var goneIdentifiers: Set<PersistentIdentifier> = []
  /// The deleted objects whose members of a relationship aren't known.
  var scans: [ObjectIdentifier: Scan] = [:]
  /// The objects that are read anew.
  private var outdated: [ObjectReference] = []
  /// The changed lists whose stored order is read.
  var reordered: [PropertyOfObject: ObjectReference] = [:]
  /// Objects that were made for lists, until these keep them.
  private var alive: [AnyObject] = []
  private(set) var summary = MergedChanges()
  /// Whether others, and not this context, have deleted the rows.
  var isByOthers = true

  /// A property of an object that gets another value.
  struct Edit {
    let link: ObjectReference
    let slot: Int
    let value: Slot
    /// The version of the object that has the value; `nil` if the value doesn't depend on it.
    var version: Int64?
    /// The target that the relationship must still have for the edit, which removes it.
    var leaving: PersistentIdentifier?
    /// Whether the program's own change is dropped too, since its target is deleted.
    var isForced = false
    /// Whether the value comes from a read, so that observers have no other notice of it.
    var isRead = false
  }

  init(
    _ context: ModelContext,
    _ store: String = "",
    _ origin: MergeQueue.EventOrigin = .foreign
  ) {
    self.context = context
    self.store = store
    self.origin = origin
    policy = context.mergePolicy
  }

  // MARK: - Gathering

  /// Takes the changes of one row in a transaction.
  func take(_ change: DepotClient.HistoryChange) {
    guard let (description, key) = entity(change.entity) else { return }
    let identifier = PersistentIdentifier(key, .row(change.identifier))
    let link = context.registered(identifier)?.link
    if isForeign(change, link) { summary.note(change, description) }
    switch change.kind {
    case .insert:
      relate(identifier, description, change, old: [:], new: change.newTexts)
    case .update:
      if let link { update(link, change) }
      relate(identifier, description, change, old: change.oldTexts, new: change.newTexts)
    case .delete:
      switch link?.storage.decision(on: .deletion(version: change.version), policy) {
      case .ignore: break
      case .dispute:
        if let link {
          takeLast(of: link, change)
          link.storage.noteGone()
        }
      default:
        if let link { invalidate(link, change) } else { goneIdentifiers.insert(identifier) }
        relate(identifier, description, change, old: change.oldTexts, new: [:])
      }
    case .links where origin != .ownBefore: relink(identifier, link, description, change)
    default: break
    }
  }

  /// Whether others made a change; a save of the context can also cause changes by the store.
  private func isForeign(_ change: DepotClient.HistoryChange, _ link: ObjectReference?) -> Bool {
    if origin == .foreign { return true }
    switch change.kind {
    case .update:
      guard let link, let version = change.version else { return true }
      return version > link.storage.knownVersion
    case .delete: return link != nil
    default: return false
    }
  }

  /// Undoes the program's changes of a row that others have changed, where the policy says so.
  ///
  /// It is called for all rows of a transaction before its changes are merged.
  func giveUp(_ change: DepotClient.HistoryChange) {
    guard policy == .rollback || policy == .mergeByPropertyStoreTrump, change.kind == .update,
      let (description, key) = entity(change.entity),
      let storage = context.registered(PersistentIdentifier(key, .row(change.identifier))),
      let version = change.version, storage.phase == .stored, version > storage.version
    else { return }
    if let newer = storage.newer, version <= newer.version, !newer.isGone {
      // The row was read before its transaction arrived.
      let told = SlotSet(description.properties(changedBy: change).map(\.slot))
      storage.restoreRow { policy == .rollback || told.contains($0) }
      storage.raise(to: newer.version, [:])
      if storage.changed.isEmpty { context.pending.remove(storage) }
    } else if policy == .rollback, version > storage.knownVersion,
      storage.decision(on: .update(version: version), policy) == .merge
    {
      storage.restoreRow { _ in true }
    }
  }

  private func entity(_ name: String) -> (description: EntityDescription, key: EntityKey)? {
    if let known = keys[name] { return known }
    guard let description = context.core.descriptions[name] else { return nil }
    let found = (description, description.key(in: store))
    keys[name] = found
    return found
  }

  private func identifier(_ type: any PersistentModel.Type, _ row: Int64) -> PersistentIdentifier? {
    entity(EntityDescription.of(type).name).map { PersistentIdentifier($0.key, .row(row)) }
  }

  /// Takes new values of an object.
  private func update(_ link: ObjectReference, _ change: DepotClient.HistoryChange) {
    let storage = link.storage
    guard let version = change.version else { return }
    switch storage.decision(on: .update(version: version), policy) {
    case .merge: break
    case .refresh: return outdated.append(link)
    default: return
    }
    // A save that wrote equal values has only a new version.
    let isNew = version > storage.knownVersion
    let properties = storage.description.properties(changedBy: change).filter { property in
      !property.isToMany && !storage.isUnloaded(property.slot)
        && (isNew || !storage.changed.contains(property.slot))
    }
    let values = properties.map { property in
      let known = storage.slots[property.slot]
      return (property.slot, property.slot(in: change.newTexts, over: known, identifier))
    }
    merge(values, into: link, version: version, isRead: false)
    if storage.changed.isEmpty, storage.phase == .stored { context.pending.remove(storage) }
    // The other sides of its new targets have to lose it again.
    if storage.phase == .deleted { context.pending.decide([link]) }
  }

  /// Takes a row that was read, unless one that is newer still has come meanwhile.
  func take(
    _ values: some Sequence<(slot: Int, value: Slot)>,
    of link: ObjectReference,
    version: Int64
  ) {
    guard link.storage.context === context, version > link.storage.knownVersion else { return }
    merge(values.map { ($0.slot, $0.value) }, into: link, version: version, isRead: true)
  }

  /// Takes an object that has to be read anew.
  func refresh(_ link: ObjectReference) { outdated.append(link) }

  func add(_ edit: Edit) { edits.append(edit) }

  /// Takes the value of a property that the program hasn't changed.
  func take(_ value: Slot, of link: ObjectReference, _ slot: Int) {
    edits.append(Edit(link: link, slot: slot, value: value))
  }

  /// Merges values of a version of its row into an object.
  private func merge(
    _ values: [(slot: Int, value: Slot)],
    into link: ObjectReference,
    version: Int64,
    isRead: Bool
  ) {
    let storage = link.storage
    var theirs: [Int: Slot] = [:]
    for (slot, value) in values {
      if storage.changed.contains(slot) {
        // Reads happen all the time; only a transaction makes the program's changes be given up.
        if !isRead, policy == .mergeByPropertyStoreTrump {
          storage.withMutation(slot) { storage.giveUpChange(slot, for: value) }
        } else {
          theirs[slot] = value
        }
      } else if storage.isUnloaded(slot) {
        storage.slots[slot] = value
      } else if !storage.description.properties[slot].isSame(storage.slots[slot], value) {
        if isRead { follow(link, slot, to: value) }
        var edit = Edit(link: link, slot: slot, value: value, version: version)
        edit.isRead = isRead
        edits.append(edit)
      }
    }
    if version > storage.knownVersion { storage.raise(to: version, theirs) }
  }

  /// Invalidates an object whose row is deleted, and removes all references to it.
  ///
  /// - Parameters:
  ///   - link: The object.
  ///   - change: The deletion in a transaction; `nil` if it was found out otherwise.
  func invalidate(_ link: ObjectReference, _ change: DepotClient.HistoryChange? = nil) {
    if let change { takeLast(of: link, change) }
    deleted.append(link)
    goneIdentifiers.insert(link.storage.identifier)
    leave(link, isReported: change != nil)
  }

  /// Takes the last values of a row that is deleted, as far as they weren't read before.
  func takeLast(of link: ObjectReference, _ change: DepotClient.HistoryChange) {
    let storage = link.storage
    for property in storage.description.properties
    where storage.isUnloaded(property.slot) && !property.isToMany {
      storage.slots[property.slot] = property.slot(in: change.oldTexts, identifier)
    }
  }

  // MARK: - Relationships

  /// Updates the other sides of a row's to-one relationships.
  private func relate(
    _ identifier: PersistentIdentifier,
    _ description: EntityDescription,
    _ change: DepotClient.HistoryChange,
    old: [String: [UInt8]],
    new: [String: [UInt8]]
  ) {
    for property in description.relationships {
      guard case .toOne(let type, _) = property.kind, let inverse = property.shape.inverse,
        old[property.name] != nil || new[property.name] != nil
      else { continue }
      let from = old[property.name]?.identifier.flatMap { self.identifier(type, $0) }
      let to = new[property.name]?.identifier.flatMap { self.identifier(type, $0) }
      if from == to { continue }
      let known = context.registered(identifier)
      let isOwn = change.kind != .delete && known?.changed.contains(property.slot) ?? false
      let wanted = isOwn ? known?.slots[property.slot].targetIdentifier : nil
      let place = known.flatMap { self.place(of: $0, property.slot, change) }
      for (side, isAdded) in [(from, false), (to, true)] {
        guard let side, let other = context.registered(side)?.link else { continue }
        if let place, (place == side) != isAdded { continue }
        // A deleted object enters no list; one that the program keeps there stays in its list.
        let member = Member(
          identifier: identifier,
          isOwn: isOwn && !(isAdded && wanted == side) || isAdded && known?.phase == .deleted,
          make: { self.object(identifier, description, change) }
        )
        // It is deleted together with its target, or loses it.
        if isAdded, other.storage.phase == .deleted { context.pending.decide([other]) }
        edit(other, inverse, member, isAdded: isAdded)
      }
    }
  }

  /// Updates the other sides of a to-one relationship to its stored value.
  func follow(_ link: ObjectReference, _ slot: Int, to value: Slot) {
    let storage = link.storage
    let shape = storage.description.properties[slot].shape
    guard let inverse = shape.inverse else { return }
    let (old, new) = (storage.slots[slot].targetIdentifier, value.targetIdentifier)
    let member = Member(identifier: storage.identifier, isOwn: false) { link }
    if old != new, let other = old.flatMap(context.registered)?.link {
      edit(other, inverse, member, isAdded: false)
    }
    if let other = new.flatMap(context.registered)?.link {
      // The object is deleted together with its target, or loses it.
      if other.storage.phase == .deleted { context.pending.decide([other]) }
      edit(other, inverse, member, isAdded: true)
      if !shape.isSaved, !inverse.isToMany { leaveLast(other, inverse.slot, for: link) }
    }
  }

  /// Removes the reference from the last target of a one-to-one relationship's saved side.
  private func leaveLast(_ link: ObjectReference, _ slot: Int, for next: ObjectReference) {
    let storage = link.storage
    guard !storage.changed.contains(slot),
      let inverse = storage.description.properties[slot].shape.inverse,
      let last = storage.slots[slot].targetIdentifier, last != next.storage.identifier,
      let other = context.registered(last)?.link
    else { return }
    let member = Member(identifier: storage.identifier, isOwn: false) { link }
    edit(other, inverse, member, isAdded: false)
  }

  /// Adds an object to the other side of a to-one relationship, or removes it.
  func edit(
    _ link: ObjectReference,
    _ inverse: RelationshipShape.Inverse,
    _ member: Member,
    isAdded: Bool
  ) {
    if inverse.isToMany {
      edit(link, inverse.slot, member, isAdded: isAdded)
    } else {
      point(link, inverse.slot, member, isAdded: isAdded)
    }
  }

  /// Returns the stored target of a to-one relationship, if it is known to be newer than a change.
  private func place(
    of storage: ModelStorage,
    _ slot: Int,
    _ change: DepotClient.HistoryChange
  ) -> PersistentIdentifier?? {
    // A row begins with the first version.
    guard let version = change.version ?? (change.kind == .insert ? 1 : nil),
      change.kind != .delete, version < storage.knownVersion, storage.wasRead(slot)
    else { return nil }
    let known = storage.newer?.slots[slot] ?? storage.stored(slot)
    return .some(known.targetIdentifier)
  }

  /// Adds an object to a list, or removes it.
  func edit(_ link: ObjectReference, _ slot: Int, _ member: Member, isAdded: Bool) {
    let place = PropertyOfObject(link.storage, slot)
    guard let edit = lists[place] ?? ListEdit(link, slot) else {
      if !member.isOwn { link.storage.forgetMove(of: member.identifier, slot) }
      return
    }
    lists[place] = edit
    edit.add(member, isAdded: isAdded)
  }

  /// Updates the other side of a one-to-one relationship.
  private func point(_ link: ObjectReference, _ slot: Int, _ member: Member, isAdded: Bool) {
    let storage = link.storage
    guard storage.wasRead(slot) else { return }
    // An object that others gave another target doesn't belong here any more.
    if !isAdded, !member.isOwn { leave(link, slot, member.identifier) }
    guard (storage.stored(slot).targetIdentifier == member.identifier) != isAdded else { return }
    let value: Slot = isAdded ? .reference(member.identifier) : .nothing
    if storage.changed.contains(slot) {
      storage.base[slot] = value
    } else if !member.isOwn {
      let leaving = isAdded ? nil : member.identifier
      edits.append(Edit(link: link, slot: slot, value: value, leaving: leaving))
    } else if member.link?.storage.phase == .stored {
      // While the store said the same, this counted as unchanged.
      storage.noteChange(slot, since: value)
    }
  }

  /// Merges the additions to and removals from a many-to-many relationship.
  private func relink(
    _ identifier: PersistentIdentifier,
    _ link: ObjectReference?,
    _ description: EntityDescription,
    _ change: DepotClient.HistoryChange
  ) {
    for name in change.properties {
      guard let property = description.property(named: name), let type = property.destination,
        let members = change.newTexts[name].flatMap({ try? JSONValue(parsing: $0) })
      else { continue }
      if members["order"]?.bool == true {
        if let link { reorder(link, property.slot) }
        continue
      }
      for (name, isAdded) in [("remove", false), ("add", true)] {
        for row in members[name]?.array ?? [] {
          guard let other = row.int64.flatMap({ self.identifier(type, $0) }) else { continue }
          connect((identifier, description), (other, property), isAdded: isAdded)
        }
      }
    }
  }

  /// Adds two objects to each other's lists, or removes them.
  private func connect(
    _ one: (identifier: PersistentIdentifier, description: EntityDescription),
    _ other: (identifier: PersistentIdentifier, property: PropertyDescription),
    isAdded: Bool
  ) {
    let (near, far) = (
      context.registered(one.identifier)?.link, context.registered(other.identifier)?.link
    )
    let deleted = [near, far].compactMap { $0 }.filter { $0.storage.phase == .deleted }
    // Objects that will be deleted have to leave the lists again.
    if isAdded { context.pending.decide(deleted) }
    let property = other.property
    let back = property.shape.inverse.flatMap { $0.isToMany ? $0.slot : nil }
    // A list without the objects to be deleted says nothing about the program's other wishes.
    func isOwn(_ link: ObjectReference?, _ slot: Int?, _ target: ObjectReference?) -> Bool {
      guard let link, let slot, let target, deleted.isEmpty else { return false }
      return link.storage.hasEdited(slot, target.storage)
    }
    if let near {
      let isOwn = isOwn(far, back, near)
      let member = Member(identifier: other.identifier, isOwn: isOwn) {
        self.context.fault(other.identifier)
      }
      edit(near, property.slot, member, isAdded: isAdded)
    }
    if let far, let back {
      let isOwn = isOwn(near, property.slot, far)
      let member = Member(identifier: one.identifier, isOwn: isOwn) {
        self.object(one.identifier, one.description, nil)
      }
      edit(far, back, member, isAdded: isAdded)
    }
  }

  /// Returns the object of a row, made from the history's values if the context doesn't have it.
  private func object(
    _ identifier: PersistentIdentifier,
    _ description: EntityDescription,
    _ change: DepotClient.HistoryChange?
  ) -> ObjectReference? {
    if let link = context.registered(identifier)?.link { return link }
    let link = description.makeObject(identifier)
    context.register(link.storage)
    alive.append(link.model)
    guard let change, change.kind == .insert else { return link }
    let storage = link.storage
    for property in description.properties where !property.isToMany && !property.isExternal {
      storage.slots[property.slot] = property.slot(in: change.newTexts, self.identifier)
    }
    storage.version = change.version ?? 1
    return link
  }

  // MARK: - Making the changes

  /// Makes the changes, and notifies observers of exactly these.
  ///
  /// Observers may then read newer values, or make changes; both stay.
  func finish() {
    scan()
    leaveByPending()
    let lists = Array(lists.values)
    // Only the edits keep this alive from here on.
    self.lists = [:]
    for list in lists { list.look() }
    let changed = lists.filter(\.isChanged)
    // Objects that have to be read are read before observers are notified.
    for list in changed { list.find() }
    for edit in edits { edit.property.willSet(edit.link.model) }
    for list in changed { list.property.willSet(list.link.model) }
    for edit in edits where isCurrent(edit) {
      edit.link.storage.slots[edit.slot] = edit.value
      guard edit.isRead else { continue }
      for observer in context.observers { observer.didRefresh(edit.link.storage, edit.slot) }
    }
    for list in lists { list.apply() }
    for link in deleted where link.storage.context === context {
      context.invalidate(link.storage)
      link.storage.isDeletedByOthers = isByOthers
    }
    for edit in edits { edit.property.didSet(edit.link.model) }
    for list in changed { list.property.didSet(list.link.model) }
    for edit in edits where edit.isForced {
      let storage = edit.link.storage
      if storage.isUnloaded(edit.slot) {
        storage.forgetChange(edit.slot)
      } else {
        storage.forgetChangeIfNone(edit.slot)
      }
    }
    for list in changed { list.link.storage.forgetChangeIfNone(list.slot) }
    for link in alive.compactMap({ ($0 as? any PersistentModel)?.storage?.link }) {
      context.recent.add(link.model)
    }
    context.refresh(outdated.filter { $0.storage.context === context })
    for (place, link) in reordered { readOrder(link, place.slot) }
  }

  private func isCurrent(_ edit: Edit) -> Bool {
    let storage = edit.link.storage
    guard storage.context === context, edit.isForced || !storage.changed.contains(edit.slot) else {
      return false
    }
    if let leaving = edit.leaving, storage.slots[edit.slot].targetIdentifier != leaving {
      return false
    }
    return edit.version.map { $0 == storage.knownVersion } ?? true
  }
}

extension RowMerge.Edit {
  fileprivate var property: PropertyDescription { link.storage.description.properties[slot] }
}
