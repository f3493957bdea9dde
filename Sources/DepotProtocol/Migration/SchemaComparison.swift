/// The differences between a store's schema and a client's schema of the same version.
///
/// Only changes that existing rows and programs don't notice are allowed without a new version.
package struct SchemaComparison: Hashable, Sendable {
  /// The steps that are allowed.
  package let changes: [SchemaChange]
  /// The changes that need a migration, in words.
  package let differences: [String]
  /// The schema after the changes.
  ///
  /// Old entities and properties keep their order, and new ones come after them. It can differ from
  /// the old schema even without steps: in original names and in transient attributes.
  package let result: Schema

  /// Compares the schema of a store with a client's schema.
  package init(from old: Schema, to new: Schema) {
    var changes: [SchemaChange] = []
    var differences: [String] = []
    for finding in SchemaInference(from: old, to: new).findings {
      if let difference = finding.change?.difference(from: old) ?? finding.problem {
        differences.append(difference)
      } else if let change = finding.change {
        changes.append(change)
      }
    }
    self.changes = changes
    self.differences = differences
    result = old.extended(by: new)
  }
}

extension SchemaChange {
  /// The reason why the step needs a migration, in words; `nil` if it doesn't.
  fileprivate func difference(from schema: Schema) -> String? {
    switch self {
    case .addedIndex(.unique, let paths, let entity) where schema.has(paths, in: entity):
      "\(entity).(\(paths.joined(separator: ", "))) is not unique"
    case .addedEntity, .addedAttribute, .addedRelationship: nil
    case .addedIndex, .changedHistory: nil
    case .removedEntity(let entity): "entity \(entity.name) is missing"
    case .removedAttribute(let field, let entity):
      "attribute \(entity).\(field.path) is missing"
    case .removedRelationship(let relationship, let entity):
      "relationship \(entity).\(relationship.name) is missing"
    case .removedIndex(let kind, let paths, let entity):
      "\(kind.name) of \(entity).(\(paths.joined(separator: ", "))) is missing"
    case .renamedEntity(let old, let new): "entity \(old) is not called \(new)"
    case .changedParent(let entity, let old, _):
      "the parent of \(entity) is \(old ?? "none")"
    case .changedAbstract(let entity, let isAbstract):
      "\(entity) is \(isAbstract ? "not " : "")abstract"
    case .changedHashModifier(let entity): "\(entity) has another hash modifier"
    case .changedAttribute(let old, let new, let entity, let aspect):
      aspect.difference(old, new, entity)
    case .changedRelationship(let old, let new, let entity, let aspect):
      aspect.difference(old, new, entity)
    }
  }
}

extension Schema {
  /// Whether all paths are columns of the rows of `entity`, where rows may have equal values.
  fileprivate func has(_ paths: [String], in entity: String) -> Bool {
    guard let entity = self[entity] else { return false }
    let fields = Set(fields(of: entity).map(\.path))
    return paths.allSatisfy(fields.contains)
  }
}

extension SchemaChange.AttributeAspect {
  fileprivate func difference(_ old: Field, _ new: Field, _ entity: String) -> String? {
    let name = "\(entity).\(old.path)"
    let (before, after) = (old.attribute, new.attribute)
    switch self {
    case .preservation: return nil
    case .indexed where after.isIndexed: return nil
    case .spotlight where after.options.contains(.spotlight): return nil
    case .defaultValue where after.defaultValue != nil: return nil
    case .validation(isTighter: false): return nil
    case .name: return "\(name) is not called \(new.path)"
    case .owner: return "\(name) is declared by \(old.owner), not \(new.owner)"
    case .type:
      return "\(name) is of type \(before.typeDescription), not \(after.typeDescription)"
    case .required: return "\(name) is optional"
    case .optional: return "\(name) is not optional"
    case .unique: return "\(name) is \(before.isUnique ? "" : "not ")unique"
    case .indexed: return "\(name) is indexed"
    case .defaultValue: return "\(name) has a default"
    case .validation: return "\(name) has a looser validation"
    case .externalStorage:
      let isExternal = before.options.contains(.externalStorage)
      return "\(name) is \(isExternal ? "" : "not ")stored externally"
    case .ephemeral:
      return "\(name) is \(before.options.contains(.ephemeral) ? "" : "not ")ephemeral"
    case .spotlight: return "\(name) can be searched for words"
    case .derivation: return "\(name) has \(before.derivation == nil ? "no" : "another") derivation"
    case .hashModifier: return "\(name) has another hash modifier"
    }
  }
}

extension SchemaChange.RelationshipAspect {
  fileprivate func difference(
    _ old: Relationship,
    _ new: Relationship,
    _ entity: String
  ) -> String? {
    let name = "\(entity).\(old.name)"
    switch self {
    case .deleteRule: return nil
    case .counts(isTighter: false): return nil
    case .name: return "\(name) is not called \(new.name)"
    case .owner: return "\(name) is not declared by \(entity)"
    case .destination:
      return "\(name) leads to \(old.destination), not to \(new.destination)"
    case .inverse: return "the inverse of \(name) is \(old.inverse ?? "none")"
    case .cardinality: return "\(name) is to-\(old.isToMany ? "many" : "one")"
    case .order: return "\(name) is \(old.isOrdered ? "" : "not ")ordered"
    case .optional: return "\(name) is \(old.isOptional ? "" : "not ")optional"
    case .counts: return "\(name) has looser counts"
    case .hashModifier: return "\(name) has another hash modifier"
    }
  }
}
