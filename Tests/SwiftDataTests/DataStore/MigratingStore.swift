import SwiftData

/// A JSON store that migrates its file by the plan.
final class MigratingStore: DataStore {
  typealias Configuration = MigratingConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: MigratingConfiguration
  let schema: Schema
  let identifier = "migrating"

  /// What is in the file.
  struct Content: Codable {
    var version: Schema.Version
    var objects: [DefaultSnapshot] = []
  }

  /// What comes first in the file.
  private struct Head: Decodable {
    var version: Schema.Version
  }

  init(
    _ configuration: MigratingConfiguration,
    migrationPlan: (any SchemaMigrationPlan.Type)?
  ) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
    guard let migrationPlan, let version = try storedVersion(), version != schema.version else {
      return
    }
    // The stages work on a copy, which takes the file's place when all is done.
    var copy = configuration
    copy.fileURL = configuration.fileURL.appendingPathExtension("migrating")
    try? FileManager.default.removeItem(at: copy.fileURL)
    try FileManager.default.copyItem(at: configuration.fileURL, to: copy.fileURL)
    try migrationPlan.migrate(copy, from: version)
    try Data(contentsOf: copy.fileURL).write(to: configuration.fileURL, options: .atomic)
    try FileManager.default.removeItem(at: copy.fileURL)
  }

  func fetch<T>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> where T: PersistentModel {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    return DataStoreFetchResult(
      descriptor: request.descriptor,
      fetchedSnapshots: try read().objects
    )
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      remapped[snapshot.persistentIdentifier] = try .identifier(
        for: identifier,
        entityName: snapshot.persistentIdentifier.entityName,
        primaryKey: UUID().uuidString
      )
    }
    let changed = (request.inserted + request.updated).map { snapshot in
      snapshot.copy(
        persistentIdentifier: remapped[snapshot.persistentIdentifier]
          ?? snapshot.persistentIdentifier,
        remappedIdentifiers: remapped
      )
    }
    let gone = Set((changed + request.deleted).map(\.persistentIdentifier))
    var content = try read()
    content.version = schema.version
    content.objects.removeAll { gone.contains($0.persistentIdentifier) }
    content.objects += changed
    try JSONEncoder().encode(content).write(to: configuration.fileURL, options: .atomic)
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }

  private func storedVersion() throws -> Schema.Version? {
    guard let data = try? Data(contentsOf: configuration.fileURL) else { return nil }
    return try JSONDecoder().decode(Head.self, from: data).version
  }

  private func read() throws -> Content {
    guard let data = try? Data(contentsOf: configuration.fileURL) else {
      return Content(version: schema.version)
    }
    return try JSONDecoder().decode(Content.self, from: data)
  }
}

struct MigratingConfiguration: DataStoreConfiguration {
  typealias Store = MigratingStore

  var name = "migrating"
  var schema: Schema?
  var fileURL: URL
}

enum AddressesV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Contact.self, Stamp.self] }

  @Model final class Contact {
    var fullName: String
    var phone: String

    init(fullName: String, phone: String) {
      self.fullName = fullName
      self.phone = phone
    }
  }

  @Model final class Stamp {
    var value: Int

    init(value: Int) { self.value = value }
  }
}

enum AddressesV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Contact.self] }

  @Model final class Contact {
    @Attribute(originalName: "fullName") var name: String
    var phone: String
    var isFriend: Bool = true

    init(name: String, phone: String) {
      self.name = name
      self.phone = phone
    }
  }
}

enum AddressesV3: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Contact.self] }

  @Model final class Contact {
    var name: String
    var initial: String = ""
    var isFriend: Bool = true

    init(name: String) { self.name = name }
  }
}

enum AddressesPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] {
    [AddressesV1.self, AddressesV2.self, AddressesV3.self]
  }

  static var stages: [MigrationStage] {
    [
      .lightweight(fromVersion: AddressesV1.self, toVersion: AddressesV2.self),
      .custom(
        fromVersion: AddressesV2.self,
        toVersion: AddressesV3.self,
        willMigrate: { context in
          for contact in try context.fetch(FetchDescriptor<AddressesV2.Contact>())
          where contact.phone.isEmpty {
            context.delete(contact)
          }
          try context.save()
        },
        didMigrate: { context in
          for contact in try context.fetch(FetchDescriptor<AddressesV3.Contact>()) {
            guard let first = contact.name.first else { throw AddressesError.noName }
            contact.initial = String(first)
          }
          try context.save()
        }
      ),
    ]
  }
}

/// A plan whose last stage has the objects of both versions.
enum AddressesTransform: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { AddressesPlan.schemas }

  static var stages: [MigrationStage] {
    [
      AddressesPlan.stages[0],
      .custom(fromVersion: AddressesV2.self, toVersion: AddressesV3.self) { old, new in
        var phones: [PersistentIdentifier: String] = [:]
        for contact in try old.fetch(FetchDescriptor<AddressesV2.Contact>()) {
          phones[contact.persistentModelID] = contact.phone
        }
        for contact in try new.fetch(FetchDescriptor<AddressesV3.Contact>()) {
          contact.initial = phones[contact.persistentModelID] ?? "?"
        }
        try new.save()
      },
    ]
  }
}

enum AddressesError: Error {
  case noName
}
