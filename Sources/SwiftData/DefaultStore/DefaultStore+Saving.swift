internal import Synchronization

extension DefaultStore {
  /// Stores the changes of a context.
  ///
  /// If the outcome of the context's last save is unknown, it is found out first, so that nothing
  /// is stored twice.
  ///
  /// - Throws: ``SwiftDataError`` `storeFailure`, `saveConflict`, and others.
  public func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    let earlier = try settled(before: request)
    var work = earlier ?? SnapshotSave(context(request.editingState))
    do {
      try work.make(request)
      let token = try work.context.saveReporting().tokens[identifier]
      return DataStoreSaveChangesResult(
        for: identifier,
        remappedIdentifiers: work.remappedIdentifiers,
        snapshotsToReregister: work.differences(request),
        historyToken: token ?? work.token
      )
    } catch {
      if work.context.stores.isInDoubt {
        note(UnconfirmedSnapshotSave(work: work, request: request))
      } else if let earlier {
        work.context.rollback()
        note(UnconfirmedSnapshotSave(work: earlier, request: request))
      }
      throw error
    }
  }

  /// Finds out the outcome of a context's last save; `nil` if that is known, or it wasn't made.
  ///
  /// - Throws: ``SwiftDataError/storeFailure`` if nothing answers now either.
  private func settled(
    before request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> SnapshotSave? {
    let last = unconfirmedSaves.withLock { saves in
      saves.take { $0.value.request.editingState.id == request.editingState.id }
    }
    guard let last = last?.value, last.isContinued(by: request) else { return nil }
    var work = last.work
    do {
      work.token = try work.context.settleSaves().tokens[identifier] ?? work.token
    } catch {
      if work.context.stores.isInDoubt { note(last) }
      throw error
    }
    return work.context.hasChanges ? nil : work
  }

  private func note(_ save: UnconfirmedSnapshotSave) {
    let save = Unshared(value: save)
    unconfirmedSaves.withLock { $0.add(save) }
  }
}

/// A save of a context's snapshots, with an unknown outcome: all, some, or none may be stored.
struct UnconfirmedSnapshotSave {
  let work: SnapshotSave
  let request: DataStoreSaveChangesRequest<DefaultSnapshot>

  /// Whether a later save of the same context still asks for the changes: it doesn't after a rollback.
  func isContinued(by later: DataStoreSaveChangesRequest<DefaultSnapshot>) -> Bool {
    let deleted = Set(later.deleted.map(\.persistentIdentifier))
    let known = deleted.union(later.updated.map(\.persistentIdentifier))
    if request.updated.isEmpty, request.deleted.isEmpty {
      let new = Set(later.inserted.map(\.persistentIdentifier))
      return request.inserted.contains { new.contains($0.persistentIdentifier) }
    }
    return request.updated.allSatisfy { known.contains($0.persistentIdentifier) }
      && request.deleted.allSatisfy { deleted.contains($0.persistentIdentifier) }
  }
}
