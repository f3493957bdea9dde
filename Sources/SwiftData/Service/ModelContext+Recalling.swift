internal import DepotClient
internal import DepotProtocol

/// The last values of deleted rows, which the history keeps.
extension ModelContext {
  /// How many objects one request names.
  private static var objectsAtOnce: Int { 500 }

  /// Reads the unread values of objects whose rows others have deleted.
  ///
  /// They come from the history; values that it doesn't keep any more stay unknown.
  final func recall(_ storages: [ModelStorage]) {
    let links = storages.filter(\.lacksValues).compactMap(\.link)
    for group in links.byClass {
      let description = group[0].storage.description
      guard let store = try? store(of: description) as? ServiceStore else { continue }
      for part in group.chunks(of: Self.objectsAtOnce) { recall(Array(part), description, store) }
    }
  }

  private final func recall(
    _ links: [ObjectReference],
    _ description: EntityDescription,
    _ store: ServiceStore
  ) {
    var missing: [Int64: ObjectReference] = [:]
    for link in links { missing[link.storage.identifier.row ?? 0] = link }
    let request = HistoryRequest(
      entity: description.name,
      identifiers: Array(missing.keys),
      // The last change of a deleted row is its deletion.
      limit: 2 * missing.count,
      isDescending: true
    )
    let merge = RowMerge(self, store.identifier)
    _ = try? store.talk { connection in
      try connection.history(request) { transaction in
        for change in transaction.changes where change.kind == .delete {
          guard let link = missing.removeValue(forKey: change.identifier) else { continue }
          merge.takeLast(of: link, change)
        }
      }
    }
  }
}

extension ModelStorage {
  /// Whether there are values of the row that weren't read.
  fileprivate final var lacksValues: Bool {
    identifier.row != nil
      && description.properties.contains { !$0.isToMany && isUnloaded($0.slot) }
  }
}
