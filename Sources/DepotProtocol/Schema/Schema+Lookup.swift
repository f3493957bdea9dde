extension Schema {
  /// Returns the entity named `name`.
  ///
  /// - Throws: ``DepotError`` `schema.unknown_entity` with the nearest name as the hint.
  public func entity(named name: String) throws(DepotError) -> Entity {
    if let entity = self[name] { return entity }
    throw DepotError(.unknownEntity, "There is no entity \"\(name)\".")
      .hint(
        Spelling.hint(for: name, in: entities.map(\.name))
          ?? (entities.isEmpty
            ? "The store has no schema yet: apply one first."
            : "There are \(entities.map(\.name).joined(separator: ", ")).")
      )
  }

  /// Returns the inverse relationship with the entity that declares it, or `nil`.
  package func inverse(
    of relationship: Relationship
  ) -> (owner: Entity, relationship: Relationship)? {
    guard let name = relationship.inverse, let destination = self[relationship.destination] else {
      return nil
    }
    for owner in lineage(of: destination) {
      if let inverse = owner.relationship(name) { return (owner, inverse) }
    }
    return nil
  }

  /// Returns the error that rows of `entity` have no `path`; hints at the nearest name.
  public func unknownPath(_ path: String, from entity: Entity) -> DepotError {
    let error = DepotError(.unknownAttribute, "\(entity.name) has no attribute \"\(path)\".")
    if attributes(of: entity).contains(where: {
      $0.name == path && $0.options.contains(.transient)
    }) {
      return error.hint("\(path) is transient: only the programs know it.")
    }
    let relationships = relationships(of: entity).filter(\.isToMany).map(\.name)
    let names = fields(of: entity).map(\.path) + relationships
    if let nearest = Spelling.nearest(to: path, in: names + ["$id", "$version", "$entity"]) {
      return error.hint("Did you mean \"\(nearest)\"?").details(["didYouMean": .string(nearest)])
    }
    let heir = descendants(of: entity.name).first { heir in
      heir.propertyNames.contains { $0 == path || path.hasPrefix($0 + ".") }
    }
    if let heir { return error.hint("Only \(heir.name) has it.") }
    return error.hint("It has \(names.joined(separator: ", ")).")
  }
}

extension Entity {
  /// Returns the error that the entity itself has no attribute `name`; hints at the nearest name.
  public func unknownAttribute(_ name: String) -> DepotError {
    Schema(entities: [self]).unknownPath(name, from: self)
  }
}
