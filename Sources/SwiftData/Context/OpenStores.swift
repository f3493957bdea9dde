/// The open stores of a container, which last as long as the container or a context of it.
protocol OpenStores: AnyObject, Sendable {
  /// The entities by their names.
  var descriptions: [String: EntityDescription] { get }
  /// The stores, in the order of the configurations.
  var stores: [StoreHandle] { get }
  /// Whether the stores belong to a stage of a migration.
  var isMigrating: Bool { get }
  /// The changes that are saved in the stores.
  var remote: RemoteChanges { get }

  /// Whether relationships lead to objects of an entity.
  func isReached(_ description: EntityDescription) -> Bool

  /// Makes the store of one context.
  func contextStore(of handle: StoreHandle) -> any ContextStore
}
