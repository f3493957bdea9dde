extension Entity {
  /// Returns a hash of the stored form of an entity, as 16 hexadecimal digits.
  ///
  /// Like Core Data's version hash, it depends on the name, the superentities, the attributes and
  /// relationships (inherited ones included, in any order), and the hash modifiers. It doesn't
  /// depend on defaults, validation, indexes, uniqueness, delete rules, and original names.
  public func hash(in schema: Schema) -> String {
    var entity = Entity(name: name, parent: parent, isAbstract: isAbstract, attributes: [])
    entity.attributes = schema.attributes(of: self).map(\.hashed).sorted { $0.name < $1.name }
    entity.relationships = schema.relationships(of: self).map(\.hashed)
      .sorted { $0.name < $1.name }
    // The superentities' names stand for them, so that all entities of a hierarchy change together.
    entity.indexes = [schema.lineage(of: self).map(\.name)]
    entity.hashModifier = hashModifier
    var writer = JSONWriter()
    writer.object(entity)
    var checksum = Checksum()
    writer.bytes.withUnsafeBytes { checksum.add($0) }
    return checksum.digits
  }
}

extension Attribute {
  fileprivate var hashed: Attribute {
    Attribute(
      name: name,
      type: type,
      width: width,
      collection: collection,
      properties: properties.map(\.hashed).sorted { $0.name < $1.name },
      isOptional: isOptional,
      options: options.intersection([.externalStorage, .ephemeral, .transient]),
      derivation: derivation,
      hashModifier: hashModifier
    )
  }
}

extension Relationship {
  fileprivate var hashed: Relationship {
    var copy = self
    copy.deleteRule = .nullify
    copy.originalName = nil
    return copy
  }
}
