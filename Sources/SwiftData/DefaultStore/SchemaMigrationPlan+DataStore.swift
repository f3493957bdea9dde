/// Migrating stores of a program's own.
extension SchemaMigrationPlan {
  /// Runs the stages that lead from a version to the last one, over a store of the program's own.
  ///
  /// A store calls it in its initializer when it finds data of an older version. For each stage
  /// the configuration's store is opened with the schema of the version, without a plan, and
  /// changed by contexts. After a stage all objects are saved once, so that their data have the
  /// names and the default values of the new version. To be able to go back, a store gives the
  /// configuration of a copy.
  ///
  /// - Parameters:
  ///   - configuration: Where the store, or its copy, is.
  ///   - version: The version of the stored data.
  /// - Throws: ``SwiftDataError/unknownSchema`` if the plan doesn't have the version,
  ///   ``SwiftDataError/backwardMigration`` if the version is later than all versions of the plan,
  ///   and errors of a stage or the store.
  public static func migrate<Configuration: DataStoreConfiguration>(
    _ configuration: Configuration,
    from version: Schema.Version
  ) throws {
    let versions = schemas.map { $0.versionIdentifier }
    if let last = versions.max(), version > last {
      throw SwiftDataError(
        .backwardMigration,
        "The store \"\(configuration.name)\" has version \(version); the plan ends with \(last).",
        hint: "Use a newer version of the program."
      )
    }
    guard let position = versions.firstIndex(of: version) else {
      throw SwiftDataError(
        .unknownSchema,
        "The store \"\(configuration.name)\" has version \(version), which the plan doesn't have.",
        hint: "Add that version's schema to the plan."
      )
    }
    for index in (position + 1)..<max(schemas.count, position + 1) {
      let (old, new) = (schemas[index - 1], schemas[index])
      let stage = stages.first { $0.fromVersion == old && $0.toVersion == new }
      guard let stage else {
        throw SwiftDataError(
          .unknownSchema,
          "No stage leads from version \(old.versionIdentifier) to \(new.versionIdentifier).",
          hint: "Add a stage to the plan."
        )
      }
      try CustomMigration(configuration, old, new).run(stage)
    }
  }
}

/// One stage of the migration of a store of the program's own.
private struct CustomMigration<Configuration: DataStoreConfiguration> {
  private let configuration: Configuration
  private let old: Schema
  private let new: Schema

  init(
    _ configuration: Configuration,
    _ old: any VersionedSchema.Type,
    _ new: any VersionedSchema.Type
  ) {
    self.configuration = configuration
    self.old = Schema(versionedSchema: old)
    self.new = Schema(versionedSchema: new)
  }

  func run(_ stage: MigrationStage) throws {
    switch stage {
    case .lightweight: try convert()
    case .custom(_, _, let willMigrate, let didMigrate):
      try change(old, willMigrate)
      try convert()
      try change(new, didMigrate)
    case .transform(_, _, let migrate):
      let before = ModelContext(try copyInMemory())
      try convert()
      try change(new) { try migrate(before, $0) }
    }
  }

  /// Converts the stored objects to the new version, as far as that can be inferred.
  private func convert() throws {
    let kept = Set(new.descriptions.map(\.name))
    let lost = old.descriptions.filter { !kept.contains($0.name) }
    if !lost.isEmpty { try withStore(old) { store in try store.removeAll(lost) } }
    try withStore(new) { store in try store.saveAll(new.descriptions) }
  }

  /// Returns a container of the old objects in memory, which later changes don't affect.
  private func copyInMemory() throws -> ModelContainer {
    var snapshots: [DefaultSnapshot] = []
    try withStore(old) { store in
      snapshots += try store.all(old.descriptions).map { try DefaultSnapshot(any: $0) }
    }
    return try ModelContainer(
      for: old,
      configurations: [MemoryStoreConfiguration(configuration.name, snapshots)]
    )
  }

  private typealias Step = (ModelContext) throws -> Void

  private func change(_ schema: Schema, _ step: Step?) throws {
    guard let step else { return }
    let context = ModelContext(try open(schema))
    try step(context)
    try context.save()
  }

  private func withStore(_ schema: Schema, _ body: (any DataStore) throws -> Void) throws {
    for box in try open(schema).core.boxes.values { try box.withStore(body) }
  }

  private func open(_ schema: Schema) throws -> ModelContainer {
    var configuration = configuration
    configuration.schema = schema
    return try ModelContainer(for: schema, configurations: [configuration])
  }
}

extension DataStore {
  /// Returns all objects of some entities.
  fileprivate func all(_ descriptions: [EntityDescription]) throws -> [Snapshot] {
    var snapshots: [PersistentIdentifier: Snapshot] = [:]
    func add<Model: PersistentModel>(_: Model.Type) throws {
      let request = DataStoreFetchRequest(
        descriptor: FetchDescriptor<Model>(),
        editingState: EditingState()
      )
      for snapshot in try fetch(request).fetchedSnapshots {
        snapshots[snapshot.persistentIdentifier] = snapshot
      }
    }
    for description in descriptions { try add(description.type) }
    let names = Set(descriptions.map(\.name))
    return snapshots.values.filter { names.contains($0.persistentIdentifier.entityName) }
      .sorted { $0.persistentIdentifier < $1.persistentIdentifier }
  }

  /// Deletes all objects of some entities.
  func removeAll(_ descriptions: [EntityDescription]) throws {
    let snapshots = try all(descriptions)
    guard !snapshots.isEmpty else { return }
    _ = try save(DataStoreSaveChangesRequest(editingState: EditingState(), deleted: snapshots))
  }

  /// Saves all objects of some entities as they are read.
  fileprivate func saveAll(_ descriptions: [EntityDescription]) throws {
    let snapshots = try all(descriptions)
    guard !snapshots.isEmpty else { return }
    _ = try save(DataStoreSaveChangesRequest(editingState: EditingState(), updated: snapshots))
  }
}
