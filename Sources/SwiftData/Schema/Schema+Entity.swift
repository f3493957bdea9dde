/// The entities of a schema.
extension Schema {
  /// A kind of object.
  // because it is changed only while a schema is built
  public final class Entity: Codable, @unchecked Sendable {
    /// The name of the class.
    public var name: String
    /// The entities whose parent this is.
    public var subentities: Set<Entity> = []
    /// The name of the parent.
    public var superentityName: String?
    /// The parent; `nil` if it has none, or the schema that holds it no longer exists.
    public weak var superentity: Entity?
    /// The properties that the class itself declares.
    public var storedProperties: [any SchemaProperty]
    /// The properties of the superclasses.
    public var inheritedProperties: [any SchemaProperty] = []
    /// The combinations of properties that are unique.
    public var uniquenessConstraints: [[String]] = []
    /// The combinations of properties that are indexed.
    public var indices: [[String]] = []

    /// Creates an entity without properties.
    public convenience init(_ name: String) { self.init(name: name, []) }

    /// Creates an entity with some properties.
    public convenience init(_ name: String, properties: any SchemaProperty...) {
      self.init(name: name, properties)
    }

    /// Creates an entity with entities whose parent it is, and some properties.
    public convenience init(
      _ name: String,
      subentities: Entity...,
      properties: any SchemaProperty...
    ) {
      self.init(name: name, properties)
      self.subentities = Set(subentities)
      for entity in subentities {
        entity.superentityName = name
        entity.superentity = self
        entity.inheritedProperties = self.properties
      }
    }

    init(name: String, _ properties: [any SchemaProperty]) {
      self.name = name
      storedProperties = properties
    }

    /// Sets the parents and children of entities.
    static func link(_ entities: [Entity]) {
      let byName = Dictionary(first: entities.map { ($0.name, $0) })
      for entity in entities {
        guard let parent = entity.superentityName.flatMap({ byName[$0] }) else { continue }
        entity.superentity = parent
        parent.subentities.insert(entity)
      }
    }

    private enum CodingKeys: String, CodingKey {
      case name, superentityName, attributes, composites, relationships, inheritedAttributes
      case inheritedComposites, inheritedRelationships, uniquenessConstraints, indices
    }

    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      func properties(
        _ attributes: CodingKeys,
        _ composites: CodingKeys,
        _ relationships: CodingKeys
      ) throws -> [any SchemaProperty] {
        try container.decode([Attribute].self, forKey: attributes)
          + container.decode([CompositeAttribute].self, forKey: composites)
          + container.decode([Relationship].self, forKey: relationships)
      }
      name = try container.decode(String.self, forKey: .name)
      superentityName = try container.decodeIfPresent(String.self, forKey: .superentityName)
      storedProperties = try properties(.attributes, .composites, .relationships)
      inheritedProperties = try properties(
        .inheritedAttributes,
        .inheritedComposites,
        .inheritedRelationships
      )
      uniquenessConstraints = try container.decode([[String]].self, forKey: .uniquenessConstraints)
      indices = try container.decode([[String]].self, forKey: .indices)
    }

    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      func encode(
        _ properties: [any SchemaProperty],
        _ attributes: CodingKeys,
        _ composites: CodingKeys,
        _ relationships: CodingKeys
      ) throws {
        let all = properties.compactMap { $0 as? Attribute }
        try container.encode(all.filter { !($0 is CompositeAttribute) }, forKey: attributes)
        try container.encode(all.compactMap { $0 as? CompositeAttribute }, forKey: composites)
        try container.encode(properties.compactMap { $0 as? Relationship }, forKey: relationships)
      }
      try container.encode(name, forKey: .name)
      try container.encodeIfPresent(superentityName, forKey: .superentityName)
      try encode(storedProperties, .attributes, .composites, .relationships)
      try encode(
        inheritedProperties,
        .inheritedAttributes,
        .inheritedComposites,
        .inheritedRelationships
      )
      try container.encode(uniquenessConstraints, forKey: .uniquenessConstraints)
      try container.encode(indices, forKey: .indices)
    }
  }
}

extension Schema.Entity {
  /// The properties, beginning with the superclasses'.
  public var properties: [any SchemaProperty] { inheritedProperties + storedProperties }

  /// The attributes, including the superclasses'.
  public var attributes: Set<Schema.Attribute> {
    get { Set(properties.compactMap { $0 as? Schema.Attribute }) }
    set { replace(newValue) }
  }

  /// The relationships, including the superclasses'.
  public var relationships: Set<Schema.Relationship> {
    get { Set(properties.compactMap { $0 as? Schema.Relationship }) }
    set { replace(newValue) }
  }

  /// The attributes by their names.
  public var attributesByName: [String: Schema.Attribute] {
    get { Self.byName(properties.compactMap { $0 as? Schema.Attribute }, \.name) }
    set { attributes = Set(newValue.values) }
  }

  /// The relationships by their names.
  public var relationshipsByName: [String: Schema.Relationship] {
    get { Self.byName(properties.compactMap { $0 as? Schema.Relationship }, \.name) }
    set { relationships = Set(newValue.values) }
  }

  /// The properties that the class itself declares, by their names.
  public var storedPropertiesByName: [String: any SchemaProperty] {
    get { Self.byName(storedProperties) { $0.name } }
    set { storedProperties = newValue.values.sorted { $0.name < $1.name } }
  }

  /// The properties of the superclasses by their names.
  public var inheritedPropertiesByName: [String: any SchemaProperty] {
    get { Self.byName(inheritedProperties) { $0.name } }
    set { inheritedProperties = newValue.values.sorted { $0.name < $1.name } }
  }

  /// Replaces the properties of one kind that aren't the superclasses'.
  private func replace<Property: SchemaProperty>(_ new: Set<Property>) {
    let inherited = Set(inheritedProperties.map { $0.name })
    let own = new.filter { !inherited.contains($0.name) }.sorted { $0.name < $1.name }
    storedProperties = storedProperties.filter { !($0 is Property) } + own
  }

  private static func byName<Part>(_ parts: [Part], _ name: (Part) -> String) -> [String: Part] {
    Dictionary(first: parts.map { (name($0), $0) })
  }
}

extension Schema.Entity: Hashable {
  public static func == (left: Schema.Entity, right: Schema.Entity) -> Bool {
    left === right
      || left.name == right.name && left.superentityName == right.superentityName
        && left.attributes == right.attributes && left.relationships == right.relationships
        && left.uniquenessConstraints == right.uniquenessConstraints
        && left.indices == right.indices
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Schema.Entity: CustomDebugStringConvertible {
  public var debugDescription: String {
    "\(name)(\(properties.map { $0.name }.joined(separator: ", ")))"
  }
}
