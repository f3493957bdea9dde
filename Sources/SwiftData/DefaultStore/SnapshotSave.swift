internal import Foundation

/// The application of snapshots' changes to objects, in a context of its own.
struct SnapshotSave {
  let context: ModelContext
  /// The new objects by the identifiers that the snapshots have.
  private var new: [PersistentIdentifier: ObjectReference] = [:]
  /// The changed objects, which are compared with the snapshots after the save.
  private var updated: [ObjectReference] = []
  /// The token of the history after the last part that is saved already.
  var token: (any HistoryToken)?

  init(_ context: ModelContext) { self.context = context }

  /// The identifiers of the new objects, by the identifiers in the snapshots.
  var remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] {
    new.mapValues(\.storage.identifier)
  }

  /// Makes the changes of a request, beyond the ones that are saved already.
  mutating func make(_ request: DataStoreSaveChangesRequest<DefaultSnapshot>) throws {
    let unwanted = try insert(request.inserted)
    try update(request.updated)
    try delete(request.deleted)
    for link in unwanted { context.delete(link) }
    // Delete rules were applied by the context that the snapshots are from.
    _ = context.pending.removeUndecided()
  }

  /// Makes the new objects; returns the objects of an earlier request that this one lacks.
  private mutating func insert(_ snapshots: [DefaultSnapshot]) throws -> [ObjectReference] {
    let earlier = new
    new = [:]
    for snapshot in snapshots {
      let identifier = snapshot.persistentIdentifier
      new[identifier] = try earlier[identifier] ?? description(of: snapshot).makeObject(nil)
    }
    for snapshot in snapshots {
      let identifier = snapshot.persistentIdentifier
      guard let link = new[identifier] else { continue }
      if earlier[identifier] != nil {
        try apply(snapshot, to: link)
        continue
      }
      for property in link.storage.description.properties {
        guard let slot = snapshot.values[property.name]?.slot(of: property) else { continue }
        link.storage.slots[property.slot] = try resolved(slot)
      }
    }
    for (identifier, link) in new where earlier[identifier] == nil { context.insert(link.storage) }
    return earlier.filter { new[$0.key] == nil }.map(\.value)
  }

  private mutating func update(_ snapshots: [DefaultSnapshot]) throws {
    let links = try stored(snapshots)
    let known = Dictionary(first: links.map { ($0.storage.identifier, $0) })
    for snapshot in snapshots {
      guard let link = known[snapshot.persistentIdentifier] else { throw gone(snapshot) }
      try apply(snapshot, to: link)
      updated.append(link)
    }
  }

  /// Reads the objects of some snapshots.
  private func stored(_ snapshots: [DefaultSnapshot]) throws -> [ObjectReference] {
    let groups = Dictionary(grouping: snapshots, by: \.persistentIdentifier.entityName)
    return try groups.values.flatMap { group in
      try read(group.map(\.persistentIdentifier), of: description(of: group[0]))
    }
  }

  private func read(
    _ identifiers: [PersistentIdentifier],
    of description: EntityDescription
  ) throws -> [ObjectReference] {
    try context.stores.store(of: description)
      .rows(identifiers, of: description, slots: nil, into: context)
  }

  private func apply(_ snapshot: DefaultSnapshot, to link: ObjectReference) throws {
    let storage = link.storage
    for property in storage.description.properties {
      guard let told = snapshot.values[property.name]?.slot(of: property) else { continue }
      let value = try resolved(told)
      let isSame =
        switch (storage.loaded(property), value) {
        case (.many(let known), .many(let list)): known?.allIdentifiers == list?.allIdentifiers
        case (let known, _): property.isSame(known, value)
        }
      if !isSame { storage.change(property.slot, to: value) }
    }
    try context.errors.throwOfRead()
  }

  private func delete(_ snapshots: [DefaultSnapshot]) throws {
    for link in try stored(snapshots) { context.delete(link) }
  }

  /// Returns the targets of a relationship, with the new objects among them.
  private func resolved(_ slot: Slot) throws -> Slot {
    switch slot {
    case .reference(let identifier):
      return new[identifier].map(Slot.link) ?? slot
    case .many(let list?):
      guard list.identifiers.contains(where: { new[$0] != nil }) else { return slot }
      let old = list.identifiers.filter { new[$0] == nil }
      var known: [PersistentIdentifier: ObjectReference] = new
      if let first = old.first, let description = context.stores.description(of: first) {
        for link in try read(old, of: description) { known[link.storage.identifier] = link }
      }
      return .many(ObjectReferenceList(list.identifiers.compactMap { known[$0] }))
    default: return slot
    }
  }

  /// Returns the objects whose values differ from the snapshots.
  func differences(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) -> [PersistentIdentifier: DefaultSnapshot] {
    var result: [PersistentIdentifier: DefaultSnapshot] = [:]
    let remapped = remappedIdentifiers
    for snapshot in request.updated + request.inserted {
      let identifier = remapped[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
      guard let storage = context.registered(identifier) else { continue }
      let isSame = storage.description.properties.allSatisfy { property in
        guard !property.isToMany,
          let told = snapshot.values[property.name]?.replacing(remapped).slot(of: property)
        else { return true }
        return property.isSame(storage.slots[property.slot], told)
      }
      if !isSame { result[identifier] = DefaultSnapshot(storage) }
    }
    return result
  }

  private func description(of snapshot: DefaultSnapshot) throws -> EntityDescription {
    let name = snapshot.persistentIdentifier.entityName
    if let description = context.core.descriptions[name] { return description }
    throw SwiftDataError(
      .unknownDataStoreSchema,
      "The store's schema has no \(name).",
      entity: name
    )
  }

  private func gone(_ snapshot: DefaultSnapshot) -> SwiftDataError {
    let name = snapshot.persistentIdentifier.entityName
    return SwiftDataError(
      .storeFailure,
      "There is no \(name) \(snapshot.persistentIdentifier) to be updated.",
      entity: name
    )
  }
}
