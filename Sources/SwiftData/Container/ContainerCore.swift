internal import Foundation
internal import Synchronization

/// The stores of a container, which last as long as the container or a context of it.
///
/// Contexts keep this rather than the container, which keeps its main context.
// because everything in it is immutable but for the container, which is read under a lock
final class ContainerCore: @unchecked Sendable {
  let schema: Schema
  let migrationPlan: (any SchemaMigrationPlan.Type)?
  let configurations: [any DataStoreConfiguration]
  /// The entities by their names.
  let descriptions: [String: EntityDescription]
  let stores: [StoreHandle]
  /// Whether the stores belong to a stage of a migration.
  let isMigrating: Bool
  /// The changes that are saved in the stores.
  let remote: RemoteChanges
  /// The topmost classes of the hierarchies that relationships lead to.
  private let reachedRoots: Set<ObjectIdentifier>
  private weak var known: ModelContainer?
  private let lock = Mutex(())

  /// Opens the stores of some configurations.
  ///
  /// - Throws: ``SwiftDataError`` like the initializers of ``ModelContainer``.
  convenience init(
    _ schema: Schema,
    _ migrationPlan: (any SchemaMigrationPlan.Type)?,
    _ configurations: [any DataStoreConfiguration]
  ) throws {
    try schema.check()
    try configurations.check()
    let division = try EntityDivision(schema, configurations)
    let stores = try zip(configurations, division.parts).map { configuration, part in
      try ConfigurationOpening(
        descriptions: part,
        schema: schema,
        plan: migrationPlan,
        isOnly: configurations.count == 1
      ).open(configuration)
    }
    self.init(schema, stores, migrationPlan, configurations)
  }

  /// Creates the core from open stores.
  init(
    _ schema: Schema,
    _ stores: [StoreHandle],
    _ migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    _ configurations: [any DataStoreConfiguration] = []
  ) {
    self.schema = schema
    self.migrationPlan = migrationPlan
    self.configurations = configurations
    self.stores = stores
    descriptions = Dictionary(first: schema.descriptions.map { ($0.name, $0) })
    isMigrating = stores.contains(where: \.isMigrating)
    reachedRoots = Set(
      schema.descriptions.flatMap(\.relationships).compactMap(\.destination)
        .map { ObjectIdentifier(EntityDescription.of($0).root) }
    )
    remote = RemoteChanges(stores.filter(\.isShared))
  }

  /// The container; a new one if the program has released it.
  var container: ModelContainer {
    lock.withLock { _ in
      if let known { return known }
      let container = ModelContainer(self)
      known = container
      return container
    }
  }

  /// Whether relationships lead to objects of an entity.
  func isReached(_ description: EntityDescription) -> Bool {
    reachedRoots.contains(ObjectIdentifier(description.root))
  }

  /// Sets the container that this belongs to.
  func adopt(_ container: ModelContainer) { lock.withLock { _ in known = container } }
}
