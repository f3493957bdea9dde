import SwiftData

/// A store that counts what its contexts do, and hands everything on to a store of the service.
final class WrappingStore: DataStore, DataStoreBatching, HistoryProviding {
  typealias Configuration = WrappingConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: WrappingConfiguration
  let base: DefaultStore

  init(
    _ configuration: WrappingConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    var inner = configuration.base
    inner.schema = configuration.schema
    base = try DefaultStore(inner, migrationPlan: migrationPlan)
  }

  var identifier: String { base.identifier }
  var schema: Schema { base.schema }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    configuration.counts.fetches += 1
    if configuration.counts.unreadable == "\(T.self)" { throw CocoaError(.fileReadUnknown) }
    return try base.fetch(request)
  }

  func fetchCount<T>(_ request: DataStoreFetchRequest<T>) throws -> Int where T: PersistentModel {
    try base.fetchCount(request)
  }

  func fetchIdentifiers<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> [PersistentIdentifier] where T: PersistentModel {
    try base.fetchIdentifiers(request)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    configuration.counts.saves += 1
    let result = try base.save(request)
    configuration.counts.token = result.historyToken as? DefaultHistoryToken
    return result
  }

  func delete<T>(_ request: DataStoreBatchDeleteRequest<T>) throws where T: PersistentModel {
    try base.delete(request)
  }

  func erase() throws { try base.erase() }

  func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] {
    try base.fetchHistory(descriptor)
  }

  func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    try base.deleteHistory(descriptor)
  }
}

final class WrappingCounts: Hashable {
  var fetches = 0
  var saves = 0
  /// The class whose objects can't be read now.
  var unreadable: String?
  var token: DefaultHistoryToken?

  static func == (left: WrappingCounts, right: WrappingCounts) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

struct WrappingConfiguration: DataStoreConfiguration {
  typealias Store = WrappingStore

  var name = "wrapping"
  var schema: Schema?
  var base = ModelConfiguration(isStoredInMemoryOnly: true)
  var counts = WrappingCounts()
}
