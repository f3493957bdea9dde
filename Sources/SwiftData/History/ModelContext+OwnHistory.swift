/// The histories of the program's own stores.
extension ModelContext {
  /// Returns the transactions of the program's own stores; `nil` if none has any of the type.
  final func ownHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    let lists = try stores.all.compactMap { store in
      try store.withOwnStore(in: self) {
        try ($0 as? any HistoryProviding)?.transactions(descriptor)
      }
    }
    return lists.isEmpty ? nil : lists.flatMap { $0 }
  }

  /// Deletes transactions of custom stores; returns whether any store has transactions of the type.
  final func deleteOwnHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> Bool {
    var isKnown = false
    for store in stores.all {
      let isDeleted = try store.withOwnStore(in: self) {
        try ($0 as? any HistoryProviding)?.remove(descriptor)
      }
      isKnown = isDeleted ?? false || isKnown
    }
    return isKnown
  }
}

extension HistoryProviding {
  /// Returns transactions if they are of the type that the store has.
  fileprivate func transactions<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> [T]? {
    guard let descriptor = descriptor as? HistoryDescriptor<HistoryType> else { return nil }
    return try fetchHistory(descriptor) as? [T]
  }

  /// Deletes transactions if they are of the type that the store has; returns whether they are.
  fileprivate func remove<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> Bool {
    guard let descriptor = descriptor as? HistoryDescriptor<HistoryType> else { return false }
    try deleteHistory(descriptor)
    return true
  }
}
