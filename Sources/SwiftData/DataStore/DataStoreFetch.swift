internal import DepotProtocol

/// A request of a context for objects.
@Memberwise
public struct DataStoreFetchRequest<T: PersistentModel>: Sendable {
  /// Which objects it wants.
  public let descriptor: FetchDescriptor<T>
  /// Which context asks.
  public let editingState: EditingState
}

/// The objects that a store has found.
public struct DataStoreFetchResult<ModelType: PersistentModel, SnapshotType: DataStoreSnapshot>:
  Sendable
{
  /// Which objects were wanted.
  public let descriptor: FetchDescriptor<ModelType>
  /// The objects, in order.
  public let fetchedSnapshots: [SnapshotType]
  /// Other objects, which relationships lead to and the context need not ask for again.
  public let relatedSnapshots: [PersistentIdentifier: SnapshotType]

  /// Creates a result.
  ///
  /// - Parameters:
  ///   - descriptor: Which objects were wanted.
  ///   - fetchedSnapshots: The objects, in order.
  ///   - relatedSnapshots: Other objects, which relationships lead to.
  public init(
    descriptor: FetchDescriptor<ModelType>,
    fetchedSnapshots: [SnapshotType],
    relatedSnapshots: [PersistentIdentifier: SnapshotType] = [:]
  ) {
    self.descriptor = descriptor
    self.fetchedSnapshots = fetchedSnapshots
    self.relatedSnapshots = relatedSnapshots
  }
}
