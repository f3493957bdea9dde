public import DepotProtocol

extension Schema {
  /// Creates the schema of records, their parents, and the records that relationships lead to.
  ///
  /// A relationship whose inverse isn't named has the one that names it as its inverse.
  ///
  /// - Throws: ``DepotError`` `schema.invalid` if records of the same entity differ or an inverse
  ///   isn't a relationship of the destination.
  public init(
    version: SchemaVersion? = nil,
    for records: any Record.Type...
  ) throws(DepotError) {
    try self.init(version: version, for: records)
  }

  /// Creates the schema that records describe.
  ///
  /// - Throws: ``DepotError`` `schema.invalid`.
  public init(version: SchemaVersion? = nil, for records: [any Record.Type]) throws(DepotError) {
    var builder = SchemaBuilder()
    for record in records { try builder.add(record) }
    self = Schema(version: version, entities: builder.entitiesWithInverses).withNormalizedNames
  }
}

/// The collection of the entities that records describe.
private struct SchemaBuilder {
  private var entities: [Entity] = []
  private var positions: [String: Int] = [:]

  mutating func add(_ record: any Record.Type) throws(DepotError) {
    try add(type: record)
  }

  private mutating func add<Model: Record>(type: Model.Type) throws(DepotError) {
    let entity = try Self.entity(of: type)
    if let position = positions[Model.entity] {
      guard entities[position] == entity else {
        throw DepotError(.invalidSchema, "Two records describe \(Model.entity) differently.")
          .hint("Leave out \(Model.self), which may still read and write some of the attributes.")
      }
      return
    }
    positions[Model.entity] = entities.count
    entities.append(entity)
    if let parent = Model.parent { try add(parent) }
    for attribute in Model.attributes.all {
      guard case .relationship(let link) = attribute.content else { continue }
      if positions[link.destination.entity] == nil { try add(link.destination) }
    }
  }

  /// The entities, each relationship with the inverse that either side names.
  var entitiesWithInverses: [Entity] {
    var result = entities
    for entity in entities {
      for relationship in entity.relationships {
        guard let inverse = relationship.inverse,
          let position = positions[relationship.destination],
          let place = entities[position].relationships.firstIndex(where: { $0.name == inverse }),
          entities[position].relationships[place].inverse == nil
        else { continue }
        result[position].relationships[place].inverse = relationship.name
      }
    }
    return result
  }

  private static func entity<Model: Record>(of type: Model.Type) throws(DepotError) -> Entity {
    let inherited = Model.parent.map { Set($0.propertyNames) } ?? []
    var entity = Entity(name: Model.entity, parent: Model.parent?.entity, attributes: [])
    for attribute in Model.attributes.all where !inherited.contains(attribute.name) {
      switch attribute.content {
      case .identifier, .version: continue
      case .attribute(let description): entity.attributes.append(description)
      case .composite(let type, let isOptional):
        entity.attributes.append(composite(type, attribute.name, isOptional))
      case .relationship(let link):
        entity.relationships.append(try relationship(link, of: Model.self))
      }
    }
    Model.define(&entity)
    return entity
  }

  private static func composite<Content: Composite>(
    _ type: Content.Type,
    _ name: String,
    _ isOptional: Bool
  ) -> Attribute {
    let parts = Content.attributes.all.compactMap { part in
      switch part.content {
      case .attribute(let description): description
      case .composite(let type, let isOptional): composite(type, part.name, isOptional)
      case .identifier, .version, .relationship: nil
      }
    }
    return Attribute(name: name, type: .composite, properties: parts, isOptional: isOptional)
  }

  private static func relationship<Model: Record>(
    _ link: RelationshipContent,
    of type: Model.Type
  ) throws(DepotError) -> Relationship {
    var relationship = link.relationship
    relationship.destination = link.destination.entity
    guard let inverse = link.inverse else { return relationship }
    guard let name = link.destination.propertyName(at: inverse) else {
      throw DepotError(
        .invalidSchema,
        "The inverse of \(Model.entity).\(relationship.name) isn't one of "
          + "\(link.destination).attributes."
      )
    }
    relationship.inverse = name
    return relationship
  }
}
