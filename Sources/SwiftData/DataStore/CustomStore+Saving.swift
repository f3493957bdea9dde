internal import DepotProtocol

/// Saving to a store of the program's own.
extension CustomStore {
  func save(_ changes: SaveChanges) throws -> SaveOutcome {
    if changes.isEmpty {
      try checkUnchanged(changes.required)
      return SaveOutcome()
    }
    let context = changes.first?.storage.modelContext
    var related: [PersistentIdentifier: any BackingData] = [:]
    func snapshots(_ links: [ObjectReference]) -> [Snapshot] {
      links.compactMap { link in
        (link.storage as? any BackingData).map { Snapshot(from: $0, relatedBackingDatas: &related) }
      }
    }
    let request = DataStoreSaveChangesRequest<Snapshot>(
      editingState: changes.editingState,
      inserted: snapshots(changes.inserted),
      updated: snapshots(changes.updated),
      deleted: snapshots(changes.deleted)
    )
    try context?.errors.throwOfRead()
    let result = try talk(context) { store, _ in
      try checkUnchanged(changes.required)
      return try store.save(request)
    }
    var outcome = SaveOutcome()
    outcome.ownToken = result.historyToken
    for link in changes.inserted {
      let storage = link.storage
      guard let identifier = result.remappedIdentifiers[storage.identifier] else {
        throw SwiftDataError(
          .storeFailure,
          "The store gave no identifier for the inserted \(storage.description.name) "
            + "\(storage.identifier).",
          hint: "Put it into remappedIdentifiers of the result."
        )
      }
      guard !identifier.isTemporary, identifier.entityName == storage.description.name else {
        throw SwiftDataError(
          .storeFailure,
          "The store says that the identifier of the inserted \(storage.description.name) "
            + "\(storage.identifier) is \(identifier), which can't be.",
          hint: "Make one with PersistentIdentifier.identifier(for:entityName:primaryKey:)."
        )
      }
      outcome.inserted.append((identifier, 1))
    }
    for link in changes.updated { outcome.updated.append(max(link.storage.version, 1)) }
    for link in changes.deleted { lists[link.storage.identifier] = nil }
    try takeReturned(result, changes, &outcome)
    if let context {
      let event = StoreEvent.objects(ObjectChanges(changes, outcome))
      context.core.remote.deliver(RemoteEvent(store: identifier, event: event))
    }
    return outcome
  }

  /// - Throws: ``SwiftDataError/saveConflict`` if an object isn't stored any more as it was read.
  private func checkUnchanged(_ objects: [RequiredObject]) throws {
    var stored: [PersistentIdentifier: DefaultSnapshot] = [:]
    for links in objects.map(\.link).byClass {
      let identifiers = links.identifiers
      func ask<Model: PersistentModel>(_: Model.Type) throws -> [DefaultSnapshot] {
        try self.ask(FetchDescriptor<Model>(identifiers: identifiers), nil).snapshots
      }
      for snapshot in try ask(links[0].storage.description.type) {
        stored[snapshot.persistentIdentifier] = snapshot
      }
    }
    for object in objects {
      let snapshot = stored[object.link.storage.identifier]
      let different = snapshot?.properties(differingFrom: object) ?? []
      if snapshot == nil || !different.isEmpty { throw conflict(object.link, different) }
    }
  }

  private func conflict(_ link: ObjectReference, _ properties: [String]) -> SwiftDataError {
    let name = link.storage.description.name
    var error = SwiftDataError(
      .saveConflict,
      "The \(name) \(link.storage.identifier) was changed since it was read.",
      hint: "Refresh it, decide anew, and save again.",
      entity: name,
      property: properties.first
    )
    error.code = DepotError.Code.read.rawValue
    var conflict = SaveConflict(
      .read,
      entity: name,
      identifier: link.storage.identifier.id.queryNumber,
      pointer: ""
    )
    conflict.properties = properties
    error.conflicts = [conflict]
    return error
  }

  /// Keeps the values that the store returned until the context asks for them.
  private func takeReturned(
    _ result: DataStoreSaveChangesResult<Snapshot>,
    _ changes: SaveChanges,
    _ outcome: inout SaveOutcome
  ) throws {
    guard !result.snapshotsToReregister.isEmpty else { return }
    let context = changes.first?.storage.modelContext
    let inserted = Dictionary(
      first: zip(changes.inserted, outcome.inserted).map { ($1.identifier, $0) }
    )
    for (key, snapshot) in result.snapshotsToReregister {
      let identifier = result.remappedIdentifiers[key] ?? key
      let known = try DefaultSnapshot(any: snapshot).copy(
        persistentIdentifier: identifier,
        remappedIdentifiers: result.remappedIdentifiers
      )
      guard let link = inserted[identifier] ?? context?.registered(identifier)?.link else {
        continue
      }
      returned[identifier] = known
      outcome.stale.append(link)
    }
  }
}

extension ObjectChanges {
  init(_ changes: SaveChanges, _ outcome: SaveOutcome) {
    editingState = changes.editingState
    inserted = outcome.inserted.map(\.identifier)
    for link in changes.updated { updated[link.storage.identifier] = link.storage.changed }
    deleted = changes.deleted.map(\.storage.identifier)
  }
}
