/// One step from a schema to another.
///
/// A step names entities by their new names, except where it removes or renames one. It carries its
/// subject before and after the step, so that it can be executed by itself.
package enum SchemaChange: Hashable, Sendable {
  /// An added entity with all its properties and indexes.
  case addedEntity(Entity)
  /// A removed entity, as it was; its rows are deleted unless they belong to a remaining subentity.
  case removedEntity(Entity)
  case renamedEntity(String, to: String)
  case changedParent(String, from: String?, to: String?)
  case changedAbstract(String, isAbstract: Bool)
  case changedHashModifier(String)
  /// A new history policy for later changes.
  case changedHistory(String, to: HistoryPolicy?)

  /// An added column for the rows of `entity` and its subentities.
  ///
  /// Existing rows get `fill`, except where the column is derived, or part of an absent composite.
  case addedAttribute(Field, entity: String, fill: Value)
  /// A removed column of the rows of `entity`.
  ///
  /// The column stays for another entity's rows if that entity keeps it and `entity` no longer
  /// descends from it.
  case removedAttribute(Field, entity: String)
  /// A change of one aspect of a column whose values stay; several aspects are several steps.
  case changedAttribute(Field, to: Field, entity: String, AttributeAspect)

  /// An added relationship of the rows of `entity`; it is empty in existing rows.
  case addedRelationship(Relationship, entity: String)
  case removedRelationship(Relationship, entity: String)
  /// A change of one aspect of a relationship; several aspects are several steps.
  case changedRelationship(Relationship, to: Relationship, entity: String, RelationshipAspect)

  case addedIndex(Entity.IndexKind, [String], entity: String)
  /// A removed index with its former paths.
  case removedIndex(Entity.IndexKind, [String], entity: String)
}

extension SchemaChange {
  /// The aspects of an attribute that can change.
  package enum AttributeAspect: Hashable, Sendable {
    /// Its path.
    case name
    /// The entity of the hierarchy that declares it, and thereby its column.
    case owner
    /// Its type, width, or kind of collection: the values must be rewritten.
    case type
    /// It becomes required; rows with null get the value.
    case required(fill: Value)
    /// It becomes optional.
    case optional
    /// It becomes unique, if no two rows have the same value, or ceases to be.
    case unique
    /// Whether it has an index of its own.
    case indexed
    /// The default for inserts that leave the column out; existing rows keep their values.
    case defaultValue
    /// Its validation rules. If they become tighter, existing rows must be checked.
    case validation(isTighter: Bool)
    case externalStorage
    /// Values are no longer stored, or are stored again.
    case ephemeral
    case preservation
    case spotlight
    /// Its derivation; if there is one, existing rows need computed values.
    case derivation
    /// Programs interpret the values differently; the stored values stay.
    case hashModifier
  }

  /// The aspects of a relationship that can change.
  package enum RelationshipAspect: Hashable, Sendable {
    case name
    /// The entity of the hierarchy that declares it.
    case owner
    /// Its destination becomes a superentity of the former one, or gets another name.
    case destination
    case inverse
    /// From to-one to to-many or back, which fails if a row has several targets.
    case cardinality
    case order
    /// Whether a to-one relationship may be empty. If it becomes required, rows must be checked.
    case optional
    case deleteRule
    /// Its minimal and maximal number of targets. If it becomes tighter, rows must be checked.
    case counts(isTighter: Bool)
    case hashModifier
  }
}

extension SchemaChange {
  /// Whether the step can lose values of rows.
  package var isDestructive: Bool {
    switch self {
    case .removedEntity(let entity): !entity.isAbstract
    case .removedAttribute(let field, _):
      !field.isPresence && field.attribute.derivation == nil
        && !field.attribute.options.contains(.ephemeral)
    case .removedRelationship: true
    case .changedAttribute(_, let new, _, .ephemeral): new.attribute.options.contains(.ephemeral)
    case .changedAttribute(let old, let new, _, .type):
      old.attribute.widening(to: new.attribute) == .lossy
    case .changedAttribute(_, let new, _, .derivation): new.attribute.derivation != nil
    case .changedRelationship(_, let new, _, .order): !new.isOrdered
    default: false
    }
  }

  /// Whether existing rows can prevent the step.
  package var needsRowCheck: Bool {
    switch self {
    case .addedIndex(.unique, _, _): true
    case .changedAttribute(_, let new, _, .unique): new.attribute.isUnique
    case .changedAttribute(_, _, _, .validation(let isTighter)): isTighter
    // Values stored inside the row have a size limit.
    case .changedAttribute(let old, _, _, .externalStorage):
      old.attribute.options.contains(.externalStorage)
    case .changedRelationship(_, _, _, .counts(let isTighter)): isTighter
    case .changedRelationship(_, let new, _, .cardinality): !new.isToMany
    case .changedRelationship(_, let new, _, .optional): !new.isOptional
    case .changedRelationship(_, let new, _, .inverse): new.inverse != nil
    case .changedAbstract(_, let isAbstract): isAbstract
    // References to the old superentities mustn't lead to rows that leave them, and unique
    // properties of the new superentities must stay unique.
    case .changedParent: true
    default: false
    }
  }
}
