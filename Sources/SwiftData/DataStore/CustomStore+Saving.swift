/// Saving to a store of the program's own.
extension CustomStore {
  func save(_ changes: SaveChanges) throws -> SaveOutcome {
    let context = changes.first?.storage.context
    var related: [PersistentIdentifier: any BackingData] = [:]
    func snapshots(_ links: [Link]) -> [Snapshot] {
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
    try context?.throwPostponedError()
    let result = try talk(context) { store, _ in try store.save(request) }
    var outcome = SaveOutcome()
    outcome.ownToken = result.historyToken
    for link in changes.inserted {
      let storage = link.storage
      guard let identifier = result.remappedIdentifiers[storage.identifier] else {
        throw SwiftDataError(
          .storeFailure,
          "The store didn't say what the identifier of the inserted \(storage.description.name) "
            + "\(storage.identifier) is.",
          hint: "Put it into remappedIdentifiers of the result."
        )
      }
      outcome.inserted.append((identifier, 1))
    }
    for link in changes.updated { outcome.updated.append(max(link.storage.version, 1)) }
    for link in changes.deleted { lists[link.storage.identifier] = nil }
    try takeReturned(result, changes, &outcome)
    if let context {
      let event = StoreEvent.objects(ObjectChanges(changes, outcome))
      context.core.remote.tell(RemoteEvent(store: identifier, event: event))
    }
    return outcome
  }

  /// Keeps what the store says of objects until the context asks for it.
  private func takeReturned(
    _ result: DataStoreSaveChangesResult<Snapshot>,
    _ changes: SaveChanges,
    _ outcome: inout SaveOutcome
  ) throws {
    guard !result.snapshotsToReregister.isEmpty else { return }
    let context = changes.first?.storage.context
    let inserted = Dictionary(
      zip(changes.inserted, outcome.inserted).map { ($1.identifier, $0) }
    ) { first, _ in first }
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
