extension PersistentModel {
  /// The context that the object belongs to; `nil` before it is inserted and after its deletion was
  /// saved.
  public var modelContext: ModelContext? { storage?.ownContext as? ModelContext }
}

extension ModelStorage {
  /// The context; `nil` after its end.
  final var modelContext: ModelContext? { context as? ModelContext }
}

extension ModelContext: ObjectContext {
  final var isMigrating: Bool { core.isMigrating }
  final var recordsChanges: Bool { undoRecorder != nil }
  final var descriptions: [String: EntityDescription] { core.descriptions }
  final func keeps(_ list: ObjectReferenceList) -> Bool { undoRecorder?.keeps(list) ?? false }
}

extension OrphanedObjects {
  /// Creates a collection whose successor reads from stores, as long as these are used elsewhere.
  convenience init(_ core: any OpenStores) {
    self.init(
      isReached: { [weak core] in core?.isReached($0) != false },
      makeReader: { [weak core] in core.map { ModelContext($0, isSuccessor: true) } }
    )
  }
}
