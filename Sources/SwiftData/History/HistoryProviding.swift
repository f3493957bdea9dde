/// A store that keeps a history of saves.
public protocol HistoryProviding {
  /// The type of one transaction of the history.
  associatedtype HistoryType: HistoryTransaction

  /// The type of one transaction of the history.
  static var historyType: HistoryType.Type { get }

  /// Returns the transactions that a descriptor describes.
  ///
  /// - Throws: ``SwiftDataError/historyTokenExpired`` if the transactions aren't kept any more, or
  ///   another error that says why they can't be fetched.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

  /// Deletes the transactions that a descriptor describes.
  ///
  /// - Throws: Why nothing is deleted.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  public static var historyType: HistoryType.Type { HistoryType.self }

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
  func withHistory<Result>(
    in context: ModelContext,
    _ body: (any HistoryProviding) throws -> Result?
  ) throws -> Result? {
    try talk(context) { store, _ in try (store as? any HistoryProviding).flatMap(body) }
  }
}

extension ModelContext {
  /// Returns the transactions of the program's own stores; `nil` if none has any of the type.
  final func ownHistory<T: HistoryTransaction>(_ descriptor: HistoryDescriptor<T>) throws -> [T]? {
    let lists = try stores.compactMap { store in
      try store.withHistory(in: self) { try $0.transactions(descriptor) }
    }
    return lists.isEmpty ? nil : lists.flatMap { $0 }
  }

  /// Deletes transactions of custom stores; returns whether any store has transactions of the type.
  final func deleteOwnHistory<T: HistoryTransaction>(
    _ descriptor: HistoryDescriptor<T>
  ) throws -> Bool {
    var isKnown = false
    for store in stores {
      isKnown = try store.withHistory(in: self) { try $0.remove(descriptor) } ?? false || isKnown
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
