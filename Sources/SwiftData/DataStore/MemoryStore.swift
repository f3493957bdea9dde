internal import DepotProtocol

/// A read-only store in memory, which holds the objects as they were before a migration stage.
final class MemoryStore: DataStore {
  typealias Configuration = MemoryStoreConfiguration

  let configuration: MemoryStoreConfiguration
  let schema: Schema
  let identifier: String

  init(
    _ configuration: MemoryStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
    identifier = configuration.name
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let description = EntityDescription.of(T.self)
    let wanted = configuration.snapshots.filter { snapshot in
      let entity = EntityDescription.named(snapshot.persistentIdentifier.entityName)
      return entity?.isKind(of: description) == true
    }
    let rest = wanted.dropFirst(request.descriptor.fetchOffset ?? 0)
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: Array(request.descriptor.fetchLimit.map { rest.prefix($0) } ?? rest)
    )
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    throw SwiftDataError(
      .storeFailure,
      "The objects of the old version can't be changed.",
      hint: "Change those of the new one."
    )
  }
}

/// The objects of a store in memory.
@Memberwise("name", "snapshots")
struct MemoryStoreConfiguration: DataStoreConfiguration {
  typealias Store = MemoryStore

  let name: String
  var schema: Schema?
  let snapshots: [DefaultSnapshot]

  static func == (left: Self, right: Self) -> Bool { left.name == right.name }
  func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
