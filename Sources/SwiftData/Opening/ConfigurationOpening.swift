/// The opening of one store, for a configuration of any type.
struct ConfigurationOpening {
  let descriptions: [EntityDescription]
  let schema: Schema
  let plan: (any SchemaMigrationPlan.Type)?
  /// Whether there is no other store.
  let isOnly: Bool

  /// - Throws: The reason why the store can't be opened; errors of a custom store are thrown
  ///   unchanged.
  func open(_ configuration: any DataStoreConfiguration) throws -> StoreHandle {
    if let configuration = configuration as? ModelConfiguration {
      return try StoreOpening(opening: self, configuration: configuration).open()
    }
    return try openCustom(configuration)
  }

  private func openCustom(_ configuration: some DataStoreConfiguration) throws -> StoreHandle {
    var configuration = configuration
    if configuration.schema == nil {
      configuration.schema = Schema(descriptions.map(\.type), version: schema.version)
    }
    let names = Dictionary(first: schema.descriptions.map { ($0.name, $0) })
    let store = try EntityDescription.$current.withValue(names) { try makeStore(configuration) }
    return StoreHandle(
      .custom(CustomStoreBox(store, names)),
      identifier: store.identifier,
      entities: Set(descriptions.map(\.name)),
      allowsSave: true,
      name: configuration.name
    )
  }

  private func makeStore<Configuration: DataStoreConfiguration>(
    _ configuration: Configuration
  ) throws -> any DataStore {
    try Configuration.Store(configuration, migrationPlan: plan)
  }
}
