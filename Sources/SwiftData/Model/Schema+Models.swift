/// Schemas of model classes.
extension Schema {
  /// Creates the schema of model classes, their superclasses, and classes that relationships
  /// reach.
  public convenience init(
    _ types: [any PersistentModel.Type],
    version: Version = Version(1, 0, 0)
  ) {
    let collection = EntityCollection(types)
    self.init(
      collection.descriptions.map { Entity($0) },
      classes: collection.descriptions.map(\.type),
      clash: collection.clash.map { ($0.type, $1.type) },
      listed: types.map { Schema.entityName(for: $0) },
      version: version
    )
  }

  /// Creates the schema that model classes describe.
  public convenience init(
    _ types: any PersistentModel.Type...,
    version: Version = Version(1, 0, 0)
  ) {
    self.init(types, version: version)
  }

  /// The descriptions of the classes.
  var descriptions: [EntityDescription] {
    classes.compactMap { ($0 as? any PersistentModel.Type).map { EntityDescription.of($0) } }
  }

  /// Returns the entity of a model class; `nil` if the schema doesn't have it.
  public func entity<T: PersistentModel>(for type: T.Type) -> Entity? {
    let name = Schema.entityName(for: type)
    return entities.first { $0.name == name }
  }

  /// Returns the name of the entity of a model class.
  public static func entityName<T: PersistentModel>(for type: T.Type) -> String {
    String(describing: type)
  }
}

extension Schema.Entity {
  /// Creates the entity of a class.
  convenience init(_ description: EntityDescription) {
    let own = description.ownProperties.map(\.schemaProperty)
    self.init(name: description.name, own)
    inheritedProperties = description.properties.dropLast(own.count).map(\.schemaProperty)
    superentityName = description.parent?.name
    uniquenessConstraints = description.constraints.uniques
    indices = description.constraints.indexes + description.constraints.rangeIndexes
  }
}
