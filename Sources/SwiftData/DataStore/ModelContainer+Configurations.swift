/// Containers with stores of the program's own.
extension ModelContainer {
  /// Creates a container of model classes, of those that their relationships lead to, and of their
  /// superclasses, in stores of any kind.
  ///
  /// - Parameters:
  ///   - forTypes: The classes.
  ///   - configurations: Where the stores are.
  /// - Throws: ``SwiftDataError`` like the initializers for ``ModelConfiguration``, and what a store of
  ///   the program's own throws.
  public convenience init(
    for forTypes: any PersistentModel.Type...,
    configurations: any DataStoreConfiguration...
  ) throws {
    try self.init(for: Schema(forTypes), configurations: configurations)
  }

  /// Creates a container of model classes in stores of any kind, which migrate by a plan.
  ///
  /// - Throws: ``SwiftDataError`` like the initializers for ``ModelConfiguration``, and what a store of
  ///   the program's own throws.
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

  /// Creates a container of what a schema describes, in stores of any kind.
  ///
  /// - Throws: ``SwiftDataError`` like the initializers for ``ModelConfiguration``, and what a store of
  ///   the program's own throws.
  public convenience init(
    for givenSchema: Schema,
    configurations: [any DataStoreConfiguration]
  ) throws {
    try self.init(for: givenSchema, migrationPlan: nil, configurations: configurations)
  }

  /// Creates a container of what a schema describes, in stores of any kind, which migrate by a plan.
  ///
  /// - Throws: ``SwiftDataError`` like the initializers for ``ModelConfiguration``, and what a store of
  ///   the program's own throws.
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
