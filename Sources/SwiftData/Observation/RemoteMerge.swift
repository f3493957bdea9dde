internal import DepotClient
internal import DepotProtocol

/// What others have saved, on its way into the objects of a context.
///
/// Changes are gathered first and then made together, so that observers that look at once see all of
/// them. An object that has the row's version already, or a later one, stays as it is, and so do the lists
/// that say what leads where: an object that is known decides itself in which of them it is.
final class RemoteMerge {
  private let context: ModelContext
  private let store: String
  private let policy: MergePolicy
  private var keys: [String: (description: EntityDescription, key: EntityKey)] = [:]
  private var edits: [Edit] = []
  /// The edits of lists, by their objects and slots.
  private var lists: [Place: ListEdit] = [:]
  private var deleted: [Link] = []
  /// The objects of which a version between what is known and what came was never told.
  private var outdated: [Link] = []
  /// Objects that were made for lists, until these keep them.
  private var alive: [AnyObject] = []
  private(set) var summary = MergedChanges()

  /// A property of an object that gets another value.
  fileprivate struct Edit {
    let link: Link
    let slot: Int
    let value: Slot
    /// The version of the object that has the value; `nil` if it doesn't depend on it.
    var version: Int64?
    /// What a relationship must lead to, to lead to nothing from now on.
    var leaving: PersistentIdentifier?
  }

  private struct Place: Hashable {
    let storage: ObjectIdentifier
    let slot: Int
  }

  /// A list that gets other members.
  fileprivate final class ListEdit {
    let link: Link
    let slot: Int
    private(set) var steps: [(member: Member, isAdded: Bool)] = []
    /// Who is in the list with the steps so far.
    private var members: Set<PersistentIdentifier>
    /// Whether the list will be another one than it is.
    private(set) var isChanged = false

    /// Makes the edit of a list; `nil` if it isn't loaded.
    init?(_ link: Link, _ slot: Int) {
      guard case .many(let list?) = link.storage.slots[slot] else { return nil }
      self.link = link
      self.slot = slot
      members = Set(list.allIdentifiers)
    }

    func add(_ member: Member, isAdded: Bool) {
      steps.append((member, isAdded))
      guard !member.isOwn, members.contains(member.identifier) != isAdded else { return }
      isChanged = true
      if isAdded { members.insert(member.identifier) } else { members.remove(member.identifier) }
    }

    /// Returns a list with its new members; `nil` if it has these already.
    func applied(to list: LinkList, own: Bool) -> LinkList? {
      var known = Set(list.allIdentifiers)
      var edited: LinkList?
      for (member, isAdded) in steps
      where (own || !member.isOwn) && known.contains(member.identifier) != isAdded {
        guard let link = member.link else { continue }
        let copy = edited ?? list.copy()
        if isAdded {
          copy.append(link)
          known.insert(member.identifier)
        } else {
          copy.remove(link.storage)
          known.remove(member.identifier)
        }
        edited = copy
      }
      return edited
    }
  }

  init(_ context: ModelContext, _ store: String) {
    self.context = context
    self.store = store
    policy = context.mergePolicy
  }

  // MARK: - Gathering

  /// Takes what a transaction changed in one row.
  func take(_ change: DepotClient.HistoryChange) {
    guard let (description, key) = entity(change.entity) else { return }
    let identifier = PersistentIdentifier(key, .row(change.identifier))
    let link = context.registered(identifier)?.link
    summary.note(change, description)
    switch change.kind {
    case .insert:
      relate(identifier, description, change, old: [:], new: change.new)
    case .update:
      if let link { update(link, change) }
      relate(identifier, description, change, old: change.old, new: change.new)
    case .delete:
      if let link, !delete(link, change) { return }
      relate(identifier, description, change, old: change.old, new: [:])
    case .links: relink(identifier, link, description, change)
    default: break
    }
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
    if isNew, policy == .rollback, storage.phase == .stored { storage.restoreRow() }
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
      let isOwn = known.map { $0.changed.contains(property.slot) } ?? false
      let place = known.flatMap { self.place(of: $0, property.slot, change) }
      let member = Member(
        identifier: identifier,
        isOwn: isOwn,
        make: { self.object(identifier, description, change) }
      )
      for (side, isAdded) in [(from, false), (to, true)] {
        guard let side, let other = context.registered(side)?.link else { continue }
        if let place, (place == side) != isAdded { continue }
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
    guard change.kind != .delete, let version = change.version, version < storage.knownVersion,
      storage.wasRead(slot)
    else { return nil }
    guard storage.changed.contains(slot) else { return .some(storage.slots[slot].targetIdentifier) }
    return .some((storage.newer?.slots[slot] ?? storage.base[slot])?.targetIdentifier)
  }

  /// An object that enters or leaves a list.
  fileprivate final class Member {
    let identifier: PersistentIdentifier
    /// Whether the program has changed what the object leads to, so that it decides where it is.
    let isOwn: Bool
    private let make: () -> Link?
    private(set) lazy var link = make()

    init(identifier: PersistentIdentifier, isOwn: Bool, make: @escaping () -> Link?) {
      self.identifier = identifier
      self.isOwn = isOwn
      self.make = make
    }
  }

  /// Adds an object to a list, or removes it.
  private func edit(_ link: Link, _ slot: Int, _ member: Member, isAdded: Bool) {
    let place = Place(storage: ObjectIdentifier(link.storage), slot: slot)
    guard let edit = lists[place] ?? ListEdit(link, slot) else { return }
    lists[place] = edit
    edit.add(member, isAdded: isAdded)
  }

  /// Lets the other side of a relationship from one to one follow.
  private func point(_ link: Link, _ slot: Int, _ member: Member, isAdded: Bool) {
    let storage = link.storage
    guard storage.wasRead(slot) else { return }
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
      let own = Member(identifier: identifier, isOwn: false) {
        self.object(identifier, description, nil)
      }
      for (member, isAdded) in [("remove", false), ("add", true)] {
        for row in members[member]?.array ?? [] {
          guard let other = row.int64.flatMap({ self.identifier(type, $0) }) else { continue }
          if let link {
            let target = Member(identifier: other, isOwn: false) { self.context.fault(other) }
            edit(link, property.slot, target, isAdded: isAdded)
          }
          if let inverse = property.shape.inverse, inverse.isToMany,
            let link = context.registered(other)?.link
          {
            edit(link, inverse.slot, own, isAdded: isAdded)
          }
        }
      }
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
    let lists = Array(lists.values)
    let changed = lists.filter(\.isChanged)
    // Objects that have to be read are, before anybody is told.
    for list in changed { for step in list.steps where step.isAdded { _ = step.member.link } }
    for edit in edits { edit.property.willSet(edit.link.model) }
    for list in changed { list.property.willSet(list.link.model) }
    for edit in edits where isCurrent(edit) { edit.link.storage.slots[edit.slot] = edit.value }
    for list in lists { apply(list) }
    for link in deleted where link.storage.context === context {
      if link.storage.phase == .deleted { context.deleted.remove(link.storage) }
      context.vanish(link.storage)
    }
    for edit in edits { edit.property.didSet(edit.link.model) }
    for list in changed { list.property.didSet(list.link.model) }
    for link in alive.compactMap({ ($0 as? any PersistentModel)?.storage?.link }) {
      context.recent.add(link.model)
    }
    context.readAnew(outdated.filter { $0.storage.context === context })
  }

  private func isCurrent(_ edit: Edit) -> Bool {
    let storage = edit.link.storage
    guard storage.context === context, !storage.changed.contains(edit.slot) else { return false }
    if let leaving = edit.leaving, storage.slots[edit.slot].targetIdentifier != leaving {
      return false
    }
    return edit.version.map { $0 == storage.knownVersion } ?? true
  }

  private func apply(_ edit: ListEdit) {
    let storage = edit.link.storage
    if storage.changed.contains(edit.slot), case .many(let base?)? = storage.base[edit.slot],
      let edited = edit.applied(to: base, own: true)
    {
      storage.base[edit.slot] = .many(edited)
    }
    guard edit.isChanged, case .many(let list?) = storage.slots[edit.slot],
      let edited = edit.applied(to: list, own: false)
    else { return }
    storage.slots[edit.slot] = .many(edited)
  }
}

extension RemoteMerge.ListEdit {
  fileprivate var property: PropertyDescription { link.storage.description.properties[slot] }
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
