internal import Foundation

/// What a store was asked for and has answered, as far as it did its part.
struct CustomAnswer {
  var snapshots: [DefaultSnapshot] = []
  var related: [DefaultSnapshot] = []
  /// Whether the store has left out what the predicate doesn't describe.
  var isFiltered = true
  /// Whether the store has sorted, and cut to offset and limit.
  var isSorted = true
}

extension CustomStore {
  /// Asks the store for objects; where it prefers that, for more than are wanted.
  func ask<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>,
    _ context: ModelContext?
  ) throws -> CustomAnswer {
    try talk(context) { store, state in
      try relaxing(descriptor) { descriptor, answer in
        let request = DataStoreFetchRequest(descriptor: descriptor, editingState: state)
        let result = try store.fetch(request)
        answer.snapshots = try result.fetchedSnapshots.map(DefaultSnapshot.init(any:))
        answer.related = try result.relatedSnapshots.values.map(DefaultSnapshot.init(any:))
      }
    }
  }

  /// Asks for something without the predicate, or unsorted, when the store prefers that.
  private func relaxing<Model>(
    _ descriptor: FetchDescriptor<Model>,
    _ body: (FetchDescriptor<Model>, inout CustomAnswer) throws -> Void
  ) throws -> CustomAnswer {
    var descriptor = descriptor
    var answer = CustomAnswer()
    while true {
      do {
        try body(descriptor, &answer)
        return answer
      } catch DataStoreError.preferInMemoryFilter where descriptor.predicate != nil {
        descriptor.predicate = nil
        answer.isFiltered = false
      } catch DataStoreError.preferInMemorySort where !descriptor.sortBy.isEmpty {
        descriptor.sortBy = []
        answer.isSorted = false
      }
      // Only what is filtered and sorted can be cut.
      descriptor.fetchLimit = nil
      descriptor.fetchOffset = nil
    }
  }

  /// Asks the store for one number or list, where it does all of its part; `nil` if it prefers not to.
  func strictly<Result>(_ body: () throws -> Result) throws -> Result? {
    do {
      return try body()
    } catch DataStoreError.preferInMemoryFilter {
      return nil
    } catch DataStoreError.preferInMemorySort {
      return nil
    }
  }
}

extension DefaultSnapshot {
  /// Reads what a snapshot of a program's own type encodes.
  init(any snapshot: some DataStoreSnapshot) throws {
    if let snapshot = snapshot as? DefaultSnapshot {
      self = snapshot
      return
    }
    let encoder = JSONEncoder()
    let decoder = JSONDecoder()
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf",
      negativeInfinity: "-inf",
      nan: "nan"
    )
    let data = try encoder.encode(snapshot)
    let read = try decoder.decode(DefaultSnapshot.self, from: data)
    self.init(snapshot.persistentIdentifier, read.values)
  }
}
