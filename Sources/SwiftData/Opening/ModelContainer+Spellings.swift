/// Spellings of early articles.
extension ModelContainer {
  /// Creates a container as `init(for:migrationPlan:configurations:)` does.
  ///
  /// - Throws: ``SwiftDataError`` as that does.
  @available(
    *,
    deprecated,
    message: "Label the configurations: ModelContainer(for:configurations:)."
  )
  public convenience init(
    for givenSchema: Schema,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    _ configuration: ModelConfiguration,
    _ others: ModelConfiguration...
  ) throws {
    try self.init(
      for: givenSchema,
      migrationPlan: migrationPlan,
      configurations: [configuration] + others
    )
  }

  /// Creates a container as `init(for:migrationPlan:configurations:)` does.
  ///
  /// - Throws: ``SwiftDataError`` as that does.
  @available(
    *,
    deprecated,
    message: "Label the configurations: ModelContainer(for:configurations:)."
  )
  public convenience init(
    for type: any PersistentModel.Type,
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    _ configuration: ModelConfiguration,
    _ others: ModelConfiguration...
  ) throws {
    try self.init(
      for: Schema([type]),
      migrationPlan: migrationPlan,
      configurations: [configuration] + others
    )
  }

  /// Creates a container as `init(for:migrationPlan:configurations:)` does.
  ///
  /// - Throws: ``SwiftDataError`` as that does.
  @available(
    *,
    deprecated,
    message: "List the classes without brackets: ModelContainer(for: A.self, B.self)."
  )
  public convenience init(
    for types: [any PersistentModel.Type],
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    configurations: ModelConfiguration...
  ) throws {
    try self.init(for: Schema(types), migrationPlan: migrationPlan, configurations: configurations)
  }

  /// Creates a container as `init(for:migrationPlan:configurations:)` does.
  ///
  /// - Throws: ``SwiftDataError`` as that does.
  @available(
    *,
    deprecated,
    message: "List the classes without brackets, and label the configurations."
  )
  public convenience init(
    for types: [any PersistentModel.Type],
    migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
    _ configuration: ModelConfiguration,
    _ others: ModelConfiguration...
  ) throws {
    try self.init(
      for: Schema(types),
      migrationPlan: migrationPlan,
      configurations: [configuration] + others
    )
  }
}
