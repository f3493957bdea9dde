internal import DepotClient
internal import DepotProtocol

/// What others have saved, on its way into the objects of a context.
///
/// Changes are gathered first and then made together, so that observers that look at once see all of
/// them. An object that has the row's version already, or a later one, stays as it is.
final class RemoteMerge {
  private let context: ModelContext
  private let store: String
  private let policy: MergePolicy
  private var keys: [String: (description: EntityDescription, key: EntityKey)] = [:]
  private var edits: [Edit] = []
  /// The edits of lists, by their objects and slots.
  private var lists: [Place: ListEdit] = [:]
  private var deleted: [Link] = []
  /// Objects that were made for lists, until these keep them.
  private var alive: [AnyObject] = []
  private(set) var summary = MergedChanges()

  /// A property of an object that gets another value.
  fileprivate struct Edit {
    let link: Link
    let slot: Int
    let value: Slot
  }

  private struct Place: Hashable {
    let storage: ObjectIdentifier
    let slot: Int
  }

  /// A list that gets other members.
  private final class ListEdit {
    let link: Link
    let slot: Int
    let list: LinkList
    var members: Set<PersistentIdentifier>
    var isChanged = false

    init(_ link: Link, _ slot: Int, _ list: LinkList) {
      self.link = link
      self.slot = slot
      self.list = list.copy()
      members = Set(list.allIdentifiers)
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
      if let link { delete(link, change) }
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
      let version = change.version, version > storage.version
    else { return }
    if policy == .rollback, storage.phase == .stored, !storage.changed.isEmpty {
      context.changed.remove(storage)
      storage.restore()
    }
    var isKept = false
    for property in storage.description.properties(changedBy: change) where !property.isToMany {
      let slot = property.slot
      if storage.isUnloaded(slot) { continue }
      let value = self.value(of: property, in: change.new, over: storage.slots[slot])
      let isSame = property.isSame(storage.slots[slot], value)
      if storage.changed.contains(slot) {
        guard isSame || policy == .mergeByPropertyStoreTrump else {
          isKept = true
          continue
        }
        storage.changed.remove(slot)
        storage.base[slot] = nil
      }
      if !isSame { edits.append(Edit(link: link, slot: slot, value: value)) }
    }
    if storage.changed.isEmpty, storage.phase == .stored { context.changed.remove(storage) }
    // Where both sides have changed a property, a save has to find that out.
    if storage.changed.isEmpty || !isKept && version == storage.version + 1 {
      storage.version = version
    }
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

  private func delete(_ link: Link, _ change: DepotClient.HistoryChange) {
    let storage = link.storage
    let winsOverStore =
      policy == .error || policy == .mergeByPropertyObjectTrump || policy == .overwrite
    // What was changed meanwhile is told by the next save.
    if storage.phase == .stored, !storage.changed.isEmpty, winsOverStore { return }
    for property in storage.description.properties
    where storage.isUnloaded(property.slot) && !property.isToMany {
      let value = value(of: property, in: change.old, over: .unloaded)
      storage.slots[property.slot] = value
    }
    deleted.append(link)
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
      let isOwn =
        context.registered(identifier).map { $0.changed.contains(property.slot) } ?? false
      let member = Member(
        identifier: identifier,
        isOwn: isOwn,
        make: { self.object(identifier, description, change) }
      )
      for (side, isAdded) in [(from, false), (to, true)] {
        guard let side, let other = context.registered(side)?.link else { continue }
        if inverse.isToMany {
          edit(other, inverse.slot, member, isAdded: isAdded)
        } else {
          point(other, inverse.slot, identifier, isAdded: isAdded)
        }
      }
    }
  }

  /// An object that enters or leaves a list.
  private struct Member {
    let identifier: PersistentIdentifier
    /// Whether the program has changed what the object leads to, so that it decides where it is.
    let isOwn: Bool
    let make: () -> Link?
  }

  /// Adds an object to a list, or removes it.
  private func edit(_ link: Link, _ slot: Int, _ member: Member, isAdded: Bool) {
    let storage = link.storage
    if storage.changed.contains(slot), case .many(let base?)? = storage.base[slot] {
      let copy = base.copy()
      change(copy, member, isAdded: isAdded, isIn: base.allIdentifiers.contains(member.identifier))
      storage.base[slot] = .many(copy)
    }
    guard !member.isOwn, case .many(let list?) = storage.slots[slot] else { return }
    let place = Place(storage: ObjectIdentifier(storage), slot: slot)
    let edit = lists[place] ?? ListEdit(link, slot, list)
    lists[place] = edit
    let isIn = edit.members.contains(member.identifier)
    guard isIn != isAdded else { return }
    change(edit.list, member, isAdded: isAdded, isIn: isIn)
    if isAdded {
      edit.members.insert(member.identifier)
    } else {
      edit.members.remove(member.identifier)
    }
    edit.isChanged = true
  }

  private func change(_ list: LinkList, _ member: Member, isAdded: Bool, isIn: Bool) {
    guard isIn != isAdded, let link = member.make() else { return }
    if isAdded { list.append(link) } else { list.remove(link.storage) }
  }

  /// Lets the other side of a relationship from one to one follow.
  private func point(
    _ link: Link,
    _ slot: Int,
    _ identifier: PersistentIdentifier,
    isAdded: Bool
  ) {
    let storage = link.storage
    guard !storage.isUnloaded(slot), !storage.changed.contains(slot) else { return }
    let leadsHere = storage.slots[slot].targetIdentifier == identifier
    guard leadsHere != isAdded else { return }
    edits.append(Edit(link: link, slot: slot, value: isAdded ? .reference(identifier) : .nothing))
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
  func finish() {
    var edits = edits
    for edit in lists.values where edit.isChanged {
      edits.append(Edit(link: edit.link, slot: edit.slot, value: .many(edit.list)))
    }
    for edit in edits { edit.property.willSet(edit.link.model) }
    for edit in edits { edit.link.storage.slots[edit.slot] = edit.value }
    for link in deleted {
      if link.storage.phase == .deleted { context.deleted.remove(link.storage) }
      context.vanish(link.storage)
    }
    for edit in edits { edit.property.didSet(edit.link.model) }
    for link in alive.compactMap({ ($0 as? any PersistentModel)?.storage?.link }) {
      context.recent.add(link.model)
    }
    for observer in context.observers { observer.didMerge(summary) }
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
