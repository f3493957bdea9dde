internal import Foundation

/// The answer of a store, as far as it did its part.
struct CustomAnswer {
  var snapshots: [DefaultSnapshot] = []
  var related: [DefaultSnapshot] = []
  /// Whether the store has left out the objects that don't satisfy the predicate.
  var isFiltered = true
  /// Whether the store has sorted, and cut to offset and limit.
  var isSorted = true
}

extension CustomStore {
  /// Asks the store for objects; for more than wanted, or unsorted ones, if it prefers that.
  func ask<Model: PersistentModel>(
    _ wanted: FetchDescriptor<Model>,
    _ context: ModelContext?
  ) throws -> CustomAnswer {
    try talk(context) { store, state in
      var descriptor = wanted
      var answer = CustomAnswer()
      while true {
        do {
          let request = DataStoreFetchRequest(descriptor: descriptor, editingState: state)
          let result = try store.fetch(request)
          answer.snapshots = try result.fetchedSnapshots.map(DefaultSnapshot.init(any:))
          answer.related = try result.relatedSnapshots.values.map(DefaultSnapshot.init(any:))
          return answer
        } catch DataStoreError.preferInMemoryFilter where descriptor.predicate != nil {
          descriptor.predicate = nil
          answer.isFiltered = false
        } catch DataStoreError.preferInMemorySort where !descriptor.sortBy.isEmpty {
          descriptor.sortBy = []
          answer.isSorted = false
        }
        // Offset and limit apply only after filtering and sorting.
        descriptor.fetchLimit = nil
        descriptor.fetchOffset = nil
      }
    }
  }

  /// Asks the store for one number or list; `nil` if it leaves a part to the context.
  func strictly<Model, Result>(
    _ descriptor: FetchDescriptor<Model>,
    _ context: ModelContext,
    _ body: (Store, DataStoreFetchRequest<Model>) throws -> Result
  ) throws -> Result? {
    do {
      return try talk(context) { store, state in
        try body(store, DataStoreFetchRequest(descriptor: descriptor, editingState: state))
      }
    } catch DataStoreError.preferInMemoryFilter {
      return nil
    } catch DataStoreError.preferInMemorySort {
      return nil
    }
  }
}

extension DefaultSnapshot {
  /// Reads a snapshot from the encoding of a program's own type.
  init(any snapshot: some DataStoreSnapshot) throws {
    if let snapshot = snapshot as? DefaultSnapshot {
      self = snapshot
      return
    }
    let data = try JSONEncoder.ofAnyNumber.encode(snapshot)
    let read = try JSONDecoder.ofAnyNumber.decode(DefaultSnapshot.self, from: data)
    self.init(snapshot.persistentIdentifier, read.values)
  }
}
