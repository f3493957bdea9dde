/// The last values of deleted rows, which the history keeps.
extension RowMerge {
  /// How many objects one request names.
  private static var objectsAtOnce: Int { 500 }

  /// Reads the unread values of objects whose rows others have deleted.
  ///
  /// They come from the history; values that it doesn't keep any more stay unknown.
  static func recall(_ storages: [ModelStorage], of context: ModelContext) {
    let links = storages.filter(\.lacksValues).compactMap(\.link)
    for group in links.byClass {
      let description = group[0].storage.description
      guard let store = try? context.stores.store(of: description) else { continue }
      for part in group.chunks(of: objectsAtOnce) {
        let merge = RowMerge(context, store.identifier)
        try? store.deletions(of: part, description) { merge.takeLast(of: $0, $1) }
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
