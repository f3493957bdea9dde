/// One step from a schema to another.
///
/// A step names entities by their new names, except where it removes or renames one. It carries its
/// subject before and after the step, so that it can be executed by itself.
package enum SchemaChange: Hashable, Sendable {
  /// An entity with all that it declares; its indexes come with it.
  case addedEntity(Entity)
  /// An entity as it was, whose rows go unless they are of a subentity that stays.
  case removedEntity(Entity)
  case renamedEntity(String, to: String)
  case changedParent(String, from: String?, to: String?)
  case changedAbstract(String, isAbstract: Bool)
  case changedHashModifier(String)
  /// The policy of the history from now on.
  case changedHistory(String, to: HistoryPolicy?)

  /// A column for the rows of `entity`, those of its subentities included.
  ///
  /// Rows that exist get `fill`, except where the column is part of a composite that is absent, or
  /// derived and so computed.
  case addedAttribute(Field, entity: String, fill: Value)
  /// A column that the rows of `entity` no longer have; it goes, unless the rows of another entity keep
  /// it, which `entity` then no longer descends from.
  case removedAttribute(Field, entity: String)
  /// A column whose values stay, in one regard; several regards are several steps.
  case changedAttribute(Field, to: Field, entity: String, AttributeAspect)

  /// A relationship of the rows of `entity`; rows that exist lead to nothing.
  case addedRelationship(Relationship, entity: String)
  case removedRelationship(Relationship, entity: String)
  /// A relationship in one regard; several regards are several steps.
  case changedRelationship(Relationship, to: Relationship, entity: String, RelationshipAspect)

  case addedIndex(IndexKind, [String], entity: String)
  /// An index as it was, its paths included.
  case removedIndex(IndexKind, [String], entity: String)
}

extension SchemaChange {
  /// The aspects of an attribute that can change.
  package enum AttributeAspect: Hashable, Sendable {
    /// It has another path.
    case name
    /// Another entity of the hierarchy declares it, so that its column is another.
    case owner
    /// Another type, width, or kind of collection: the values must be rewritten.
    case type
    /// It may be null no longer; rows where it is null get the value.
    case required(fill: Value)
    /// It may be null from now on.
    case optional
    /// Unique from now on, if no two rows have the same value; or no longer.
    case unique
    /// Whether it has an index of its own.
    case indexed
    /// The default for inserts that leave the column out; existing rows keep their values.
    case defaultValue
    /// The rules that values must satisfy. If they are tighter, the rows that exist must be looked at.
    case validation(isTighter: Bool)
    case externalStorage
    /// From now on values aren't stored, or are.
    case ephemeral
    case preservation
    case spotlight
    /// The expression; the values must be computed anew if there is one.
    case derivation
    /// Programs interpret the values differently; the stored values stay.
    case hashModifier
  }

  /// The aspects of a relationship that can change.
  package enum RelationshipAspect: Hashable, Sendable {
    case name
    /// Another entity of the hierarchy declares it.
    case owner
    /// An ancestor of the destination, or the destination under another name.
    case destination
    case inverse
    /// From one to many, or from many to one, which fails if a row leads to several.
    case cardinality
    case order
    /// Whether a to-one relationship may lead to nothing. If not, rows must be looked at.
    case optional
    case deleteRule
    /// The least and the greatest number. If it is tighter, rows must be looked at.
    case counts(isTighter: Bool)
    case hashModifier
  }

  /// The kinds of indexes over several paths.
  package enum IndexKind: String, Hashable, Sendable, CaseIterable {
    case compound
    case range
    case unique
  }
}

extension SchemaChange.IndexKind {
  /// The name for people.
  package var name: String { facts.name }

  /// The member of the schema's JSON form.
  var member: String { facts.member }

  fileprivate var facts: (name: String, member: String, paths: WritableKeyPath<Entity, [[String]]>)
  {
    switch self {
    case .compound: ("index", "indexes", \.indexes)
    case .range: ("range index", "rangeIndexes", \.rangeIndexes)
    case .unique: ("unique index", "uniques", \.uniques)
    }
  }
}

extension Entity {
  /// The paths of each index of a kind.
  package subscript(kind: SchemaChange.IndexKind) -> [[String]] {
    get { self[keyPath: kind.facts.paths] }
    set { self[keyPath: kind.facts.paths] = newValue }
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

  /// Whether rows that exist can be in the way of the step.
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
