import SwiftData

/// A store in one JSON file, as a program writes it.
final class JSONStore: DataStore {
  typealias Configuration = JSONStoreConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: JSONStoreConfiguration
  let name: String
  let schema: Schema
  let identifier: String

  init(
    _ configuration: JSONStoreConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    name = configuration.name
    schema = configuration.schema ?? Schema()
    identifier = configuration.fileURL.lastPathComponent
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    if request.descriptor.predicate != nil {
      throw DataStoreError.preferInMemoryFilter
    } else if !request.descriptor.sortBy.isEmpty {
      throw DataStoreError.preferInMemorySort
    }
    let objects = try read()
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: objects.values.map { $0 },
      relatedSnapshots: objects
    )
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier] = [:]
    var objects = try read()
    for snapshot in request.inserted {
      remappedIdentifiers[snapshot.persistentIdentifier] = try PersistentIdentifier.identifier(
        for: identifier,
        entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: UUID().uuidString
      )
    }
    for snapshot in request.inserted {
      guard let permanent = remappedIdentifiers[snapshot.persistentIdentifier] else { continue }
      objects[permanent] = snapshot.copy(
        persistentIdentifier: permanent,
        remappedIdentifiers: remappedIdentifiers
      )
    }
    for snapshot in request.updated {
      objects[snapshot.persistentIdentifier] = snapshot.copy(
        persistentIdentifier: snapshot.persistentIdentifier,
        remappedIdentifiers: remappedIdentifiers
      )
    }
    for snapshot in request.deleted {
      objects[snapshot.persistentIdentifier] = nil
    }
    try write(objects)
    return DataStoreSaveChangesResult<DefaultSnapshot>(
      for: identifier,
      remappedIdentifiers: remappedIdentifiers
    )
  }

  func read() throws -> [PersistentIdentifier: DefaultSnapshot] {
    guard FileManager.default.fileExists(atPath: configuration.fileURL.path) else { return [:] }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let list = try decoder.decode(
      [DefaultSnapshot].self,
      from: Data(contentsOf: configuration.fileURL)
    )
    var result: [PersistentIdentifier: DefaultSnapshot] = [:]
    for snapshot in list {
      result[snapshot.persistentIdentifier] = snapshot
    }
    return result
  }

  func write(_ objects: [PersistentIdentifier: DefaultSnapshot]) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    try encoder.encode(Array(objects.values)).write(to: configuration.fileURL, options: .atomic)
  }
}

/// Where a JSON store is.
struct JSONStoreConfiguration: DataStoreConfiguration {
  typealias Store = JSONStore

  var name: String
  var schema: Schema?
  var fileURL: URL

  init(name: String, schema: Schema? = nil, fileURL: URL) {
    self.name = name
    self.schema = schema
    self.fileURL = fileURL
  }
}
