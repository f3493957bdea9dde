/// The insertion of an object into a context, with all objects that its relationships lead to.
///
/// An object of a context that no longer exists is in this one then as if it had been fetched here, and its
/// changes are made again.
struct ObjectInsertion {
  /// An object that a relationship leads to.
  struct Target {
    var identifier: PersistentIdentifier
    var link: ObjectReference?
  }

  /// A property that the program has changed.
  struct Edit {
    var slot: Int
    var value: Slot
    /// The targets that a relationship has lost.
    var removed: [Target] = []
    /// The targets that a relationship has gained.
    var added: [Target] = []
  }

  private let context: ModelContext
  /// The objects whose relationships are to be followed.
  private var queue: [ModelStorage] = []
  /// The objects of other contexts that are taken, with the program's changes of them.
  private var edits: [(link: ObjectReference, edits: [Edit])] = []
  /// Objects that these lead to.
  private var reached: [ObjectReference] = []
  /// Earlier objects of the context, with the objects that have their rows now.
  private var replaced: [(old: ObjectReference, new: ObjectReference)] = []

  init(_ context: ModelContext) { self.context = context }

  /// Inserts an object with all objects that its relationships lead to.
  mutating func insert(_ storage: ModelStorage) {
    guard enter(storage) else { return }
    queue = [storage]
    var entering: [ModelStorage] = []
    while let next = queue.popLast() {
      for property in next.description.relationships {
        switch next.slots[property.slot] {
        case .link(let link): take(link)
        case .weak(let weak): if let link = weak.link { take(link) }
        case .many(let list?):
          if property.shape.isStrong, property.shape.inverse?.isToMany == true, list.count > 0,
            next.phase == .inserted
          {
            entering.append(next)
          }
          for link in list.links ?? [] { take(link) }
        default: break
        }
      }
      // Objects that the context already has are kept, unless the adopted ones have changes.
      while let link = reached.popLast() {
        if link.storage.hasChanges || context.registered(link.storage.identifier) == nil {
          take(link)
        }
      }
    }
    // After a rollback the inverse lists lacked these objects.
    for storage in entering { storage.enterInverses() }
    finish()
  }

  private mutating func take(_ link: ObjectReference) {
    if link.storage.isAdoptable, enter(link.storage) { queue.append(link.storage) }
  }

  /// Takes an object into the context; returns whether it wasn't there.
  private mutating func enter(_ storage: ModelStorage) -> Bool {
    storage.isOrphan ? adopt(storage) : context.insertAlone(storage)
  }

  // MARK: - Objects of contexts that no longer exist

  /// Moves an object whose context no longer exists into the context, unless that's impossible.
  private mutating func adopt(_ storage: ModelStorage) -> Bool {
    guard let link = storage.link, isOwn(storage) else { return false }
    let replaced = context.registered(storage.identifier)
    if let replaced, replaced.hasChanges {
      context.refuse(
        "The \(storage.description.name) \(storage.identifier) of a context that is gone can't be taken "
          + "over: this context has changes of it in another object.",
        storage.description,
        hint: "Save or roll back these changes first, or change the object that this context has."
      )
      return false
    }
    reached += storage.reachedOrphans()
    context.unregister(storage)
    storage.leaveGroup()
    if let replaced, let old = replaced.link {
      context.unregister(replaced)
      replaced.leaveGroup()
      OrphanedObjects(context.core).add(replaced)
      self.replaced.append((old, link))
    }
    edits.append((link, storage.takeEdits()))
    context.willRead()
    context.register(storage)
    context.pending.adopted.append(link)
    return true
  }

  /// Whether an object is in a store of the context.
  private func isOwn(_ storage: ModelStorage) -> Bool {
    let description = storage.description
    guard context.core.descriptions[description.name] === description,
      let store = try? context.stores.store(of: description)
    else {
      context.errors.refuse(context.stores.unknownSchema(description))
      return false
    }
    if store.identifier == storage.identifier.storeIdentifier { return true }
    context.refuse(
      "The \(description.name) \(storage.identifier) is in a store of another container.",
      description,
      hint: "Insert a new object with the same values."
    )
    return false
  }

  /// Redirects references to adopted objects, and makes the changes of these objects again.
  private func finish() {
    replace()
    for (link, edits) in edits {
      for edit in edits { make(edit, of: link.storage) }
    }
  }

  private func make(_ edit: Edit, of storage: ModelStorage) {
    let slot = edit.slot
    let property = storage.description.properties[slot]
    if property.destination == nil { return storage.change(slot, to: edit.value) }
    let targets = edit.value.targets.compactMap(own)
    let value: Slot? =
      switch edit.value {
      case .unloaded: nil
      case .many(let list): .many(list.map { _ in ObjectReferenceList(targets) })
      default: targets.first.map(Slot.link) ?? .nothing
      }
    storage.withMutation(slot) {
      storage.edit(
        slot,
        to: value,
        removed: edit.removed.compactMap(own),
        added: edit.added.compactMap(own)
      )
    }
  }

  /// Returns the context's object for a target, which may be adopted for this.
  private func own(_ target: Target) -> ObjectReference? {
    if let link = target.link {
      if link.storage.ownContext === context || link.storage.phase == .unregistered { return link }
      if link.storage.phase == .gone { return nil }
    }
    return context.fault(target.identifier)
  }

  /// Redirects references from objects to the objects that have their rows from now on.
  private func replace() {
    guard !replaced.isEmpty else { return }
    let news = Dictionary(first: replaced.map { (ObjectIdentifier($0.old.storage), $0.new) })
    for link in context.registered(of: nil) {
      for property in link.storage.description.relationships {
        link.storage.replaceTargets(property.slot) { news[ObjectIdentifier($0.storage)] ?? $0 }
      }
    }
    context.refresh(replaced.filter { $0.old.storage.version > $0.new.storage.version }.map(\.new))
    context.notifyMembership(of: replaced.map(\.new))
  }
}

extension ModelStorage {
  /// Returns the objects without a context that this one leads to, or has led to.
  fileprivate final func reachedOrphans() -> [ObjectReference] {
    let relationships = description.relationships
    if relationships.isEmpty { return [] }
    let reader = reader
    return relationships.flatMap { property in
      let delta = deltas[property.slot] ?? RelationshipDelta()
      let targets = slots[property.slot].targets + (base[property.slot]?.targets ?? [])
      return delta.added + delta.removed
        + targets.compactMap { $0.link ?? reader?.registered($0.identifier)?.link }
    }
    .filter { $0.storage.isAdoptable }
  }

  /// Removes the program's changes, which leaves the values that were read; returns the changes.
  fileprivate final func takeEdits() -> [ObjectInsertion.Edit] {
    let edits = changed.map { slot in
      var edit = ObjectInsertion.Edit(slot: slot, value: slots[slot])
      if let delta = deltas[slot] {
        edit.added = delta.added.map { ObjectInsertion.Target($0) }
        edit.removed = delta.removed.map { ObjectInsertion.Target($0) }
      } else {
        let (old, new) = (base[slot]?.targets ?? [], slots[slot].targets)
        let (before, after) = (Set(old.map(\.identifier)), Set(new.map(\.identifier)))
        edit.added = new.filter { !before.contains($0.identifier) }
        edit.removed = old.filter { !after.contains($0.identifier) }
      }
      slots[slot] = base[slot] ?? .unloaded
      return edit
    }
    changed = SlotSet()
    base = SlotValues()
    deltas = [:]
    for property in description.relationships { slots[property.slot] = slots[property.slot].loose }
    return edits
  }

  /// Replaces the targets of a relationship.
  fileprivate final func replaceTargets(
    _ slot: Int,
    _ current: (ObjectReference) -> ObjectReference
  ) {
    func replaced(_ value: Slot) -> Slot? {
      switch value {
      case .link(let link):
        let new = current(link)
        return new.storage === link.storage ? nil : .link(new)
      case .weak(let weak):
        guard let link = weak.link, current(link).storage !== link.storage else { return nil }
        return .weak(WeakObjectReference(current(link)))
      case .many(let list?):
        guard let links = list.links,
          links.contains(where: { current($0).storage !== $0.storage })
        else { return nil }
        return .many(ObjectReferenceList(links.map(current)))
      default: return nil
      }
    }
    if let old = base[slot].flatMap(replaced) { base[slot] = old }
    if let delta = deltas[slot] {
      deltas[slot] = RelationshipDelta(
        added: delta.added.map(current),
        removed: delta.removed.map(current)
      )
    }
    if let new = replaced(slots[slot]) { mutate(slot, to: new) }
  }

  /// Leaves the objects that were fetched together with this one.
  fileprivate final func leaveGroup() {
    group?.forget(groupIndex)
    group = nil
  }

  /// Releases objects that the other side keeps alive, for a stored object without a context.
  ///
  /// The program's changes stay.
  final func detach() {
    for property in description.relationships {
      let slot = property.slot
      if let old = base[slot] { base[slot] = old.loose }
      if property.shape.isStrong { continue }
      slots[slot] = slots[slot].loose
      // The other sides have the same changes.
      if deltas.removeValue(forKey: slot) != nil {
        changed.remove(slot)
        base[slot] = nil
      }
    }
  }
}

extension ObjectInsertion.Target {
  fileprivate init(_ link: ObjectReference) {
    self.init(identifier: link.storage.identifier, link: link)
  }
}

extension Slot {
  /// The targets of a relationship.
  fileprivate var targets: [ObjectInsertion.Target] {
    switch self {
    case .link(let link): [ObjectInsertion.Target(link)]
    case .weak(let weak): weak.link.map { [ObjectInsertion.Target($0)] } ?? []
    case .reference(let identifier): [ObjectInsertion.Target(identifier: identifier)]
    case .many(let list?):
      list.links?.map { ObjectInsertion.Target($0) }
        ?? list.identifiers.map { ObjectInsertion.Target(identifier: $0) }
    default: []
    }
  }

  /// The same with identifiers instead of stored objects, which aren't kept alive then.
  fileprivate var loose: Slot {
    switch self {
    case .link, .weak:
      guard let target = targets.first, let link = target.link else { return self }
      return target.identifier.isTemporary
        ? .weak(WeakObjectReference(link)) : .reference(target.identifier)
    case .many(let list?) where !list.isInitial:
      return .many(ObjectReferenceList(list.allIdentifiers.filter { !$0.isTemporary }))
    default: return self
    }
  }
}
