extension SchemaChange: CustomStringConvertible {
  package var description: String {
    switch self {
    case .addedEntity(let entity): "added entity \(entity.name)"
    case .removedEntity(let entity): "removed entity \(entity.name)"
    case .renamedEntity(let old, let new): "renamed entity \(old) to \(new)"
    case .changedParent(let entity, let old, nil): "took entity \(entity) out of \(old ?? "")"
    case .changedParent(let entity, nil, let new?): "put entity \(entity) under \(new)"
    case .changedParent(let entity, let old?, let new?):
      "moved entity \(entity) from \(old) to \(new)"
    case .changedAbstract(let entity, let isAbstract):
      "made entity \(entity) \(isAbstract ? "abstract" : "concrete")"
    case .changedHashModifier(let entity): "changed hash modifier of \(entity)"
    case .changedHistory(let entity, let policy):
      "changed history of \(entity) to \(policy?.rawValue ?? "its parent's")"
    case .addedAttribute(let field, let entity, _): "added attribute \(entity).\(field.path)"
    case .removedAttribute(let field, let entity): "removed attribute \(entity).\(field.path)"
    case .changedAttribute(let old, let new, let entity, let aspect):
      aspect.description(old, new, entity)
    case .addedRelationship(let relationship, let entity):
      "added relationship \(entity).\(relationship.name)"
    case .removedRelationship(let relationship, let entity):
      "removed relationship \(entity).\(relationship.name)"
    case .changedRelationship(let old, let new, let entity, let aspect):
      aspect.description(old, new, entity)
    case .addedIndex(let kind, let paths, let entity):
      "added \(kind.name) of \(entity).(\(paths.joined(separator: ", ")))"
    case .removedIndex(let kind, let paths, let entity):
      "removed \(kind.name) of \(entity).(\(paths.joined(separator: ", ")))"
    }
  }
}

extension SchemaChange.AttributeAspect {
  fileprivate func description(_ old: Field, _ new: Field, _ entity: String) -> String {
    let name = "\(entity).\(new.path)"
    let (before, now) = (old.attribute, new.attribute)
    return switch self {
    case .name: "renamed attribute \(entity).\(old.path) to \(new.path)"
    case .owner: "moved attribute \(new.path) from \(old.owner) to \(new.owner)"
    case .type: "changed type of \(name) from \(before.typeDescription) to \(now.typeDescription)"
    case .required: "made \(name) required"
    case .optional: "made \(name) optional"
    case .unique: "made \(name) \(now.isUnique ? "unique" : "not unique")"
    case .indexed: "\(now.isIndexed ? "added" : "removed") index of \(name)"
    case .defaultValue: "\(now.defaultValue == nil ? "removed" : "changed") default of \(name)"
    case .validation(let isTighter): "\(isTighter ? "tightened" : "loosened") validation of \(name)"
    case .externalStorage:
      "turned external storage of \(name) \(now.options.contains(.externalStorage).word)"
    case .ephemeral: "made \(name) \(now.options.contains(.ephemeral) ? "ephemeral" : "stored")"
    case .preservation:
      "turned preservation of \(name) \(now.options.contains(.preserveValueOnDeletion).word)"
    case .spotlight: "turned full-text search of \(name) \(now.options.contains(.spotlight).word)"
    case .derivation: "\(now.derivation == nil ? "removed" : "changed") derivation of \(name)"
    case .hashModifier: "changed hash modifier of \(name)"
    }
  }
}

extension SchemaChange.RelationshipAspect {
  fileprivate func description(
    _ old: Relationship,
    _ new: Relationship,
    _ entity: String
  ) -> String {
    let name = "\(entity).\(new.name)"
    return switch self {
    case .name: "renamed relationship \(entity).\(old.name) to \(new.name)"
    case .owner: "moved relationship \(new.name) to \(entity)"
    case .destination:
      "changed destination of \(name) from \(old.destination) to \(new.destination)"
    case .inverse: "changed inverse of \(name) to \(new.inverse ?? "none")"
    case .cardinality: "made \(name) \(new.isToMany ? "to-many" : "to-one")"
    case .order: "made \(name) \(new.isOrdered ? "ordered" : "unordered")"
    case .optional: "made \(name) \(new.isOptional ? "optional" : "required")"
    case .deleteRule: "changed delete rule of \(name) to \(new.deleteRule.rawValue)"
    case .counts(let isTighter): "\(isTighter ? "tightened" : "loosened") counts of \(name)"
    case .hashModifier: "changed hash modifier of \(name)"
    }
  }
}

extension Bool {
  fileprivate var word: String { self ? "on" : "off" }
}
