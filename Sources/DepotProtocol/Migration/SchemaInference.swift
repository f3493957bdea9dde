/// The comparison of two versions of a schema, which finds the steps from one to the other.
///
/// Properties are compared for each entity, inherited ones included, so that a property may move to
/// a superentity or subentity and keep its values.
package struct SchemaInference {
  package let old: Schema
  package let new: Schema
  /// The name in the old version of each entity of the new one.
  package let origins: [String: String]
  /// The successions of attributes and relationships of each remaining entity, by its new name.
  package let attributes: [String: [Succession<Declared<Attribute>>]]
  package let relationships: [String: [Succession<Declared<Relationship>>]]
  /// The steps, each with the reason why it can't be taken, if there is one.
  package private(set) var findings: [Finding] = []

  /// A step with its problem, if there is one, or a problem of the whole migration.
  package struct Finding {
    package var change: SchemaChange?
    package var problem: String?
    /// Whether the problem exists only if rows lack a required value.
    package var isAboutRows = false
  }

  package init(from old: Schema, to new: Schema) {
    self.old = old
    self.new = new
    var origins: [String: String] = [:]
    var attributes: [String: [Succession<Declared<Attribute>>]] = [:]
    var relationships: [String: [Succession<Declared<Relationship>>]] = [:]
    let entities = Succession<Entity>.all(from: old.entities, to: new.entities)
    for entity in entities {
      guard let before = entity.old, let after = entity.new else { continue }
      origins[after.name] = before.name
      attributes[after.name] = Succession.all(
        from: old.declared(\.attributes, of: before),
        to: new.declared(\.attributes, of: after)
      )
      relationships[after.name] = Succession.all(
        from: old.declared(\.relationships, of: before),
        to: new.declared(\.relationships, of: after)
      )
    }
    self.origins = origins
    self.attributes = attributes
    self.relationships = relationships
    for entity in entities { compare(entity) }
  }

  mutating func add(
    _ change: SchemaChange,
    problem: String? = nil,
    isAboutRows: Bool = false
  ) {
    findings.append(Finding(change: change, problem: problem, isAboutRows: isAboutRows))
  }

  private mutating func compare(_ entity: Succession<Entity>) {
    guard let before = entity.old else {
      if let after = entity.new { add(.addedEntity(after)) }
      return
    }
    guard let after = entity.new else { return add(.removedEntity(before)) }
    if before.name != after.name { add(.renamedEntity(before.name, to: after.name)) }
    if before.parent != after.parent.map({ origins[$0] ?? "" }) {
      add(.changedParent(after.name, from: before.parent, to: after.parent))
    }
    if before.isAbstract != after.isAbstract {
      add(.changedAbstract(after.name, isAbstract: after.isAbstract))
    }
    if before.hashModifier != after.hashModifier { add(.changedHashModifier(after.name)) }
    if before.history != after.history { add(.changedHistory(after.name, to: after.history)) }
    compareAttributes(of: after)
    compareRelationships(of: after)
    compareIndexes(from: before, to: after)
  }
}

extension SchemaInference {
  /// Whether the parent of `entity` already reports this change of a property.
  func isInherited<Property>(
    _ property: Succession<Declared<Property>>,
    by entity: Entity,
    among all: [String: [Succession<Declared<Property>>]]
  ) -> Bool {
    let teller: String?
    if let new = property.new {
      teller = new.owner == entity.name ? nil : entity.parent
    } else {
      let owner = property.old?.owner
      teller =
        owner == origins[entity.name] ? nil : origins.first { $0.value == owner }?.key
    }
    guard let teller, let before = origins[teller],
      let origin = origins[entity.name].flatMap({ old[$0] }),
      old.lineage(of: origin).contains(where: { $0.name == before }),
      new.lineage(of: entity).contains(where: { $0.name == teller })
    else { return false }
    return all[teller, default: []].contains {
      $0.old == property.old && $0.new == property.new
    }
  }

  /// Whether existing rows lack a value for the new property `property`.
  ///
  /// They can be rows of `entity` or of a subentity for which the inherited property is new too.
  func hasRows<Property>(
    without property: Declared<Property>,
    in entity: Entity,
    among all: [String: [Succession<Declared<Property>>]]
  ) -> Bool {
    ([entity] + new.descendants(of: entity.name)).contains { entity in
      guard let origin = origins[entity.name].flatMap({ old[$0] }), !origin.isAbstract else {
        return false
      }
      return all[entity.name, default: []].contains { $0.new == property && $0.old == nil }
    }
  }
}

extension Schema {
  /// Returns properties of an entity, inherited ones included, with the entities that declare them.
  fileprivate func declared<Property>(
    _ properties: (Entity) -> [Property],
    of entity: Entity
  ) -> [Declared<Property>] {
    lineage(of: entity).flatMap { owner in
      properties(owner).map { Declared(property: $0, owner: owner.name) }
    }
  }
}
