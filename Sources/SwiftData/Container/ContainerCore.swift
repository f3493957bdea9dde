internal import Foundation
internal import Synchronization

/// The stores of a container, which last as long as the container or a context of it.
///
/// Contexts keep this rather than the container, which keeps its main context.
final class ContainerCore: OpenStores, Sendable {
  let schema: Schema
  let migrationPlan: (any SchemaMigrationPlan.Type)?
  /// The configurations of the stores that the service holds.
  let configurations: Set<ModelConfiguration>
  /// The entities by their names.
  let descriptions: [String: EntityDescription]
  let stores: [StoreHandle]
  /// The stores of the program's own, by their handles.
  let boxes: [ObjectIdentifier: CustomStoreBox]
  /// Whether the stores belong to a stage of a migration.
  let isMigrating: Bool
  /// The changes that are saved in the stores.
  let remote: RemoteChanges
  /// The topmost classes of the hierarchies that relationships lead to.
  private let reachedRoots: Set<ObjectIdentifier>
  private let known = Mutex(KnownContainer())

  /// The container, as long as the program keeps it.
  private struct KnownContainer {
    weak var container: ModelContainer?
  }

  /// Creates the core from open stores.
  init(
    _ schema: Schema,
    _ stores: [StoreHandle],
    _ boxes: [ObjectIdentifier: CustomStoreBox] = [:],
    _ migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    _ configurations: [any DataStoreConfiguration] = []
  ) {
    self.schema = schema
    self.migrationPlan = migrationPlan
    self.configurations = Set(configurations.compactMap { $0 as? ModelConfiguration })
    self.stores = stores
    self.boxes = boxes
    descriptions = Dictionary(first: schema.descriptions.map { ($0.name, $0) })
    isMigrating = stores.contains(where: \.isMigrating)
    reachedRoots = Set(
      schema.descriptions.flatMap(\.relationships).compactMap(\.destination)
        .map { ObjectIdentifier(EntityDescription.of($0).root) }
    )
    remote = RemoteChanges(stores.filter(\.isShared)) { $0.post() }
  }

  /// The container; a new one if the program has released it.
  var container: ModelContainer {
    known.withLock { known in
      if let container = known.container { return container }
      let container = ModelContainer(self)
      known.container = container
      return container
    }
  }

  /// Whether relationships lead to objects of an entity.
  func isReached(_ description: EntityDescription) -> Bool {
    reachedRoots.contains(ObjectIdentifier(description.root))
  }

  func contextStore(of handle: StoreHandle) -> any ContextStore {
    boxes[ObjectIdentifier(handle)]?.contextStore() ?? ServiceStore(handle, descriptions)
  }

  /// Sets the container that this belongs to.
  func adopt(_ container: ModelContainer) { known.withLock { $0.container = container } }
}
