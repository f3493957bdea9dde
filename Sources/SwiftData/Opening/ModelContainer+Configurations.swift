/// Containers with stores of the program's own.
extension ModelContainer {
  /// Creates a container for model classes, with stores of any kind.
  ///
  /// The classes that relationships reach, and the superclasses, belong to it too.
  ///
  /// - Parameters:
  ///   - forTypes: The classes.
  ///   - configurations: Where the stores are.
  /// - Throws: ``SwiftDataError`` like the initializers for ``ModelConfiguration``, and errors of
  ///   custom stores.
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), configurations: configurations)
  }

  /// Creates a container of model classes in stores of any kind, which migrate by a plan.
  ///
  /// - Throws: ``SwiftDataError`` like the initializers for ``ModelConfiguration``, and errors of
  ///   custom stores.
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    migrationPlan: (any SchemaMigrationPlan.Type)?,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(
      for: Schema(forTypes),
      migrationPlan: migrationPlan,
      configurations: configurations
    )
  }

  /// Creates a container for the entities of a schema, with stores of any kind.
  ///
  /// - Throws: ``SwiftDataError`` like the initializers for ``ModelConfiguration``, and errors of
  ///   custom stores.
  public convenience init(
    for givenSchema: Schema,
    configurations: [any DataStoreConfiguration]
  ) throws {
    try self.init(for: givenSchema, migrationPlan: nil, configurations: configurations)
  }

  /// Creates a container for the entities of a schema, with stores of any kind that migrate by a
  /// plan.
  ///
  /// - Throws: ``SwiftDataError`` like the initializers for ``ModelConfiguration``, and errors of
  ///   custom stores.
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)?,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(
      for: givenSchema,
      migrationPlan: migrationPlan,
      configurations: configurations
    )
  }
}
