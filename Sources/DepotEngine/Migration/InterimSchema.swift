internal import DepotProtocol

extension Schema {
  /// Returns the schema during a custom migration, when rows may break new rules.
  ///
  /// New properties may be empty, and needn't be unique; existing rules stay.
  func interim(after old: Schema) -> Schema {
    let mapping = MigrationMapping(from: old, to: self)
    var result = self
    for index in entities.indices {
      let entity = entities[index]
      // Programs that use a new entity know all of its properties, so its rules hold at once.
      guard let origin = mapping.origin(of: entity.name) else { continue }
      result.entities[index].attributes = entity.attributes.map {
        $0.relaxed(path: $0.name, in: entity.name, mapping)
      }
      result.entities[index].relationships = entity.relationships.map { relationship in
        var relaxed = relationship
        let before = mapping.source(ofRelationship: relationship.name, in: entity.name)?.property
        if before?.isToMany != false || before?.isOptional != false { relaxed.isOptional = true }
        if before.map({ $0.minCount < relationship.minCount }) ?? true { relaxed.minCount = 0 }
        if before.map({ relationship.hasTighterMaximum(than: $0) }) ?? true { relaxed.maxCount = 0 }
        return relaxed
      }
      let known = origin.uniques.map(Set.init)
      result.entities[index].uniques = entity.uniques.filter { paths in
        let sources = paths.map { path in
          mapping.source(of: path, in: entity.name)?.path
            ?? mapping.source(ofRelationship: path, in: entity.name)?.name
        }
        return known.contains(Set(sources.compactMap { $0 })) && !sources.contains(nil)
      }
      let outside = Set(result.entities[index].attributes.filter(\.isExternal).map(\.name))
      result.entities[index].indexes.removeAll { !outside.isDisjoint(with: $0) }
    }
    return result
  }
}

extension Attribute {
  fileprivate func relaxed(
    path: String,
    in entity: String,
    _ mapping: MigrationMapping
  ) -> Attribute {
    var result = self
    if type == .composite {
      result.properties = properties.map {
        $0.relaxed(path: "\(path).\($0.name)", in: entity, mapping)
      }
      return result
    }
    let before = mapping.source(of: path, in: entity)?.attribute
    if before?.isOptional != false, defaultValue == nil { result.isOptional = true }
    if before?.isUnique != true { result.isUnique = false }
    // A value that is too large for a row may still be shortened until the end.
    if let before, before.isExternal, (before.type, before.collection) == (type, collection) {
      result.options = result.options.union(.externalStorage).subtracting(.spotlight)
      result.isIndexed = false
    }
    return result
  }

  fileprivate var isExternal: Bool { options.contains(.externalStorage) }
}
