internal import DepotLinux
internal import Observation

/// The values of an object's properties, and their differences from the store's.
///
/// The storage belongs to one object and, once that is inserted or fetched, to one context, on
/// whose thread alone it is used. No access to the fields that are read for each property of each
/// object lasts while other code runs, so their exclusivity needs no check.
public class ModelStorage {
  /// The identifier of the object; temporary until the first save.
  @exclusivity(unchecked) final var identifier: PersistentIdentifier
  /// The description of the object's class, which lasts as long as the process.
  @exclusivity(unchecked) private final var unretainedDescription: Unmanaged<EntityDescription>
  final private(set) var description: EntityDescription {
    get { unretainedDescription.takeUnretainedValue() }
    set { unretainedDescription = .passUnretained(newValue) }
  }
  /// The values of the properties, as far as they are known.
  @exclusivity(unchecked) final var slots: ObjectSlots
  /// The version of the row that was read; 0 for a new object, and where no row was read yet.
  @exclusivity(unchecked) final var version: Int64 = 0
  /// The properties that were changed since the last save or read.
  @exclusivity(unchecked) final var changed = SlotSet()
  /// The values of changed properties when they were read.
  @exclusivity(unchecked) final var base = SlotValues()
  /// The newer version of the row, if the changes are based on an older one.
  @exclusivity(unchecked) final var newer: NewerRow?
  /// The changes of to-many relationships that aren't loaded.
  @exclusivity(unchecked) final var deltas: [Int: RelationshipDelta] = [:]
  /// The properties that couldn't be read: the program has seen incomplete values of them.
  @exclusivity(unchecked) final var unread = SlotSet()
  /// The relationships that were set before the object's initializer was done.
  @exclusivity(unchecked) fileprivate final var unlinked = SlotSet()
  @exclusivity(unchecked) final var phase = Phase.unregistered
  /// Whether the initializer of its object is setting default values, which don't count.
  @exclusivity(unchecked) final var isAwaited = false
  /// Whether the object was invalidated because others have deleted its row, or another object of
  /// its context has taken the row over.
  @exclusivity(unchecked) final var isDeletedByOthers = false
  /// The index among the context's changes.
  @exclusivity(unchecked) final var pendingIndex = -1
  /// The objects that were fetched together with this one.
  final var group: FetchGroup?
  final var groupIndex = 0
  /// The lock of the attributes while the object is in no context.
  final let lock = AttributeLock()
  /// The registered objects of the object's context.
  @exclusivity(unchecked) final var table: IdentityTable?
  /// The context; `nil` after its end.
  @inline(__always)
  final var context: (any ObjectContext)? { table?.context }
  /// The context that the object is in, and not one that only reads for it.
  final var ownContext: (any ObjectContext)? { context.flatMap { $0.isSuccessor ? nil : $0 } }
  /// The context that reads unknown values: the object's, or the successor of one that no longer
  /// exists.
  final var reader: (any ObjectContext)? { context ?? group?.orphanedObjects?.successor() }
  /// The object, which owns this; it may have ended while this is still referenced.
  @exclusivity(unchecked) private final var owner: UnownedObject?
  /// The same object, whose memory ``owner`` keeps.
  @exclusivity(unchecked) private final var ownerAddress: Unmanaged<AnyObject>?
  /// The registrar of observers, for a class that has none.
  final var registrar: ObservationRegistrar { ownRegistrar.registrar }
  private final lazy var ownRegistrar = OwnRegistrar()

  /// A registrar in memory of its own, which other objects don't need.
  private final class OwnRegistrar { let registrar = ObservationRegistrar() }

  /// The object; `nil` before its initializer is done and after its end.
  @inline(__always)
  final var model: AnyObject? { ownerAddress?.ifAlive }

  /// The version of an object whose row differs from the values that were read.
  static let staleVersion: Int64 = -1

  /// The relation of an object to its context.
  enum Phase {
    /// It belongs to no context.
    case unregistered
    /// It was inserted and isn't saved.
    case inserted
    /// It is in the store.
    case stored
    /// It is to be deleted at the next save.
    case deleted
    /// It was deleted; its values are the last that were known.
    case gone
  }

  required init(_ description: EntityDescription, _ identifier: PersistentIdentifier?) {
    unretainedDescription = .passUnretained(description)
    if let identifier {
      self.identifier = identifier
      slots = ObjectSlots(unloaded: description.properties.count)
      phase = .stored
    } else {
      self.identifier = .temporary(description.temporaryKey)
      slots = ObjectSlots(description.initialSlots)
    }
  }

  deinit {
    group?.forget(groupIndex)
    table?.remove(self)
    guard !description.relationships.isEmpty else { return }
    var ending = ObjectSlots(unloaded: 0)
    swap(&ending, &slots)
    EndingValues.add(ending)
  }

  /// Whether the object has changes that aren't saved.
  final var hasChanges: Bool {
    switch phase {
    case .inserted, .deleted: true
    case .stored: !changed.isEmpty
    case .unregistered, .gone: false
    }
  }

  /// Whether it is to be deleted, or others have deleted its row.
  final var isDeleted: Bool { phase == .deleted || phase == .gone && isDeletedByOthers }

  /// Whether nothing was read of the object's row yet.
  final var isFault: Bool { phase == .stored && version == 0 }

  /// Whether the object is in a store, and in no context but one that only reads for it.
  final var isOrphan: Bool { phase == .stored && ownContext == nil }

  /// Whether a context takes the object as soon as one of its objects leads to it.
  final var isAdoptable: Bool { phase == .unregistered || isOrphan }

  /// Whether a property hasn't been read.
  final func isUnloaded(_ slot: Int) -> Bool {
    if case .unloaded = slots[slot] { return true }
    return false
  }

  /// Whether a property has a value that is too large for a row.
  final func isLarge(_ slot: Int) -> Bool {
    if case .value(let cell) = slots[slot] { return cell.isLarge }
    return false
  }

  /// Sets the object that this belongs to, whose class may be a subclass.
  @inline(__always)
  final func adopt(_ model: some PersistentModel) {
    if ownerAddress?.toOpaque() == Unmanaged.passUnretained(model).toOpaque() { return }
    take(model)
  }

  private final func take(_ model: some PersistentModel) {
    owner = UnownedObject(model)
    ownerAddress = .passUnretained(model)
    let type = type(of: model)
    if description.type != type {
      let description = EntityDescription.of(type)
      widen(to: description, description.initialSlots)
    }
    guard !unlinked.isEmpty else { return }
    let slots = unlinked
    unlinked = SlotSet()
    for slot in slots { linkInverse(slot) }
  }

  /// Takes the description of a subclass, and the values of the properties that only that has.
  private final func widen(to description: EntityDescription, _ values: [Slot]) {
    // The properties of the superclass come first.
    slots = ObjectSlots(slots.all + values.dropFirst(self.description.properties.count))
    self.description = description
    if identifier.isTemporary, phase == .unregistered {
      identifier = PersistentIdentifier(description.temporaryKey, identifier.key)
    }
  }

  /// Records that a relationship was set before the object existed, without its other side.
  final func postponeInverse(_ slot: Int) { unlinked.insert(slot) }
}

extension ModelStorage {
  /// Takes over the values that an initializer of a subclass gave its own properties.
  ///
  /// - Parameter own: The storage made for the subclass; its other values are unused.
  final func takeOver(_ own: ModelStorage) {
    guard description.type != own.description.type else { return }
    let count = description.properties.count
    widen(to: own.description, own.slots.all)
    for slot in own.unlinked where slot >= count {
      if model == nil { unlinked.insert(slot) } else { linkInverse(slot) }
    }
  }
}

// MARK: - Attributes

extension ModelStorage {
  /// Returns the value of an attribute.
  @_specialize(kind:partial,where V == Bool)
  @_specialize(kind:partial,where V == Double)
  @_specialize(kind:partial,where V == Int)
  @_specialize(kind:partial,where V == String)
  @_specialize(kind:partial,where V == String?)
  final func attribute<Model, V>(_ key: KeyPath<Model, V>) -> V {
    let slot = slot(of: key)
    return usingAttribute(slot) {
      forgetUnread(slot)
      if case .unloaded = slots[slot] { load(slot) }
      if case .value(let cell) = slots[slot], cell.isExactly(V.self) {
        return cell.content(V.self)
      }
      return converted(slot)
    }
  }

  @inline(__always)
  private final func slot(of key: AnyKeyPath) -> Int { withDescription { $0.slot(of: key) } }

  /// Does something with the description without a count of the reference to it.
  @inline(__always)
  final func withDescription<Result>(
    _ body: (EntityDescription) throws -> Result
  ) rethrows -> Result {
    try unretainedDescription._withUnsafeGuaranteedRef(body)
  }

  /// Returns the value of an attribute that isn't exactly of its type, or its placeholder.
  @inline(never)
  private final func converted<V>(_ slot: Int) -> V {
    if case .value(let cell) = slots[slot], let value = cell.any as? V { return value }
    noteUnread(slot)
    return description.properties[slot].placeholder(V.self, of: identifier)
  }

  /// Gives an attribute a value.
  @_specialize(kind:partial,where V == Bool)
  @_specialize(kind:partial,where V == Double)
  @_specialize(kind:partial,where V == Int)
  @_specialize(kind:partial,where V == String)
  @_specialize(kind:partial,where V == String?)
  final func setAttribute<Model, V>(_ key: KeyPath<Model, V>, _ newValue: V) {
    if !isAwaited { setAttribute(slot(of: key), AttributeCell(newValue)) }
  }

  private final func setAttribute(_ slot: Int, _ value: AttributeCell) {
    usingAttribute(slot) {
      if phase != .unregistered {
        if isStored(value, slot) { return }
        willChange(slot)
      }
      slots[slot] = .value(value)
    }
  }

  /// Whether a property that the program hasn't changed has a value already.
  private final func isStored(_ value: AttributeCell, _ slot: Int) -> Bool {
    guard phase == .stored, !changed.contains(slot), !isUnloaded(slot) else { return false }
    // In a migration stage, a value that was read may stand for a missing one.
    return withDescription { $0.properties[slot].isSame(slots[slot], .value(value)) }
      && context?.isMigrating != true
  }

  /// Reads the row from the store.
  ///
  /// - Parameters:
  ///   - slot: The unknown property.
  ///   - isAsked: Whether the program wants the value, and gets an error if that can't be read.
  final func load(_ slot: Int, isAsked: Bool = true) {
    reader?.load(self, slot, isAsked: isAsked)
  }

  /// Notes that the program asks for a property anew.
  @inline(__always)
  final func forgetUnread(_ slot: Int) {
    if !unread.isEmpty, !changed.contains(slot) { unread.remove(slot) }
  }

  /// Notes that a property couldn't be read, if that is so.
  final func noteUnread(_ slot: Int) {
    if case .unloaded = slots[slot], phase == .stored { unread.insert(slot) }
  }

  /// Notes that a property is about to be changed.
  final func willChange(_ slot: Int) {
    switch phase {
    case .unregistered, .gone: return
    case .inserted: break
    case .stored, .deleted:
      if !changed.contains(slot) {
        if case .unloaded = slots[slot], isReadForChange(slot) { load(slot, isAsked: false) }
        noteChange(slot, since: slots[slot])
      }
    }
    context?.willChange(self, slot)
  }

  /// Whether an unread property is read before its change.
  private final func isReadForChange(_ slot: Int) -> Bool {
    let property = description.properties[slot]
    // A large value is read only where its change is to be undone.
    return !property.isToMany && (!property.isExternal || context?.recordsChanges == true)
  }

  /// Notes that a property has a change of the program, and its value in the store.
  @inline(__always)
  final func noteChange(_ slot: Int, since value: Slot) {
    guard phase == .stored || phase == .deleted else { return }
    base[slot] = value
    if changed.isEmpty, phase == .stored { context?.noteChanged(self) }
    changed.insert(slot)
  }

  /// Forgets the old values of changed properties.
  final func becomeClean() {
    changed = SlotSet()
    if !base.isEmpty { base = SlotValues() }
    if !deltas.isEmpty { deltas = [:] }
    newer = nil
    unread = SlotSet()
  }

  /// Changes a property without recording a change of the program, and notifies its observers.
  final func withMutation(_ slot: Int, _ body: () -> Void) {
    guard let model else { return }
    let property = description.properties[slot]
    property.willSet(model)
    body()
    property.didSet(model)
  }

  /// Gives a property another value as the program would.
  final func change(_ slot: Int, to value: Slot) {
    withMutation(slot) {
      willChange(slot)
      slots[slot] = value
    }
  }

  /// Gives a property another value, and notifies its observers.
  final func mutate(_ slot: Int, to value: Slot) { withMutation(slot) { slots[slot] = value } }
}

// MARK: - Relationships

extension ModelStorage {
  final func object<Model, V: PersistentModel>(_ key: KeyPath<Model, V>) -> V {
    if let object: V = object(description.slot(of: key)) { return object }
    // The row doesn't exist any more: an object without values is returned.
    return V(backingData: DefaultBackingData<V>(for: V.self))
  }

  final func optionalObject<Model, V: PersistentModel>(_ key: KeyPath<Model, V?>) -> V? {
    object(description.slot(of: key))
  }

  private final func object<V: PersistentModel>(_ slot: Int) -> V? {
    using(slot) { target(slot)?.model as? V }
  }

  final func objects<Model, V: RelationshipCollection>(_ key: KeyPath<Model, V>) -> V {
    let slot = description.slot(of: key)
    return using(slot) { objects(slot) }
  }

  private final func objects<V: RelationshipCollection>(_ slot: Int) -> V {
    guard let list = targets(slot) else { return V(_$storages: nil) }
    let isPartial = context?.hidesDeleted == true
    if !isPartial, let typed = list.collection(V.self) { return typed }
    let links = visible(resolved(list, slot))
    let collection = withExtendedLifetime(links) { V(_$storages: links.map(\.storage)) }
    // Objects that are found by identifiers may be released.
    if !isPartial, list.links != nil, !list.isInitial { list.typed = collection }
    return collection
  }

  final func setObject<Model, V>(_ key: KeyPath<Model, V>, _ newValue: (some PersistentModel)?) {
    if isAwaited { return }
    let slot = description.slot(of: key)
    let link = newValue?.ownStorage?.link
    using(slot) {
      if !leads(slot, already: link?.storage.identifier) { setTarget(slot, link) }
    }
  }

  /// Whether a to-one relationship that the program hasn't changed leads to an object already.
  private final func leads(_ slot: Int, already target: PersistentIdentifier?) -> Bool {
    guard phase == .stored, !changed.contains(slot), !unread.contains(slot) else { return false }
    return switch slots[slot] {
    case .nothing: target == nil
    case .link(let link): link.storage.identifier == target
    case .reference(let identifier): identifier == target
    default: false
    }
  }

  final func setObjects<Model, V: RelationshipCollection>(
    _ key: KeyPath<Model, V>,
    _ newValue: V
  ) {
    if isAwaited { return }
    let slot = description.slot(of: key)
    using(slot) { setObjects(slot, newValue) }
  }

  /// Whether a list that the program hasn't changed leads to the same objects in the same order already.
  private final func leads(_ slot: Int, already links: [ObjectReference]) -> Bool {
    guard phase == .stored, !changed.contains(slot), !unread.contains(slot),
      case .many(let list?) = slots[slot], list.count == links.count
    else { return false }
    return list.allIdentifiers == links.map(\.storage.identifier)
  }

  private final func setObjects<V: RelationshipCollection>(_ slot: Int, _ newValue: V) {
    // Most changes add or remove objects in one range.
    if model != nil, case .many(let list?) = slots[slot], let typed = list.collection(V.self),
      let edit = newValue._$edit(since: typed), edit.count == list.links?.count,
      changeTargets(slot, edit.removed, edit.added.compactMap(\.link))
    {
      if case .many(let list?) = slots[slot] { list.typed = newValue }
      return
    }
    let links = newValue._$storages?.compactMap(\.link)
    if let links, leads(slot, already: links) { return }
    setTargets(slot, links)
    // The program gets its own collection back, unless it contained something twice.
    if case .many(let list?) = slots[slot], list.links?.count == links?.count {
      list.typed = newValue
    }
  }
}
