internal import Foundation

/// Deleting many objects at once, apart from the other changes of the context.
extension CustomStore {
  func delete(_ query: StoreQuery, in context: ModelContext) throws {
    try delete(query.description.type, query, in: context)
  }

  private func delete<Model: PersistentModel>(
    _: Model.Type,
    _ query: StoreQuery,
    in context: ModelContext
  ) throws {
    var descriptor = query.typed(Model.self)
    descriptor.includePendingChanges = false
    // Delete rules are the context's business: with relationships, it deletes object by object.
    let scratch = ModelContext(context.container)
    scratch.author = context.author
    let links = try ContextFetch(scratch, descriptor).links().filter {
      query.request.includesSubentities || $0.storage.description === query.description
    }
    guard !links.isEmpty else { return }
    var gone = Set(links.map(\.storage.identifier))
    if try !deleteInStore(descriptor.predicate, query, context) {
      for link in links { scratch.delete(link) }
      DeleteRules(scratch).apply()
      gone.formUnion(scratch.pending.deleted.all.map(\.storage.identifier))
      try scratch.save()
    }
    for identifier in gone { lists[identifier] = nil }
    context.mergeDeletions(of: gone.compactMap(context.registered))
  }

  /// Lets the store delete the objects of a predicate; returns `false` if it leaves that to the
  /// context.
  private func deleteInStore<Model: PersistentModel>(
    _ predicate: Predicate<Model>?,
    _ query: StoreQuery,
    _ context: ModelContext
  ) throws -> Bool {
    guard query.description.relationships.isEmpty else { return false }
    return try talk(context) { store, state in
      guard let store = store as? any DataStoreBatching else { return false }
      let request = DataStoreBatchDeleteRequest(
        editingState: state,
        predicate: predicate,
        includeSubclasses: query.request.includesSubentities
      )
      do {
        try store.delete(request)
        return true
      } catch DataStoreError.preferInMemoryFilter {
        return false
      } catch DataStoreError.unsupportedFeature {
        return false
      }
    }
  }
}
