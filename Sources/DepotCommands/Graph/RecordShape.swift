internal import DepotProtocol

/// A relationship for reading records, prepared for frequent look-ups.
final class RecordLink {
  let relationship: Relationship
  let destination: Entity
  /// The key of its rows, unless another one is chosen for a path.
  let natural: NaturalKey?
  /// The key of its rows in the store itself.
  let identifier: NaturalKey

  init(_ relationship: Relationship, _ schema: Schema, _ rules: LinkRules) throws(DepotError) {
    self.relationship = relationship
    destination = try schema.entity(named: relationship.destination)
    natural = rules.naturalKey(of: destination)
    identifier = .identifier(of: destination)
  }
}

/// The members that records of an entity may have, prepared for frequent look-ups.
final class RecordShape {
  let entity: Entity
  let fields: [String: Field]
  /// The fields in their order.
  let allFields: [Field]
  let links: [String: RecordLink]
  /// The names of the entity and its superentities.
  let lineage: Set<String>
  /// The paths of composites.
  let composites: Set<String>
  /// The keys that rules identify rows of the entity by.
  let keys: [NaturalKey]
  /// The key for the names of rows in a file.
  let fileKey: NaturalKey

  init(
    _ entity: Entity,
    _ schema: Schema,
    _ rules: LinkRules,
    _ otherKeys: Set<NaturalKey>
  ) throws(DepotError) {
    self.entity = entity
    let all = schema.fields(of: entity)
    allFields = all
    fields = Dictionary(all.map { ($0.path, $0) }) { first, _ in first }
    let links = try schema.relationships(of: entity).map { (relationship) throws(DepotError) in
      (relationship.name, try RecordLink(relationship, schema, rules))
    }
    self.links = Dictionary(links) { $1 }
    let owners = schema.lineage(of: entity).map(\.name)
    lineage = Set(owners)
    composites = Set(
      all.flatMap { field in
        field.path.indices.filter { field.path[$0] == "." }.map { String(field.path[..<$0]) }
      }
    )
    var keys = Set(rules.keys.values).union(otherKeys)
    if let key = NaturalKey(of: entity, schema) { keys.insert(key) }
    self.keys = keys.filter { owners.contains($0.entity) }
      .sorted { ($0.entity, $0.path) < ($1.entity, $1.path) }
    fileKey = NaturalKey(entity: owners[0], path: NaturalKey.fileIdentifier, type: .string)
  }
}
