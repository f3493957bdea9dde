/// The snapshots of one answer on their way into the objects of a context.
///
/// Objects of the context keep the program's changes. Observers are notified of changes by others
/// once all snapshots are there.
struct SnapshotIntake {
  private let context: ModelContext
  private let merge: RowMerge
  private(set) var links: [ObjectReference] = []
  /// The targets of to-many relationships that the program doesn't know yet.
  private(set) var lists: [PersistentIdentifier: [Int: [PersistentIdentifier]]] = [:]

  init(_ context: ModelContext) {
    self.context = context
    merge = RowMerge(context)
    context.willRead()
  }

  /// Takes a snapshot; the objects keep their order.
  ///
  /// Snapshots of classes that the container doesn't know are left out.
  mutating func take(_ snapshot: DefaultSnapshot) {
    let identifier = snapshot.persistentIdentifier
    guard let description = context.stores.description(of: identifier) else { return }
    let link = context.registered(identifier)?.link ?? description.makeObject(identifier)
    if link.storage.context == nil { context.register(link.storage) }
    links.append(link)
    take(snapshot, of: link)
  }

  private mutating func take(_ snapshot: DefaultSnapshot, of link: ObjectReference) {
    let storage = link.storage
    for property in storage.description.properties where !storage.changed.contains(property.slot) {
      guard let value = snapshot.slot(of: property, in: storage.description) else { continue }
      let known = storage.slots[property.slot]
      switch (value, known) {
      case (.many(let list?), .many(let old)):
        let identifiers = list.allIdentifiers
        if identifiers == old?.allIdentifiers { continue }
        lists[storage.identifier, default: [:]][property.slot] = identifiers
        merge.take(.unloaded, of: link, property.slot)
      case (.many(let list?), _):
        lists[storage.identifier, default: [:]][property.slot] = list.allIdentifiers
      case (_, .unloaded): storage.slots[property.slot] = value
      case (.many(nil), .many(nil)): continue
      case (.many(nil), _): merge.take(value, of: link, property.slot)
      default:
        if property.isSame(known, value) { continue }
        merge.take(value, of: link, property.slot)
      }
    }
    if storage.version == 0 || storage.changed.isEmpty { storage.version = 1 }
  }

  /// Notifies observers of changes; returns the objects in their order.
  mutating func finish() -> [ObjectReference] {
    merge.finish()
    return links
  }
}

extension DefaultSnapshot {
  /// Returns the properties, without to-many relationships, whose values differ from an earlier
  /// read.
  func properties(differingFrom object: RequiredObject) -> [String] {
    let description = object.link.storage.description
    return description.properties.filter { property in
      let known = object.slots[property.slot]
      if case .unloaded = known { return false }
      guard !property.isToMany, let value = slot(of: property, in: description) else {
        return false
      }
      return !property.isSame(known, value)
    }.map(\.name)
  }

  /// Returns the value of a property; the default value if the snapshot lacks it.
  ///
  /// It is `nil` for a to-many relationship that the snapshot lacks: its members are then found by
  /// their inverse.
  fileprivate func slot(
    of property: PropertyDescription,
    in description: EntityDescription
  ) -> Slot? {
    if let slot = values[property.name]?.slot(of: property) { return slot }
    if let name = property.originalName, let slot = values[name]?.slot(of: property) { return slot }
    return property.isToMany ? nil : description.initialSlots[property.slot]
  }
}
