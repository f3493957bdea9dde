internal import DepotProtocol

/// A request of a context for objects.
@Memberwise
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
  /// The wanted objects.
  public let descriptor: FetchDescriptor<T>
  /// The context that asks.
  public let editingState: EditingState
}

/// The objects that a store has found.
@Memberwise
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>:
  Sendable
{
  /// The wanted objects.
  public let descriptor: FetchDescriptor<ModelType>
  /// The objects, in order.
  public let fetchedSnapshots: [SnapshotType]
  /// Related objects, which the context then need not request.
  public private(set) var relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
}
