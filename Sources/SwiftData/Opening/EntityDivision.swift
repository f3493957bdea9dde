/// The entities of each configuration of a container.
struct EntityDivision {
  /// The entities of each configuration, in the order of the configurations.
  let parts: [[EntityDescription]]

  /// - Throws: ``SwiftDataError/configurationSchemaNotFoundInContainerSchema`` if a configuration
  ///   has an entity that the container lacks, ``SwiftDataError/loadIssueModelContainer`` if there is
  ///   no configuration for an entity.
  init(_ schema: Schema, _ configurations: [any DataStoreConfiguration]) throws {
    let known = Set(schema.descriptions.map(\.name))
    var owners: [String: Int] = [:]
    func give(_ names: some Sequence<String>, to index: Int) {
      for name in names where owners[name] == nil { owners[name] = index }
    }
    for configuration in configurations {
      guard
        let missing = configuration.schema?.descriptions.first(where: { !known.contains($0.name) })
      else { continue }
      throw SwiftDataError(
        .configurationSchemaNotFoundInContainerSchema,
        "The configuration \"\(configuration.name)\" is for \(missing.name), which isn't in the "
          + "container's schema.",
        hint: "Add \(missing.name) to the models of the container.",
        entity: missing.name
      )
    }
    // Entities that a configuration lists take precedence over entities that relationships reach.
    for (index, configuration) in configurations.enumerated() {
      give(configuration.schema?.listed ?? [], to: index)
    }
    for (index, configuration) in configurations.enumerated() {
      give(configuration.schema?.descriptions.map(\.name) ?? [], to: index)
    }
    if let rest = configurations.firstIndex(where: { $0.schema == nil }) {
      give(schema.descriptions.map(\.name), to: rest)
    }
    if let homeless = schema.descriptions.first(where: { owners[$0.name] == nil }) {
      throw SwiftDataError(
        .loadIssueModelContainer,
        "No configuration is for \(homeless.name).",
        hint: "Add it to the schema of a configuration, or add a configuration without a schema.",
        entity: homeless.name
      )
    }
    parts = configurations.indices.map { index in
      schema.descriptions.filter { owners[$0.name] == index }
    }
  }
}
