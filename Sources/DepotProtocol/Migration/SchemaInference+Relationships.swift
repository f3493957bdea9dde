extension SchemaInference {
  mutating func compareRelationships(of entity: Entity) {
    for relationship in relationships[entity.name] ?? [] {
      if isInherited(relationship, by: entity, among: relationships) { continue }
      switch (relationship.old, relationship.new) {
      case (let old?, let new?): compare(old, new, of: entity.name)
      case (let old?, nil):
        let attribute = attributes[entity.name, default: []].first {
          $0.old == nil && ($0.new?.name == old.name || $0.new?.originalName == old.name)
        }
        add(
          .removedRelationship(old.property, entity: entity.name),
          problem: attribute.map { _ in
            "\(entity.name).\(old.name) is a relationship, not an attribute"
          }
        )
      case (nil, let new?):
        let mayBeEmpty =
          new.property.isToMany ? new.property.minCount == 0 : new.property.isOptional
        let isInTheWay =
          !mayBeEmpty && hasRows(without: new, in: entity, among: relationships)
        let name = "\(entity.name).\(new.name)"
        add(
          .addedRelationship(new.property, entity: entity.name),
          problem: isInTheWay ? "relationship \(name) is new, but must lead to something" : nil,
          isAboutRows: true
        )
      case (nil, nil): break
      }
    }
  }

  private mutating func compare(
    _ old: Declared<Relationship>,
    _ new: Declared<Relationship>,
    of entity: String
  ) {
    func step(_ aspect: SchemaChange.RelationshipAspect) -> SchemaChange {
      .changedRelationship(old.property, to: new.property, entity: entity, aspect)
    }
    let (before, after) = (old.property, new.property)
    if before.name != after.name { add(step(.name)) }
    if old.owner != origins[new.owner] { add(step(.owner)) }
    if before.destination != origins[after.destination] {
      add(
        step(.destination),
        problem: leadsToAncestor(before, after)
          ? nil
          : "\(entity).\(after.name) leads to \(before.destination), not to \(after.destination)"
      )
    }
    if before.inverse != after.inverse.flatMap({ origin(of: $0, in: after.destination) }) {
      add(step(.inverse))
    }
    if before.isToMany != after.isToMany { add(step(.cardinality)) }
    if before.isToMany, after.isToMany, before.isOrdered != after.isOrdered { add(step(.order)) }
    if !after.isToMany, before.isToMany || before.isOptional != after.isOptional {
      if !(before.isToMany && after.isOptional) { add(step(.optional)) }
    }
    if before.deleteRule != after.deleteRule { add(step(.deleteRule)) }
    if (before.minCount, before.maxCount) != (after.minCount, after.maxCount) {
      add(step(.counts(isTighter: after.isToMany && after.hasTighterCounts(than: before))))
    }
    if before.hashModifier != after.hashModifier { add(step(.hashModifier)) }
  }

  /// Whether the new destination is the old destination's entity or one of its superentities.
  private func leadsToAncestor(_ before: Relationship, _ after: Relationship) -> Bool {
    guard let successor = origins.first(where: { $0.value == before.destination })?.key,
      let entity = new[successor]
    else { return false }
    return new.lineage(of: entity).contains { $0.name == after.destination }
  }

  /// Returns the previous name of a relationship, also looking in the subentities of `entity`.
  ///
  /// - Returns: An empty name if the relationship is new.
  private func origin(of relationship: String, in entity: String) -> String {
    func origin(in entity: String) -> String? {
      relationships[entity, default: []].first { $0.new?.name == relationship }?.old?.name
    }
    return origin(in: entity)
      ?? new.descendants(of: entity).lazy.compactMap { origin(in: $0.name) }.first ?? ""
  }
}
