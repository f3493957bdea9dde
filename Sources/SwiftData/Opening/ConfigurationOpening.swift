/// The opening of one store, for a configuration of any type.
struct ConfigurationOpening {
  let descriptions: [EntityDescription]
  let schema: Schema
  let plan: (any SchemaMigrationPlan.Type)?
  /// Whether there is no other store.
  let isOnly: Bool

  /// Returns the store, with the program's own if it is one.
  ///
  /// - Throws: The reason why the store can't be opened; errors of a custom store are thrown
  ///   unchanged.
  func open(
    _ configuration: any DataStoreConfiguration
  ) throws -> (handle: StoreHandle, box: CustomStoreBox?) {
    if let configuration = configuration as? ModelConfiguration {
      return (try StoreOpening(opening: self, configuration: configuration).open(), nil)
    }
    return try openCustom(configuration)
  }

  private func openCustom(
    _ configuration: some DataStoreConfiguration
  ) throws -> (handle: StoreHandle, box: CustomStoreBox?) {
    var configuration = configuration
    if configuration.schema == nil {
      configuration.schema = Schema(descriptions.map(\.type), version: schema.version)
    }
    let names = Dictionary(first: schema.descriptions.map { ($0.name, $0) })
    let store = try EntityDescription.$current.withValue(names) { try makeStore(configuration) }
    let handle = StoreHandle(
      .custom,
      identifier: store.identifier,
      entities: Set(descriptions.map(\.name)),
      allowsSave: true,
      name: configuration.name
    )
    return (handle, CustomStoreBox(store, names))
  }

  private func makeStore<Configuration: DataStoreConfiguration>(
    _ configuration: Configuration
  ) throws -> any DataStore {
    try Configuration.Store(configuration, migrationPlan: plan)
  }
}
