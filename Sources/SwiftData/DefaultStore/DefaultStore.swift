internal import Foundation
internal import Synchronization

/// A store in the service, the one that containers use for a `ModelConfiguration`.
///
/// A custom store can contain one and forward requests to it.
public final class DefaultStore: DataStore, DataStoreBatching {
  public typealias Configuration = ModelConfiguration
  public typealias Snapshot = DefaultSnapshot
  public typealias TokenType = DefaultHistoryToken

  /// Where the store is.
  public let configuration: ModelConfiguration
  /// The name of the configuration.
  public let name: String
  /// The entities that the store holds.
  public let schema: Schema
  /// The identifier of the store.
  public let identifier: String
  let container: ModelContainer
  /// The last saves with unknown outcomes, one for each context.
  let unconfirmedSaves = Mutex(UnconfirmedWriteList<Unshared<UnconfirmedSnapshotSave>>(limit: 16))

  /// Opens the store; the service is started if need be.
  ///
  /// - Parameters:
  ///   - configuration: Where the store is; it has to have a schema.
  ///   - migrationPlan: The migrations of older versions of the schema.
  /// - Throws: ``SwiftDataError/unknownDataStoreSchema`` if the configuration has no schema, and
  ///   the errors of a container.
  public init(
    _ configuration: ModelConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil
  ) throws {
    guard let schema = configuration.schema else {
      throw SwiftDataError(
        .unknownDataStoreSchema,
        "The configuration \"\(configuration.name)\" has no schema.",
        hint: "Give it the schema that the container sets in the configuration of its store."
      )
    }
    self.configuration = configuration
    name = configuration.name
    self.schema = schema
    container = try ModelContainer(
      for: schema,
      migrationPlan: migrationPlan,
      configurations: configuration
    )
    identifier = container.stores.first?.identifier ?? ""
  }

  public func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    let context = context(request.editingState)
    let models = try context.fetch(request.descriptor.complete)
    var related: [PersistentIdentifier: any BackingData] = [:]
    let snapshots = models.map {
      DefaultSnapshot(from: $0.persistentBackingData, relatedBackingDatas: &related)
    }
    try context.errors.throwOfRead()
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: snapshots,
      relatedSnapshots: try prefetched(request.descriptor, models, context)
    )
  }

  /// Returns the targets of the relationships that are to be prefetched.
  private func prefetched<T: PersistentModel>(
    _ descriptor: FetchDescriptor<T>,
    _ models: [T],
    _ context: ModelContext
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    var snapshots: [PersistentIdentifier: DefaultSnapshot] = [:]
    let description = EntityDescription.of(T.self)
    for property in descriptor.relationshipKeyPathsForPrefetching.compactMap(description.property) {
      for storage in models.compactMap(\.ownStorage) {
        for link in storage.allTargets(property.slot) {
          snapshots[link.storage.identifier] = DefaultSnapshot(link.storage)
        }
      }
    }
    try context.errors.throwOfRead()
    return snapshots
  }

  public func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try context(request.editingState).fetchCount(request.descriptor.complete)
  }

  public func fetchIdentifiers<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] {
    try context(request.editingState).fetchIdentifiers(request.descriptor.complete)
  }

  public func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    let context = context(request.editingState)
    try context.delete(
      model: T.self,
      where: request.predicate,
      includeSubclasses: request.includeSubclasses
    )
    // The context has deleted the objects that the store can't find by itself.
    try context.save()
  }

  /// Returns a context that works for another one.
  func context(_ editingState: EditingState) -> ModelContext {
    let context = ModelContext(container)
    context.author = editingState.author
    return context
  }
}

extension ModelConfiguration: DataStoreConfiguration {
  public typealias Store = DefaultStore
}

extension FetchDescriptor {
  /// The descriptor of the same objects, with all of their values.
  fileprivate var complete: FetchDescriptor {
    var descriptor = self
    descriptor.propertiesToFetch = []
    descriptor.includePendingChanges = false
    return descriptor
  }
}
