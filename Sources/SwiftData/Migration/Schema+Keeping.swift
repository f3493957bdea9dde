internal import DepotProtocol

extension DepotProtocol.Schema {
  /// Returns this schema with the additional parts of a stored schema that can be kept.
  ///
  /// Entities that this schema lacks are kept. Entities that it has keep the stored properties
  /// that rows can do without, unless the property was renamed. Indexes and unique combinations
  /// come from this schema. Parts that no longer fit are dropped.
  func keeping(_ stored: DepotProtocol.Schema) -> DepotProtocol.Schema {
    var result = self
    result.entities = entities.map { entity in
      guard let old = stored[entity.name] else { return entity }
      return entity.keeping(old, in: self)
    }
    if (try? result.validate()) == nil { result.entities = entities }
    let extras = stored.entities.filter { self[$0.name] == nil && !isNow($0.name) }
    guard !extras.isEmpty else { return result }
    let lean = result
    result.entities += extras
    return (try? result.validate()) == nil ? lean : result
  }

  /// Returns this schema with the entities of a store that neither it nor the version before knows.
  func keepingEntities(
    of stored: DepotProtocol.Schema,
    but old: DepotProtocol.Schema
  ) -> DepotProtocol.Schema {
    var result = self
    result.entities += stored.entities.filter { entity in
      self[entity.name] == nil && old[entity.name] == nil && !isNow(entity.name)
    }
    return (try? result.validate()) == nil ? self : result
  }

  /// Whether an entity was called `name` before.
  private func isNow(_ name: String) -> Bool { entities.contains { $0.originalName == name } }
}

extension Entity {
  fileprivate func keeping(_ old: Entity, in schema: DepotProtocol.Schema) -> Entity {
    guard parent == old.parent else { return self }
    var result = self
    let names = Set(
      schema.lineage(of: self).flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) }
    )
    let originals = Set(
      attributes.compactMap(\.originalName) + relationships.compactMap(\.originalName)
    )
    let taken = names.union(originals)
    result.attributes = attributes.map { $0.keepingParts(of: old.attributes) }
    result.attributes += old.attributes.filter { attribute in
      !taken.contains(attribute.name) && attribute.isDispensable
    }
    result.relationships += old.relationships.filter { relationship in
      !taken.contains(relationship.name) && (relationship.isOptional || relationship.isToMany)
        && relationship.minCount == 0
    }
    result.history = history ?? old.history
    return result
  }
}

extension Attribute {
  /// Returns the attribute with the additional parts of the composite that was stored before.
  fileprivate func keepingParts(of attributes: [Attribute]) -> Attribute {
    let names = [name, originalName].compactMap(\.self)
    let before = names.lazy.compactMap { name in attributes.first { $0.name == name } }.first
    guard type == .composite, let before, before.type == .composite else { return self }
    var result = self
    let taken = Set(properties.map(\.name) + properties.compactMap(\.originalName))
    result.properties = properties.map { $0.keepingParts(of: before.properties) }
    result.properties += before.properties.filter { !taken.contains($0.name) && $0.isDispensable }
    return result
  }

  /// Whether rows can be inserted by programs that don't know the attribute.
  fileprivate var isDispensable: Bool {
    isOptional || (defaultValue != nil && !isUnique)
  }
}
