internal import DepotProtocol

extension DepotProtocol.Schema {
  /// Returns this schema with the additional parts of a stored schema that can be kept.
  ///
  /// Entities that this schema lacks are kept. Entities that it has keep the stored properties
  /// that rows can do without, unless the property was renamed. Indexes and unique combinations
  /// come from this schema. Parts that no longer fit are dropped.
  func keeping(_ stored: DepotProtocol.Schema) -> DepotProtocol.Schema {
    var whole = self
    whole.entities = entities.map { entity in
      guard let old = stored[entity.name] else { return entity }
      return entity.keeping(old, in: self)
    }
    // Kept relationships may lead to kept entities.
    whole.entities += stored.entities.filter { self[$0.name] == nil && !isNow($0.name) }
    return whole.isValid ? whole : fitting(whole)
  }

  /// Returns this schema with the entities of a store that neither it nor the version before knows.
  func keepingEntities(
    of stored: DepotProtocol.Schema,
    but old: DepotProtocol.Schema
  ) -> DepotProtocol.Schema {
    var whole = self
    whole.entities += stored.entities.filter { entity in
      self[entity.name] == nil && old[entity.name] == nil && !isNow(entity.name)
    }
    return whole.isValid ? whole : fitting(whole)
  }

  private var isValid: Bool { (try? validate()) != nil }

  /// Returns this schema with those entities and properties of one that has more that fit, one by one.
  private func fitting(_ whole: DepotProtocol.Schema) -> DepotProtocol.Schema {
    var result = self
    var rest = whole.entities.filter { self[$0.name] == nil }
    var count = rest.count + 1
    // A parent may come behind its heirs.
    while rest.count < count {
      count = rest.count
      rest.removeAll { entity in
        let names = Set(entity.relationships.map(\.name))
        var bare = entity
        bare.relationships = []
        bare.uniques.removeAll { !names.isDisjoint(with: $0) }
        return result.takeIfValid { $0.entities.append(bare) }
      }
    }
    for index in result.entities.indices {
      guard let entity = whole[result.entities[index].name] else { continue }
      for attribute in entity.attributes {
        let place = result.entities[index].attributes.firstIndex { $0.name == attribute.name }
        _ = result.takeIfValid { schema in
          if let place {
            schema.entities[index].attributes[place] = attribute
          } else {
            schema.entities[index].attributes.append(attribute)
          }
        }
      }
    }
    for entity in whole.entities {
      for relationship in entity.relationships {
        result.takeIfValid(relationship, of: entity.name, from: whole)
      }
    }
    return result
  }

  private mutating func takeIfValid(_ change: (inout DepotProtocol.Schema) -> Void) -> Bool {
    var copy = self
    change(&copy)
    guard copy.isValid else { return false }
    self = copy
    return true
  }

  /// Adds a relationship together with the one that leads back, unless they are there or don't fit.
  private mutating func takeIfValid(
    _ relationship: Relationship,
    of owner: String,
    from whole: DepotProtocol.Schema
  ) {
    var added = [(owner, relationship)]
    let destination = whole[relationship.destination]
    if let back = destination?.relationships.first(where: { $0.name == relationship.inverse }) {
      added.append((relationship.destination, back))
    }
    _ = takeIfValid { schema in
      for (owner, relationship) in added {
        guard let index = schema.entities.firstIndex(where: { $0.name == owner }) else { continue }
        let known = schema.entities[index].relationships
        if known.contains(where: { $0.name == relationship.name }) { continue }
        schema.entities[index].relationships.append(relationship)
      }
    }
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
