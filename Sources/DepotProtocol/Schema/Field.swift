/// One column of an entity's rows, as clients see it.
///
/// A composite attribute has a column for each of its parts, named by the part's path; an optional
/// composite also has a column of its own name, which tells whether it is present. A to-one
/// relationship has a column with the identifier of its target.
public struct Field: Hashable, Sendable {
  /// The name on the wire: `name`, `home.city`, `country`.
  public var path: String
  /// The attribute under its own name; a to-one relationship has one of type `int64` instead.
  public var attribute: Attribute
  /// The relationship, if the column holds one.
  public var relationship: Relationship?
  /// The entity that declares it.
  public var owner: String
  /// Whether the column tells if an optional composite is present.
  public var isPresence: Bool

  init(_ path: String, _ attribute: Attribute, owner: String, isPresence: Bool = false) {
    self.path = path
    self.attribute = attribute
    self.owner = owner
    self.isPresence = isPresence
  }

  init(_ relationship: Relationship, owner: String) {
    path = relationship.name
    attribute = Attribute(
      name: relationship.name,
      type: .int64,
      isOptional: relationship.isOptional
    )
    self.relationship = relationship
    self.owner = owner
    isPresence = false
  }
}

extension Schema {
  /// Returns an entity with its superentities, the root first.
  ///
  /// The schema must be valid.
  public func lineage(of entity: Entity) -> [Entity] {
    var result = [entity]
    while let parent = result[0].parent.flatMap({ self[$0] }), result.count <= entities.count {
      result.insert(parent, at: 0)
    }
    return result
  }

  /// Returns the subentities of the entity named `name`, at any depth, in the schema's order.
  public func descendants(of name: String) -> [Entity] {
    let children = Dictionary(grouping: entities.indices) { entities[$0].parent }
    var found: Set<Int> = []
    var waiting = [name]
    while let parent = waiting.popLast() {
      for child in children[parent] ?? [] where found.insert(child).inserted {
        waiting.append(entities[child].name)
      }
    }
    return found.sorted().map { entities[$0] }.filter { $0.name != name }
  }

  /// Returns the columns of an entity's rows: the parent's first, attributes before relationships.
  public func fields(of entity: Entity) -> [Field] { lineage(of: entity).flatMap(\.ownFields) }

  /// Returns the relationships of an entity, its parent's included.
  public func relationships(of entity: Entity) -> [Relationship] {
    lineage(of: entity).flatMap(\.relationships)
  }

  /// Returns the attributes of an entity, its parent's included.
  public func attributes(of entity: Entity) -> [Attribute] {
    lineage(of: entity).flatMap(\.attributes)
  }
}

extension Entity {
  /// The columns of the entity's own properties, without inherited ones.
  package var ownFields: [Field] {
    attributes.flatMap { Field.columns(of: $0, at: Field.Location(owner: name)) }
      + relationships.filter { !$0.isToMany }.map { Field($0, owner: name) }
  }
}

extension Field {
  /// The position of an attribute: its entity and the composites around it.
  struct Location {
    /// The entity that declares it.
    var owner: String
    /// The path of the enclosing composite, with a period at its end.
    var path = ""
    /// Whether an enclosing composite may be absent.
    var isOptional = false

    func inside(_ composite: Attribute) -> Location {
      Location(
        owner: owner,
        path: path + composite.name + ".",
        isOptional: isOptional || composite.isOptional
      )
    }
  }

  /// Returns the columns of an attribute: one, or those of a composite's parts.
  static func columns(of attribute: Attribute, at place: Location) -> [Field] {
    if attribute.options.contains(.transient) { return [] }
    guard attribute.type == .composite else { return [column(of: attribute, at: place)] }
    let presence = attribute.isOptional ? [presence(of: attribute, at: place)] : []
    let inside = place.inside(attribute)
    return presence + attribute.properties.flatMap { columns(of: $0, at: inside) }
  }

  /// Returns the column of an attribute that isn't a composite.
  static func column(of attribute: Attribute, at place: Location) -> Field {
    var effective = attribute
    effective.isOptional = attribute.isOptional || place.isOptional
    return Field(place.path + attribute.name, effective, owner: place.owner)
  }

  /// Returns the column that tells whether an optional composite is present.
  static func presence(of attribute: Attribute, at place: Location) -> Field {
    let flag = Attribute(name: attribute.name, type: .bool, defaultValue: .bool(false))
    return Field(place.path + attribute.name, flag, owner: place.owner, isPresence: true)
  }
}
