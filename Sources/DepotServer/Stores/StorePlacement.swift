internal import DepotProtocol

/// The assignment of entities to the stores of a container.
struct StorePlacement {
  /// A store with its entities.
  struct StoreEntities {
    var store: String
    /// The entities that it holds; `nil` for all entities that no other store names.
    var entities: [String]?
  }

  private let places: [StoreEntities]
  private let named: [String: Int]
  /// The index of the store for entities that no store names.
  private let rest: Int?

  init(_ places: [StoreEntities]) {
    self.places = places
    var named: [String: Int] = [:]
    for (index, place) in places.enumerated() {
      for entity in place.entities ?? [] { named[entity] = index }
    }
    self.named = named
    rest = places.firstIndex { $0.entities == nil }
  }

  /// The index of the store for an entity, or `nil` if there is none.
  func position(of entity: String) -> Int? { named[entity] ?? rest }

  /// Divides a schema.
  ///
  /// - Returns: The part of each store, in their order.
  /// - Throws: ``DepotError`` `schema.invalid` if an entity has no store, if a store names an
  ///   unknown entity, or if a parent or a relationship would be in another store.
  func divide(_ schema: Schema) throws(DepotError) -> [Schema] {
    try refuseUnknown(in: schema)
    var parts = places.map { _ in Schema(version: schema.version) }
    for entity in schema.entities {
      guard let position = position(of: entity.name) else {
        throw invalid("The entity \(entity.name) is in no store.")
          .hint("Name it in the member \"entities\" of a store.")
      }
      parts[position].entities.append(entity)
      if let parent = entity.parent {
        try require(parent, in: position, "\(entity.name), whose parent is", schema)
      }
      for relationship in entity.relationships {
        let subject = "\(entity.name), whose relationship \(relationship.name) leads to"
        try require(relationship.destination, in: position, subject, schema)
      }
    }
    return parts
  }

  /// Checks that a store has no entities of another store.
  func check(_ schema: Schema, of index: Int) throws(DepotError) {
    for entity in schema.entities where position(of: entity.name) != index {
      let other = position(of: entity.name).map { places[$0].store }
      throw DepotError(
        .invalidSchema,
        other.map {
          "The entity \(entity.name) is in two stores: \(places[index].store) and \($0)."
        }
          ?? "The store \(places[index].store) holds \(entity.name), which its entities leave out."
      )
      .hint("Give the stores of the container the entities that they were made with.")
      .at("/args/stores/\(index)/entities")
    }
  }

  private func refuseUnknown(in schema: Schema) throws(DepotError) {
    for (index, place) in places.enumerated() {
      for name in place.entities ?? [] where schema[name] == nil {
        let nearest = Spelling.nearest(to: name, in: schema.entities.map(\.name))
        throw DepotError(
          .invalidSchema,
          "The store \(place.store) is to hold the entity \(name), which the schema lacks."
        )
        .hint(nearest.map { "Did you mean \"\($0)\"?" })
        .at("/args/stores/\(index)/entities")
      }
    }
  }

  private func require(
    _ entity: String,
    in place: Int,
    _ subject: String,
    _ schema: Schema
  ) throws(DepotError) {
    guard let other = position(of: entity), other != place, schema[entity] != nil else { return }
    throw invalid(
      "\(subject) \(entity), is in the store \(places[place].store), but \(entity) is in "
        + "\(places[other].store)."
    )
    .hint("Put both into one store; rows can't refer to rows of another store.")
  }

  private func invalid(_ message: String) -> DepotError {
    DepotError(.invalidSchema, message).at("/args/schema")
  }
}
