internal import DepotProtocol
public import Foundation

/// A store that deletes the objects of a predicate without the help of a context.
public protocol DataStoreBatching: DataStore {
  /// Deletes all objects that a predicate describes.
  ///
  /// - Throws: ``DataStoreError/preferInMemoryFilter`` to leave it to the context, or why nothing is
  ///   deleted.
  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws
}

/// A request of a context to delete objects.
@Memberwise
public struct DataStoreBatchDeleteRequest<T: PersistentModel>: Sendable {
  /// The context that asks.
  public let editingState: EditingState
  /// The condition that an object must satisfy; `nil` means all of them.
  public let predicate: Predicate<T>?
  /// Whether objects of subclasses are meant too.
  public private(set) var includeSubclasses: Bool = true
}
