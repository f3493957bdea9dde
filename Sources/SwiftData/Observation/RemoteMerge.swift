internal import DepotClient
internal import DepotProtocol

/// What others have saved, on its way into the objects of a context.
///
/// Changes are gathered first and then made together, so that observers that look at once see all of
/// them. An object that has the row's version already, or a later one, stays as it is, and so do the lists
/// that say what leads where: an object that is known decides itself in which of them it is.
final class RemoteMerge {
  let context: ModelContext
  private let store: String
  /// Whose changes they are.
  private let standing: ContextInbox.Standing
  let policy: MergePolicy
  private var keys: [String: (description: EntityDescription, key: EntityKey)] = [:]
  var edits: [Edit] = []
  /// The edits of lists, by their objects and slots.
  private var lists: [Place: ListEdit] = [:]
  /// The objects whose rows are deleted, and which go.
  var deleted: [Link] = []
  /// Those of them whose members of a relationship aren't known.
  var scans: [ObjectIdentifier: Scan] = [:]
  /// The objects of which a version between what is known and what came was never told.
  private var outdated: [Link] = []
  /// Objects that were made for lists, until these keep them.
  private var alive: [AnyObject] = []
  private(set) var summary = MergedChanges()

  /// A property of an object that gets another value.
  struct Edit {
    let link: Link
    let slot: Int
    let value: Slot
    /// The version of the object that has the value; `nil` if it doesn't depend on it.
    var version: Int64?
    /// What a relationship must lead to, to lead to nothing from now on.
    var leaving: PersistentIdentifier?
    /// Whether the program's own change goes too, since what it leads to is gone.
    var isForced = false
  }

  private struct Place: Hashable {
    let storage: ObjectIdentifier
    let slot: Int
  }

  init(_ context: ModelContext, _ store: String, _ standing: ContextInbox.Standing) {
    self.context = context
    self.store = store
    self.standing = standing
    policy = context.mergePolicy
  }

  // MARK: - Gathering

  /// Takes what a transaction changed in one row.
  func take(_ change: DepotClient.HistoryChange) {
    guard let (description, key) = entity(change.entity) else { return }
    let identifier = PersistentIdentifier(key, .row(change.identifier))
    let link = context.registered(identifier)?.link
    if isNews(change, link) { summary.note(change, description) }
    switch change.kind {
    case .insert:
      relate(identifier, description, change, old: [:], new: change.new)
    case .update:
      if let link { update(link, change) }
      relate(identifier, description, change, old: change.old, new: change.new)
    case .delete:
      if let link, isBehind(link, change) { break }
      if let link, !delete(link, change) { return }
      relate(identifier, description, change, old: change.old, new: [:])
    case .links where standing != .ownBefore: relink(identifier, link, description, change)
    default: break
    }
  }

  /// Whether the context hasn't made a change itself; what it saves may let the store change more.
  private func isNews(_ change: DepotClient.HistoryChange, _ link: Link?) -> Bool {
    if standing == .foreign { return true }
    switch change.kind {
    case .update:
      guard let link, let version = change.version else { return true }
      return version > link.storage.knownVersion
    case .delete: return link != nil
    default: return false
    }
  }

  /// Takes back what the program has changed of a row that others have changed, where the policy says so.
  ///
  /// That is done for all rows of a transaction before its changes are taken.
  func giveUp(_ change: DepotClient.HistoryChange) {
    guard policy == .rollback, change.kind == .update,
      let (_, key) = entity(change.entity),
      let storage = context.registered(PersistentIdentifier(key, .row(change.identifier))),
      storage.phase == .stored, !storage.isFault, change.version == storage.knownVersion + 1
    else { return }
    storage.restoreRow()
  }

  private func entity(_ name: String) -> (description: EntityDescription, key: EntityKey)? {
    if let known = keys[name] { return known }
    guard let description = context.core.descriptions[name] else { return nil }
    let key = EntityKey.of(store: store, entity: name, root: description.root.name)
    keys[name] = (description, key)
    return (description, key)
  }

  private func identifier(_ type: any PersistentModel.Type, _ row: Int64) -> PersistentIdentifier? {
    entity(EntityDescription.of(type).name).map { PersistentIdentifier($0.key, .row(row)) }
  }

  /// Takes new values of an object.
  private func update(_ link: Link, _ change: DepotClient.HistoryChange) {
    let storage = link.storage
    guard storage.phase == .stored || storage.phase == .deleted, !storage.isFault,
      let version = change.version, version >= storage.knownVersion
    else { return }
    // A save that found the row as it wanted it has told the version alone.
    let isNew = version > storage.knownVersion
    guard !isNew || version == storage.knownVersion + 1 else {
      outdated.append(link)
      return
    }
    var theirs: [Int: Slot] = [:]
    for property in storage.description.properties(changedBy: change) where !property.isToMany {
      let slot = property.slot
      if storage.isUnloaded(slot) || !isNew && storage.changed.contains(slot) { continue }
      let value = self.value(of: property, in: change.new, over: storage.slots[slot])
      let isSame = property.isSame(storage.slots[slot], value)
      if storage.changed.contains(slot) {
        guard isSame || policy == .mergeByPropertyStoreTrump else {
          theirs[slot] = value
          continue
        }
        property.willSet(link.model)
        storage.giveUpChange(slot, for: value)
        property.didSet(link.model)
      } else if !isSame {
        edits.append(Edit(link: link, slot: slot, value: value, version: version))
      }
    }
    if storage.changed.isEmpty, storage.phase == .stored { context.changed.remove(storage) }
    // What it leads to now has to forget it too.
    if storage.phase == .deleted { context.undecided.append(link) }
    if isNew { storage.raise(to: version, theirs) }
  }

  /// Returns what a property, that isn't a to-many relationship, is among values of the wire.
  private func value(
    of property: PropertyDescription,
    in members: [String: JSONValue],
    over known: Slot
  ) -> Slot {
    switch property.kind {
    case .attribute:
      var old: Any?
      if case .value(let value) = known { old = value }
      return property.attributeValue(in: members, over: old).map(Slot.value) ?? .unloaded
    case .toOne(let type, _):
      guard let member = members[property.name] else { return .unloaded }
      guard let row = member.int64, let target = identifier(type, row) else { return .nothing }
      return .reference(target)
    case .toMany: return .unloaded
    }
  }

  /// Whether a deletion is told late, of a row that was made again since.
  private func isBehind(_ link: Link, _ change: DepotClient.HistoryChange) -> Bool {
    change.version.map { $0 < link.storage.knownVersion } ?? false
  }

  /// Returns whether the object goes; changes of the program may keep it, where it is.
  private func delete(_ link: Link, _ change: DepotClient.HistoryChange) -> Bool {
    let storage = link.storage
    let winsOverStore =
      policy == .error || policy == .mergeByPropertyObjectTrump || policy == .overwrite
    // What was changed meanwhile is told by the next save.
    if storage.phase == .stored, !storage.changed.isEmpty, winsOverStore {
      storage.newer = storage.newer ?? NewerRow(version: storage.version)
      storage.newer?.isGone = true
      return false
    }
    for property in storage.description.properties
    where storage.isUnloaded(property.slot) && !property.isToMany {
      let value = value(of: property, in: change.old, over: .unloaded)
      storage.slots[property.slot] = value
    }
    deleted.append(link)
    leave(link)
    return true
  }

  // MARK: - Relationships

  /// Lets the other sides of a row's to-one relationships follow.
  private func relate(
    _ identifier: PersistentIdentifier,
    _ description: EntityDescription,
    _ change: DepotClient.HistoryChange,
    old: [String: JSONValue],
    new: [String: JSONValue]
  ) {
    for property in description.relationships {
      guard case .toOne(let type, _) = property.kind, let inverse = property.shape.inverse,
        old[property.name] != nil || new[property.name] != nil
      else { continue }
      let from = old[property.name]?.int64.flatMap { self.identifier(type, $0) }
      let to = new[property.name]?.int64.flatMap { self.identifier(type, $0) }
      if from == to { continue }
      let known = context.registered(identifier)
      let isOwn = change.kind != .delete && known?.changed.contains(property.slot) ?? false
      let place = known.flatMap { self.place(of: $0, property.slot, change) }
      for (side, isAdded) in [(from, false), (to, true)] {
        guard let side, let other = context.registered(side)?.link else { continue }
        if let place, (place == side) != isAdded { continue }
        // One that will be deleted enters nothing.
        let member = Member(
          identifier: identifier,
          isOwn: isOwn || isAdded && known?.phase == .deleted,
          make: { self.object(identifier, description, change) }
        )
        // It takes along what leads to it, or lets it go.
        if isAdded, other.storage.phase == .deleted { context.undecided.append(other) }
        if inverse.isToMany {
          edit(other, inverse.slot, member, isAdded: isAdded)
        } else {
          point(other, inverse.slot, member, isAdded: isAdded)
        }
      }
    }
  }

  /// Returns what a to-one relationship leads to in the store, if the context knows it better than a
  /// change that is told late.
  private func place(
    of storage: ModelStorage,
    _ slot: Int,
    _ change: DepotClient.HistoryChange
  ) -> PersistentIdentifier?? {
    // A row begins with the first version.
    guard let version = change.version ?? (change.kind == .insert ? 1 : nil),
      change.kind != .delete, version < storage.knownVersion, storage.wasRead(slot)
    else { return nil }
    guard storage.changed.contains(slot) else { return .some(storage.slots[slot].targetIdentifier) }
    return .some((storage.newer?.slots[slot] ?? storage.base[slot])?.targetIdentifier)
  }

  /// Adds an object to a list, or removes it.
  func edit(_ link: Link, _ slot: Int, _ member: Member, isAdded: Bool) {
    let place = Place(storage: ObjectIdentifier(link.storage), slot: slot)
    guard let edit = lists[place] ?? ListEdit(link, slot) else { return }
    lists[place] = edit
    edit.add(member, isAdded: isAdded)
  }

  /// Lets the other side of a relationship from one to one follow.
  func point(_ link: Link, _ slot: Int, _ member: Member, isAdded: Bool) {
    let storage = link.storage
    guard storage.wasRead(slot) else { return }
    // What leads elsewhere now, and not by the program's will, isn't here any more.
    if !isAdded, !member.isOwn { leave(link, slot, member.identifier) }
    let isChanged = storage.changed.contains(slot)
    let known = isChanged ? storage.base[slot] : storage.slots[slot]
    guard (known?.targetIdentifier == member.identifier) != isAdded else { return }
    let value: Slot = isAdded ? .reference(member.identifier) : .nothing
    if isChanged {
      storage.base[slot] = value
    } else if !member.isOwn {
      let leaving = isAdded ? nil : member.identifier
      edits.append(Edit(link: link, slot: slot, value: value, leaving: leaving))
    }
  }

  /// Takes what was added to and removed from a relationship from many to many.
  private func relink(
    _ identifier: PersistentIdentifier,
    _ link: Link?,
    _ description: EntityDescription,
    _ change: DepotClient.HistoryChange
  ) {
    for name in change.properties {
      guard let property = description.property(named: name), let type = property.destination,
        let members = change.new[name]
      else { continue }
      if members["order"]?.bool == true, let link, !link.storage.changed.contains(property.slot),
        case .many = link.storage.slots[property.slot]
      {
        edits.append(Edit(link: link, slot: property.slot, value: .unloaded))
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
    // What will be deleted has to leave the lists again.
    if isAdded { context.undecided += deleted }
    let property = other.property
    let back = property.shape.inverse.flatMap { $0.isToMany ? $0.slot : nil }
    // A list that lacks what will be deleted says nothing of what the program wants otherwise.
    func isOwn(_ link: Link?, _ slot: Int?, _ target: Link?) -> Bool {
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

  /// Returns the object of a row, made of what the history tells of it if the context doesn't have it.
  private func object(
    _ identifier: PersistentIdentifier,
    _ description: EntityDescription,
    _ change: DepotClient.HistoryChange?
  ) -> Link? {
    if let link = context.registered(identifier)?.link { return link }
    let link = description.makeObject(identifier)
    context.register(link.storage)
    alive.append(link.model)
    guard let change, change.kind == .insert else { return link }
    let storage = link.storage
    for property in description.properties where !property.isToMany && !property.isExternal {
      storage.slots[property.slot] = value(of: property, in: change.new, over: .unloaded)
    }
    storage.version = change.version ?? 1
    return link
  }

  // MARK: - Making the changes

  /// Makes the changes, and tells observers of exactly those.
  ///
  /// What observers do when they are told may bring newer values, or be changes; both stay.
  func finish() {
    scan()
    let lists = Array(lists.values)
    for list in lists { list.look() }
    let changed = lists.filter(\.isChanged)
    // Objects that have to be read are, before anybody is told.
    for list in changed { list.find() }
    for edit in edits { edit.property.willSet(edit.link.model) }
    for list in changed { list.property.willSet(list.link.model) }
    for edit in edits where isCurrent(edit) { edit.link.storage.slots[edit.slot] = edit.value }
    for list in lists { list.apply() }
    for link in deleted where link.storage.context === context {
      if link.storage.phase == .deleted { context.deleted.remove(link.storage) }
      context.vanish(link.storage)
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
    context.readAnew(outdated.filter { $0.storage.context === context })
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

extension RemoteMerge.Edit {
  fileprivate var property: PropertyDescription { link.storage.description.properties[slot] }
}

extension EntityDescription {
  /// The properties that a change says have changed.
  fileprivate func properties(
    changedBy change: DepotClient.HistoryChange
  ) -> [PropertyDescription] {
    var found: [PropertyDescription] = []
    for path in change.properties {
      let name = path.contains(".") ? String(path.prefix { $0 != "." }) : path
      guard let property = property(named: name), !found.contains(where: { $0 === property })
      else { continue }
      found.append(property)
    }
    return found
  }
}
