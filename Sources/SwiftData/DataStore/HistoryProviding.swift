/// A store that keeps a history of what was saved.
public protocol HistoryProviding<HistoryType> {
  /// What one save is in the history.
  associatedtype HistoryType: HistoryTransaction

  /// What one save is in the history.
  static var historyType: HistoryType.Type { get }

  /// Returns the transactions that a descriptor describes.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if what is wanted isn't kept any more, or why it
  ///   can't be had.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

  /// Deletes the transactions that a descriptor describes.
  ///
  /// - Throws: Why nothing is deleted.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  public static var historyType: HistoryType.Type { HistoryType.self }
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

extension CustomStore {
  func history<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>,
    in context: ModelContext
  ) throws -> [T]? {
    try talk(context) { store, _ in
      try (store as? any HistoryProviding)?.transactions(descriptor)
    }
  }

  func deleteHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>,
    in context: ModelContext
  ) throws -> Bool {
    try talk(context) { store, _ in
      try (store as? any HistoryProviding)?.remove(descriptor) ?? false
    }
  }
}

extension ModelContext {
  /// Returns the transactions of the program's own stores; `nil` if none has any of the type.
  final func ownHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    let lists = try stores.compactMap {
      try ($0 as? any CustomContextStore)?.history(descriptor, in: self)
    }
    return lists.isEmpty ? nil : lists.flatMap { $0 }
  }

  /// Deletes transactions of the program's own stores; returns whether any has those of the type.
  final func deleteOwnHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> Bool {
    var isKnown = false
    for case let store as any CustomContextStore in stores
    where try store.deleteHistory(descriptor, in: self) {
      isKnown = true
    }
    return isKnown
  }
}

extension DefaultStore: HistoryProviding {
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try context(EditingState()).fetchHistory(descriptor)
  }

  public func deleteHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws {
    try context(EditingState()).deleteHistory(descriptor)
  }
}
