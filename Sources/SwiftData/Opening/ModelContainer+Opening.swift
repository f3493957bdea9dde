/// The opening of containers.
extension ModelContainer {
  /// Creates a container for model classes, their superclasses, and classes that relationships
  /// reach.
  ///
  /// - Parameters:
  ///   - forTypes: The classes.
  ///   - migrationPlan: The migrations of older versions of the schema; if `nil`, only inferred
  ///     migrations run.
  ///   - configurations: Where the stores are; one with the default name if there is none.
  /// - Throws: ``SwiftDataError`` `loadIssueModelContainer`, `duplicateConfiguration`,
  ///   `configurationSchemaNotFoundInContainerSchema`, `unknownSchema`, `backwardMigration`, and
  ///   the errors about the names of files.
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: Schema(forTypes),
      migrationPlan: migrationPlan,
      configurations: configurations
    )
  }

  /// Creates a container for the entities of a schema.
  ///
  /// - Throws: ``SwiftDataError`` like ``init(for:migrationPlan:configurations:)``.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(
      for: givenSchema,
      migrationPlan: migrationPlan,
      configurations: configurations
    )
  }

  /// Creates a container for the entities of a schema.
  ///
  /// - Throws: ``SwiftDataError`` like ``init(for:migrationPlan:configurations:)``.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: [ModelConfiguration]
  ) throws {
    try self.init(
      for: givenSchema,
      migrationPlan: migrationPlan,
      configurations: configurations as [any DataStoreConfiguration]
    )
  }

  /// Creates a container for the entities of a schema, with stores of any kind.
  ///
  /// - Throws: ``SwiftDataError`` like ``init(for:migrationPlan:configurations:)``, and the errors
  ///   of custom stores.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)?,
    configurations: [any DataStoreConfiguration]
  ) throws {
    self.init(
      try ContainerCore(
        givenSchema,
        migrationPlan,
        configurations.isEmpty ? [ModelConfiguration()] : configurations
      )
    )
    core.adopt(self)
  }
}

extension ContainerCore {
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
    var boxes: [ObjectIdentifier: CustomStoreBox] = [:]
    let stores = try zip(configurations, division.parts).map { configuration, part in
      let (handle, box) = try ConfigurationOpening(
        descriptions: part,
        schema: schema,
        plan: migrationPlan,
        isOnly: configurations.count == 1
      ).open(configuration)
      boxes[ObjectIdentifier(handle)] = box
      return handle
    }
    self.init(schema, stores, boxes, migrationPlan, configurations)
  }
}
