internal import DepotProtocol

extension Schema {
  /// Returns the schema during a custom migration, when rows may break new rules.
  ///
  /// New properties may be empty, and needn't be unique; existing rules stay.
  func interim(after old: Catalog) -> Schema {
    let mapping = MigrationMapping(from: old.schema, to: self)
    var result = self
    for index in entities.indices {
      let entity = entities[index]
      // Programs that use a new entity know all of its properties, so its rules hold at once.
      guard let origin = mapping.origin(of: entity.name) else { continue }
      result.entities[index].attributes = entity.attributes.map {
        $0.relaxed(path: $0.name, in: entity.name, mapping, old.storage)
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
      result.entities[index].indexes.removeAll { paths in
        paths.contains { path in
          mapping.source(of: path, in: entity.name).map(old.storage.isOutside) ?? false
        }
      }
    }
    return result
  }
}

extension Attribute {
  fileprivate func relaxed(
    path: String,
    in entity: String,
    _ mapping: MigrationMapping,
    _ storage: StorageMap
  ) -> Attribute {
    var result = self
    if type == .composite {
      result.properties = properties.map {
        $0.relaxed(path: "\(path).\($0.name)", in: entity, mapping, storage)
      }
      return result
    }
    let source = mapping.source(of: path, in: entity)
    let before = source?.attribute
    if before?.isOptional != false, defaultValue == nil { result.isOptional = true }
    if before?.isUnique != true { result.isUnique = false }
    // A value that is too large for a row may still be shortened until the end.
    if let source, storage.isOutside(source),
      (source.attribute.type, source.attribute.collection) == (type, collection)
    {
      if source.attribute.isExternal { result.options.insert(.externalStorage) }
      result.options.remove(.spotlight)
      result.isIndexed = false
    }
    return result
  }

  fileprivate var isExternal: Bool { options.contains(.externalStorage) }
}

extension StorageMap {
  /// Whether values of a field may be outside the row.
  fileprivate func isOutside(_ field: Field) -> Bool {
    field.attribute.isExternal || isWidened(field)
  }
}
